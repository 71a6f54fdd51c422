import { effect } from '@preact/signals';
import { dependOn } from '../ui/dependOn';
import type { Host } from './connectHost';
import type { HostChannel } from './hostChannel';
import type { ConversationStore } from './state/conversationStore';

/** A reader who scrolls is somewhere else with every frame. */
const QUIET_MS = 250;

/** Tells the host where the reader is, for the next time. */
export function keepNavigation(store: ConversationStore, host: Host, channel: HostChannel): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    dependOn(store.position, store.view);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const position = store.position.peek();
      const line = store.readingLine();
      if (position.kind === 'item' && line === null) return;
      const at = position.kind === 'end' || line === null ? null : { line, offsetPx: position.offsetPx };
      const navigation = { view: store.view.peek(), at };
      channel.saveState({ filePath: store.filePath, ...navigation });
      void host.navigated(navigation);
    }, QUIET_MS);
  });
}
