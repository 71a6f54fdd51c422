import { batch, computed, effect, signal, untracked } from '@preact/signals';
import type { PanelCalls } from '../../../protocol/channels/panel';
import type { FindQuery, FindResult, ItemRole } from '../../../protocol/conversation';
import type { TextMatcher } from '../../blocks/blockHost';
import { dependOn } from '../../ui/texts';
import type { ConversationStore, Position } from '../state/conversationStore';
import { type ExpandedRows, linesOf } from '../state/expandedRows';
import { matchedMatcher, plainMatcher } from './markHits';

/** Delay after a keystroke before the search starts, in milliseconds. */
const TYPING_MS = 150;

/** The find bar: the search text, where it was found, and the current hit. */
export class FindState {
  readonly isOpen = signal(false);
  /** Increases whenever the bar is requested, so that it takes the focus even if it is already open. */
  readonly asked = signal(0);
  /** Whether the bar takes the focus. */
  takesFocus = true;
  readonly text = signal('');
  readonly isRegExp = signal(false);
  readonly isCaseSensitive = signal(false);
  readonly role = signal<ItemRole | null>(null);
  readonly tool = signal('');
  readonly result = signal<FindResult | null>(null);
  /** Index in the result's items; null before the first jump. */
  readonly current = signal<number | null>(null);
  /** Index of the current hit within its item; may exceed the counted hits if an item shows some twice. */
  readonly hit = signal(0);
  /** The row of the current hit is drawn, but the hit is not marked in it. */
  readonly isUnseen = signal(false);
  /** Number of hits marked in the row of the current hit; null while it is not drawn. */
  marked: number | null = null;
  /** Increases when a hit is reached. */
  readonly arrivals = signal(0);

  readonly query = computed<FindQuery>(() => ({
    text: this.text.value,
    isRegExp: this.isRegExp.value,
    isCaseSensitive: this.isCaseSensitive.value,
    roles: this.role.value === null ? [] : [this.role.value],
    tool: this.tool.value.trim() === '' ? null : this.tool.value.trim(),
  }));

  /** The row that was visited: content that hides hits in it is unfolded, also after the find bar is closed. */
  readonly #found = signal<{ readonly lines: ReadonlySet<number>; readonly find: TextMatcher } | null>(null);
  /** Number of hits of that row to show: from the first to the furthest that was visited. */
  readonly reached = signal(1);
  /** The position at which the row with the current hit arrived; null once the hit was seen or the reader moved elsewhere. */
  #arrival: Position | null = null;

  /** Index of the item with the current hit. */
  readonly currentItem = computed(() => this.result.value?.items[this.current.value ?? -1] ?? null);

  readonly #host: PanelCalls;
  readonly #store: ConversationStore;
  readonly #expanded: ExpandedRows;
  #asking = 0;
  #jumps = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: PanelCalls, store: ConversationStore, expanded: ExpandedRows) {
    this.#host = host;
    this.#store = store;
    this.#expanded = expanded;
    let last: FindQuery | null = null;
    effect(() => {
      const [query, isOpen] = [this.query.value, this.isOpen.value];
      dependOn(this.#store.head, this.#store.view);
      untracked(() => {
        if (!isOpen) return;
        const isTyped = query !== last;
        last = query;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => void this.#search(query, isTyped), TYPING_MS);
      });
    });
  }

  open(): void {
    this.#ask(true);
  }

  /** Searches for a query whose hit is in the shown row at `line`. The row is unfolded, and no other row is visited. */
  findAt({ text, isRegExp, isCaseSensitive }: FindQuery, line: number): void {
    batch(() => {
      this.text.value = text;
      this.isRegExp.value = isRegExp;
      this.isCaseSensitive.value = isCaseSensitive;
      this.role.value = null;
      this.tool.value = '';
      // The view with the results keeps the focus while the person goes through them.
      this.#ask(document.hasFocus());
    });
    clearTimeout(this.#timer);
    void this.#search(this.query.peek(), true, line);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#asking++;
    batch(() => {
      this.isOpen.value = false;
      this.result.value = null;
      this.current.value = null;
    });
  }

  /** Moves to the next or previous hit, wrapping at the ends. Hits of an item that are not marked are skipped together. */
  step(by: 1 | -1): void {
    const { items, counts } = this.result.peek() ?? { items: [], counts: [] };
    if (items.length === 0) return;
    const [at, isUnseen, marked] = [this.current.peek(), this.isUnseen.peek(), this.marked ?? 0];
    if (at === null) return void this.#jump(this.#nearest(items), 0);
    const hit = (isUnseen && by < 0 ? marked : this.hit.peek()) + by;
    if (by < 0 ? hit >= 0 : !isUnseen && hit < Math.max(counts[at] ?? 0, marked)) return void this.#jump(at, hit);
    const next = (at + by + items.length) % items.length;
    void this.#jump(next, by < 0 ? (counts[next] ?? 1) - 1 : 0);
  }

  /** The matcher for the hits to mark in an item of the result. */
  matcherAt(at: number): TextMatcher {
    const { text, isCaseSensitive } = this.query.peek();
    const matched = this.result.peek()?.matched ?? null;
    if (matched === null) return plainMatcher(text, isCaseSensitive);
    return matchedMatcher((matched.ofItems[at] ?? []).flatMap((place) => matched.texts[place] ?? []));
  }

  /** The matcher, if the row of this line, or the call that it answers, was visited. */
  found(line: number): TextMatcher | null {
    const found = this.#found.value;
    return found?.lines.has(line) === true ? found.find : null;
  }

  /** Whether to bring the current hit into view: true once, and not if the reader has moved elsewhere in the meantime. */
  takeArrival(): boolean {
    const isThere = this.#arrival !== null && this.#arrival === this.#store.position.peek();
    if (isThere) this.#arrival = null;
    return isThere;
  }

  #ask(takesFocus: boolean): void {
    this.takesFocus = takesFocus;
    batch(() => {
      this.isOpen.value = true;
      this.asked.value++;
    });
  }

  async #search(query: FindQuery, isTyped: boolean, line: number | null = null): Promise<void> {
    const asking = ++this.#asking;
    const result = query.text === '' ? null : await this.#find(query);
    if (asking !== this.#asking) return;
    const item = this.currentItem.peek();
    batch(() => {
      this.result.value = result;
      const at = item === null ? -1 : (result?.items.indexOf(item) ?? -1);
      this.current.value = at === -1 ? null : at;
    });
    if (!isTyped) return;
    this.reached.value = 1;
    const at = this.#nearest(result?.items ?? []);
    const reached = this.#store.items.item(result?.items[at] ?? -1);
    if (at >= 0 && (line === null || (reached !== null && linesOf(reached).includes(line)))) await this.#jump(at, 0);
    else this.#found.value = null;
  }

  async #find(query: FindQuery): Promise<FindResult> {
    try {
      return await this.#host.find(this.#store.view.peek(), query);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return { revision: 0, items: [], counts: [], hits: 0, matched: null, isCut: false, problem };
    }
  }

  /** The index in `items` of the first item with a hit at or after the reader's position. */
  #nearest(items: readonly number[]): number {
    const position = this.#store.position.peek();
    const from = position.kind === 'end' ? this.#store.items.shown.from : position.index;
    const at = items.findIndex((index) => index >= from);
    return at === -1 ? items.length - 1 : at;
  }

  async #jump(at: number, hit: number): Promise<void> {
    const jump = ++this.#jumps;
    const index = this.result.peek()?.items[at];
    if (index === undefined) return;
    const isSame = at === this.current.peek();
    if (!isSame) this.marked = null;
    batch(() => {
      this.current.value = at;
      this.hit.value = hit;
      this.isUnseen.value = false;
    });
    // If the row is already drawn, only the hit is scrolled into view.
    if (this.marked === null) await this.#store.goTo(index);
    if (jump !== this.#jumps) return;
    this.#arrival = this.#store.position.peek();
    const item = this.#store.items.item(index);
    batch(() => {
      this.#expanded.found();
      this.reached.value = Math.max(hit + 1, isSame ? this.reached.peek() : 0);
      this.#found.value = item === null ? null : { lines: new Set(linesOf(item)), find: this.matcherAt(at) };
      this.arrivals.value++;
    });
  }
}
