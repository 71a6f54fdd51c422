import { batch, computed, effect, signal, untracked } from '@preact/signals';
import type { PanelCalls } from '../../../protocol/channels/panel';
import type { FindQuery, FindResult, ItemRole } from '../../../protocol/conversation';
import type { TextMatcher } from '../../blocks/blockHost';
import { dependOn } from '../../ui/texts';
import type { ConversationStore, Position } from '../state/conversationStore';
import { type ExpandedRows, linesOf } from '../state/expandedRows';
import { matchedMatcher, plainMatcher } from './markHits';

/** So long after a key, what is looked for is taken to be typed. */
const TYPING_MS = 150;

/** The find bar: what is looked for, where it was found, and which hit is the current one. */
export class FindState {
  readonly isOpen = signal(false);
  /** Counts up whenever the bar is asked for, so that it takes the focus also when it is open. */
  readonly asked = signal(0);
  readonly text = signal('');
  readonly isRegExp = signal(false);
  readonly isCaseSensitive = signal(false);
  readonly role = signal<ItemRole | null>(null);
  readonly tool = signal('');
  readonly result = signal<FindResult | null>(null);
  /** Place in the result's items; null before the first jump. */
  readonly current = signal<number | null>(null);
  /** Place of the current hit in its item; beyond the counted ones where an item shows some twice. */
  readonly hit = signal(0);
  /** The current hit is not marked in its row, which is drawn. */
  readonly isUnseen = signal(false);
  /** Hits that are marked in the row of the current one; null while it is not drawn. */
  marked: number | null = null;
  /** Counts up when a hit is come to. */
  readonly arrivals = signal(0);

  readonly query = computed<FindQuery>(() => ({
    text: this.text.value,
    isRegExp: this.isRegExp.value,
    isCaseSensitive: this.isCaseSensitive.value,
    roles: this.role.value === null ? [] : [this.role.value],
    tool: this.tool.value.trim() === '' ? null : this.tool.value.trim(),
  }));

  /** The row that was gone to: what hides hits in it is unfolded. It stays so when the find bar is closed. */
  readonly #found = signal<{ readonly lines: ReadonlySet<number>; readonly find: TextMatcher } | null>(null);
  /** Hits of that row, from the first to the furthest that was gone to. */
  readonly reached = signal(1);
  /** Where the row with the current hit has come to; null once the hit was seen, or the reader went elsewhere. */
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
    batch(() => {
      this.isOpen.value = true;
      this.asked.value++;
    });
  }

  /** Looks for what led to the row of the line, which is shown: it is unfolded there, and no other row is gone to. */
  lookFor({ text, isRegExp, isCaseSensitive }: FindQuery, line: number): void {
    batch(() => {
      this.text.value = text;
      this.isRegExp.value = isRegExp;
      this.isCaseSensitive.value = isCaseSensitive;
      this.role.value = null;
      this.tool.value = '';
      this.open();
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

  /** To the next hit, or the one before; round at the ends. Those of an item that are not marked are passed over together. */
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

  /** Finds what is to be marked in an item of the result. */
  matcherAt(at: number): TextMatcher {
    const { text, isCaseSensitive } = this.query.peek();
    const matched = this.result.peek()?.matched ?? null;
    if (matched === null) return plainMatcher(text, isCaseSensitive);
    return matchedMatcher((matched.ofItems[at] ?? []).flatMap((place) => matched.texts[place] ?? []));
  }

  /** What is looked for, where the row of this line, or the call that it answers, was gone to. */
  found(line: number): TextMatcher | null {
    const found = this.#found.value;
    return found?.lines.has(line) === true ? found.find : null;
  }

  /** The current hit is to be brought into view, once: not when the reader has gone elsewhere meanwhile. */
  takeArrival(): boolean {
    const isThere = this.#arrival !== null && this.#arrival === this.#store.position.peek();
    if (isThere) this.#arrival = null;
    return isThere;
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

  /** The first item with a hit from the reader's place on. */
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
    // Within a row that is there, the reader's place moves no further than to the hit.
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
