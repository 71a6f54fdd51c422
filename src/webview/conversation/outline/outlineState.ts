import { computed, effect, signal, untracked } from '@preact/signals';
import type { PanelCalls } from '../../../protocol/channels/panel';
import type { OutlineEntry } from '../../../protocol/conversation';
import { dependOn } from '../../ui/texts';
import type { ConversationStore, Position } from '../state/conversationStore';
import type { ShownState } from '../state/shownState';

/** From this width on, there is room for the outline beside the conversation. */
const WIDE = '(min-width: 1100px)';

/** Shortest time between two requests for the prompts of a conversation that is being written. */
const REFRESH_MS = 400;

/** The prompts of the view, for jumping. */
export class OutlineState {
  readonly isOpen = signal(false);
  readonly entries = signal<readonly OutlineEntry[]>([]);
  /** Index in `entries` of the prompt at or above the reader's position; -1 above the first. */
  readonly current;
  readonly #host: PanelCalls;
  readonly #store: ConversationStore;
  readonly #shown: ShownState;

  constructor(host: PanelCalls, store: ConversationStore, shown: ShownState) {
    this.#host = host;
    this.#store = store;
    this.#shown = shown;
    this.current = computed(() => {
      const position = store.position.value;
      const index = position.kind === 'end' ? Infinity : position.index + (position.offsetPx < 0 ? 0 : 0.5);
      return lastNotAfter(this.entries.value, index);
    });
    let asked = 0;
    let answered = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let view = store.view.peek();
    effect(() => {
      const isOpen = this.isOpen.value;
      dependOn(store.head);
      const isOther = view !== store.view.value;
      view = store.view.value;
      untracked(() => {
        if (isOther || !isOpen) {
          clearTimeout(timer);
          timer = undefined;
          answered = asked;
        }
        const delay = isOther || this.entries.peek().length === 0 ? 0 : REFRESH_MS;
        // Changes in the meantime are included: a timer that restarted with each row might never fire.
        if (isOpen) timer ??= setTimeout(() => void load(), delay);
      });
    });
    const load = async (): Promise<void> => {
      timer = undefined;
      const asking = ++asked;
      // The conversation is readable without an outline, and its own failures are reported separately.
      const entries = await host.outline(store.view.peek()).catch(() => null);
      if (asking <= answered || entries === null || (store.head.peek().problem !== null && entries.length === 0))
        return;
      answered = asking;
      this.entries.value = entries;
    };
  }

  /** As the person left it in another conversation; closed where there is no room beside the conversation. */
  openIfShown(): void {
    this.isOpen.value = window.matchMedia(WIDE).matches && this.#shown.parts.peek().prompts;
  }

  /** Opens or closes the list for the person, who meant that for all conversations where there is room. */
  show(isOpen: boolean): void {
    this.isOpen.value = isOpen;
    const isMeantForAll = window.matchMedia(WIDE).matches && this.#shown.parts.peek().prompts !== isOpen;
    if (isMeantForAll) this.#shown.toggle('prompts');
  }

  /** Goes to the next prompt (1) or the previous one (-1), from an item or the reader's position. Returns its item; null if there is none. */
  async goToPrompt(
    step: 1 | -1,
    from = indexOf(this.#store.position.peek(), this.#store.head.peek().count),
  ): Promise<number | null> {
    // The prompts of a closed outline may be out of date.
    const entries = this.isOpen.peek()
      ? this.entries.peek()
      : await this.#host.outline(this.#store.view.peek()).catch(() => []);
    const found =
      step === 1 ? entries.find(({ index }) => index > from) : entries.findLast(({ index }) => index < from);
    if (found === undefined) return null;
    await this.#store.goTo(found.index);
    this.#store.marked.value = found.line;
    return found.index;
  }
}

function indexOf(position: Position, count: number): number {
  return position.kind === 'end' ? count : position.index;
}

function lastNotAfter(entries: readonly OutlineEntry[], index: number): number {
  let [low, high] = [-1, entries.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((entries[middle]?.index ?? Infinity) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}
