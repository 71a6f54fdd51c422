import { batch, computed, effect, signal, untracked } from '@preact/signals';
import type { ConversationItem, FindQuery, FindResult, ItemRole } from '../../../shared/conversation';
import type { TextMatcher } from '../../blocks/blockHost';
import type { Host } from '../connectHost';
import type { ConversationStore } from '../state/conversationStore';
import type { ExpandedRows } from '../state/expandedRows';
import type { Position } from '../state/position';
import { dependOn } from '../../ui/dependOn';
import { compileMatcher } from './compileMatcher';

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

  readonly query = computed<FindQuery>(() => ({
    text: this.text.value,
    isRegExp: this.isRegExp.value,
    isCaseSensitive: this.isCaseSensitive.value,
    roles: this.role.value === null ? [] : [this.role.value],
    tool: this.tool.value.trim() === '' ? null : this.tool.value.trim(),
  }));

  /** Null while nothing is to be marked, or the engine has refused the query. */
  readonly matcher = computed(() => {
    const isAnswered = this.isOpen.value && this.result.value !== null && this.result.value.problem === null;
    return isAnswered ? compileMatcher(this.query.value) : null;
  });

  /** The row that was gone to: what hides hits in it is unfolded. It stays so when the find bar is closed. */
  readonly #found = signal<{ readonly lines: ReadonlySet<number>; readonly find: TextMatcher } | null>(null);
  /** Where the row with the current hit has come to; null once the hit was seen, or the reader went elsewhere. */
  #arrival: Position | null = null;

  /** Index of the item with the current hit. */
  readonly currentItem = computed(() => this.result.value?.items[this.current.value ?? -1] ?? null);

  readonly #host: Host;
  readonly #store: ConversationStore;
  readonly #expanded: ExpandedRows;
  #asking = 0;
  #jumps = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(host: Host, store: ConversationStore, expanded: ExpandedRows) {
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

  close(): void {
    clearTimeout(this.#timer);
    this.#asking++;
    batch(() => {
      this.isOpen.value = false;
      this.result.value = null;
      this.current.value = null;
    });
  }

  /** To the next item with a hit, or the one before; round at the ends. */
  step(by: 1 | -1): void {
    const items = this.result.peek()?.items ?? [];
    if (items.length === 0) return;
    const current = this.current.peek();
    void this.#jump(current === null ? this.#nearest(items) : (current + by + items.length) % items.length);
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

  async #search(query: FindQuery, isTyped: boolean): Promise<void> {
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
    if (result !== null && result.items.length > 0) await this.#jump(this.#nearest(result.items));
    else this.#found.value = null;
  }

  async #find(query: FindQuery): Promise<FindResult> {
    try {
      return await this.#host.find(this.#store.view.peek(), query);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return { revision: 0, items: [], hits: 0, isCut: false, problem };
    }
  }

  /** The first item with a hit from the reader's place on. */
  #nearest(items: readonly number[]): number {
    const position = this.#store.position.peek();
    const from = position.kind === 'end' ? this.#store.items.shown.from : position.index;
    const at = items.findIndex((index) => index >= from);
    return at === -1 ? items.length - 1 : at;
  }

  async #jump(at: number): Promise<void> {
    const jump = ++this.#jumps;
    this.current.value = at;
    const [index, find] = [this.result.peek()?.items[at], this.matcher.peek()];
    if (index === undefined) return;
    await this.#store.goTo(index);
    if (jump !== this.#jumps) return;
    this.#arrival = this.#store.position.peek();
    const item = this.#store.items.item(index);
    batch(() => {
      this.#expanded.found();
      this.#found.value = item === null || find === null ? null : { lines: new Set(linesOf(item)), find };
    });
  }
}

/** Its own, and those of the results that are shown in it. */
function linesOf(item: ConversationItem): number[] {
  if (item.kind !== 'row') return [item.line];
  return [
    item.line,
    ...item.blocks.flatMap((block) => (block.kind === 'tool' && block.result !== null ? [block.result.line] : [])),
  ];
}
