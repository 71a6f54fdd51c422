import { signal } from '@preact/signals';
import type { PanelCalls, ShownParts } from '../../../protocol/channels/panel';
import type { ContentBlock } from '../../../protocol/conversation';

/** Which parts of messages are shown. The extension remembers it for all conversations. */
export class ShownState {
  readonly parts;
  readonly #host: PanelCalls;

  constructor(host: PanelCalls, parts: ShownParts) {
    this.#host = host;
    this.parts = signal(parts);
  }

  toggle(part: keyof ShownParts): void {
    this.parts.value = { ...this.parts.peek(), [part]: !this.parts.peek()[part] };
    void this.#host.showParts(this.parts.peek());
  }

  /** Reading it within a component subscribes the component. */
  shows(block: ContentBlock): boolean {
    const { thinking, tools, notes } = this.parts.value;
    switch (block.kind) {
      case 'thinking':
        return thinking;
      case 'tool':
      case 'result':
        return tools;
      case 'note':
        return notes;
      case 'text':
      case 'image':
      case 'compaction':
      case 'summary':
      case 'interruption':
      case 'error':
      case 'raw':
        return true;
    }
  }
}
