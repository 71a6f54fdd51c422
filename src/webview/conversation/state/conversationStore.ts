import { batch, signal } from '@preact/signals';
import type { PanelStart } from '../../../shared/api/conversation';
import type { ConversationHead, ConversationItem, ConversationView, ItemsPage } from '../../../shared/conversation';
import type { Host } from '../connectHost';
import { ItemPages, PAGE_ITEMS } from './itemPages';
import type { Position } from './position';
import { END } from './position';

/** Pages that are asked for at the same time: more would only be in each other's way. */
const MAX_OPEN_REQUESTS = 3;
/** How far above the item that is jumped to the view begins, so that it is not read without what led to it. */
const REVEAL_OFFSET_PX = -96;

/** What of the conversation is here, and where the reader is in it. The host owns the data. */
export class ConversationStore {
  readonly head;
  readonly view;
  readonly position = signal<Position>(END);
  /** Counts up whenever `item` answers differently. */
  readonly version = signal(0);
  /** Counts up when items moved: heights that were measured are not theirs any more. */
  readonly layout = signal(0);
  /** Items that came while the reader was elsewhere. */
  readonly unseen = signal(0);
  /** Line of the row that was jumped to. */
  readonly marked = signal<number | null>(null);
  /** The transcript became shorter while it was open. */
  readonly isShortened = signal(false);
  /** Why nothing is read any more, in the words of the host; what is here is shown all the same. */
  readonly stopped = signal<string | null>(null);
  /** What the host could not do, in its words. */
  readonly failure = signal<string | null>(null);
  /** Items that came at the end while the reader was there. */
  readonly arrived = signal<readonly ConversationItem[]>([]);

  readonly #host: Host;
  readonly #pages = new ItemPages();
  readonly #open = new Set<number>();
  #wanted: readonly number[] = [];
  #shown = { from: 0, to: 0 };
  /** Counts up with each view: answers for another are dropped. */
  #visit = 0;
  #newest: ConversationHead | null = null;
  #isRefreshing = false;
  #isSwitching = false;

  constructor(host: Host, { head, navigation, pages, stopped }: Omit<PanelStart, 'reveal' | 'texts' | 'locale'>) {
    this.#host = host;
    this.head = signal(head);
    this.view = signal<ConversationView>(navigation.view);
    this.stopped.value = stopped;
    this.#put(pages, head.revision);
  }

  get filePath(): string {
    return this.head.peek().filePath;
  }

  /** Index of the first item that is drawn. */
  get shownFrom(): number {
    return this.#shown.from;
  }

  item(index: number): ConversationItem | null {
    return this.#pages.item(index);
  }

  /** These items are on screen, or soon will be. */
  show(from: number, to: number): void {
    this.#shown = { from, to };
    this.#wanted = this.#pages.missing(from, to, this.head.peek().revision);
    this.#ask();
  }

  /** Asks again for what could not be had. */
  retry(): void {
    this.failure.value = null;
    if (this.#newest !== null) this.changed(this.#newest);
    this.show(this.#shown.from, this.#shown.to);
  }

  /** Has what reads the transcripts started again. */
  async tryAgain(): Promise<void> {
    await this.#guard(() => this.#host.tryAgain());
  }

  /** The file changed. What is on screen stays until what takes its place is here. */
  changed(head: ConversationHead): void {
    // Somebody reads again: what failed because nobody did is asked for with the rest.
    if (this.stopped.peek() !== null) {
      this.stopped.value = null;
      this.failure.value = null;
    }
    this.#newest = head;
    if (!this.#isRefreshing && !this.#isSwitching) void this.#guard(() => this.#refresh());
  }

  /** Another view of the same transcript, at the row that is read now where it has it. */
  async switchView(view: ConversationView, line = this.readingLine()): Promise<void> {
    const visit = ++this.#visit;
    this.#isSwitching = true;
    this.#newest = null;
    await this.#guard(async () => {
      const [head, index] = await Promise.all([
        this.#host.head(view),
        line === null ? null : this.#host.indexOfLine(view, line),
      ]);
      const at = index === null ? null : Math.min(index, head.count - 1);
      const pages = await this.#load(view, pagesAround(at, head.count));
      if (visit !== this.#visit) return;
      batch(() => {
        this.view.value = view;
        this.#replaceItems(head, pages);
        this.position.value = at === null ? END : { kind: 'item', index: at, offsetPx: REVEAL_OFFSET_PX };
      });
    });
    if (visit !== this.#visit) return;
    this.#isSwitching = false;
    // What was told meanwhile may be of the view before.
    if (this.#hasNews())
      await this.#guard(async () => {
        this.changed(await this.#host.head(view));
      });
  }

  /** Shows the row at `line` and marks it; in the view of the whole file where this one has it not. */
  async reveal(line: number): Promise<void> {
    await this.#guard(async () => {
      const visit = this.#visit;
      const index = await this.#host.indexOfLine(this.view.peek(), line);
      if (visit !== this.#visit) return;
      if (index === null) {
        if (this.view.peek().kind !== 'file') await this.switchView({ kind: 'file' }, line);
      } else await this.goTo(index);
      this.marked.value = line;
    });
  }

  /** Jumps to an item, once it and its neighbours are here. */
  async goTo(index: number, offsetPx = REVEAL_OFFSET_PX): Promise<void> {
    await this.#guard(async () => {
      const visit = this.#visit;
      const head = this.head.peek();
      const wanted = pagesAround(index, head.count).filter(
        (page) => this.#pages.missing(page * PAGE_ITEMS, page * PAGE_ITEMS, head.revision).length > 0,
      );
      const pages = await this.#load(this.view.peek(), wanted);
      if (visit !== this.#visit) return;
      batch(() => {
        this.#put(pages, head.revision);
        this.position.value = { kind: 'item', index, offsetPx };
      });
    });
  }

  /** Back to where the reader was; to the end where the row is gone. */
  async restore(line: number, offsetPx: number): Promise<void> {
    await this.#guard(async () => {
      const index = await this.#host.indexOfLine(this.view.peek(), line);
      if (index !== null) await this.goTo(index, offsetPx);
    });
  }

  goToEnd(): void {
    this.position.value = END;
    this.unseen.value = 0;
  }

  /** Line of the item at the top; null at the end, and where it is not here yet. */
  readingLine(): number | null {
    const position = this.position.peek();
    return position.kind === 'end' ? null : (this.item(position.index)?.line ?? null);
  }

  #hasNews(): boolean {
    return this.#newest !== null;
  }

  async #refresh(): Promise<void> {
    this.#isRefreshing = true;
    try {
      while (this.#newest !== null) {
        const head: ConversationHead = this.#newest;
        await this.#take(head);
        if (this.#newest === head) this.#newest = null;
      }
    } finally {
      this.#isRefreshing = false;
    }
  }

  async #take(head: ConversationHead): Promise<void> {
    const [visit, view, position, line] = [this.#visit, this.view.peek(), this.position.peek(), this.readingLine()];
    const index = line === null ? null : await this.#host.indexOfLine(view, line);
    const { from, to } = this.#shown;
    // What is not here yet is taken to be where it was.
    const isWhereItWas = position.kind === 'end' || (to < head.count && (line === null || index === position.index));
    const pages = isWhereItWas
      ? [
          ...range(from, Math.min(to, head.count - 1)),
          ...(position.kind === 'end' ? pagesAround(null, head.count) : []),
        ]
      : pagesAround(index, head.count);
    const loaded = await this.#load(view, [...new Set(pages)]);
    if (visit !== this.#visit) return;
    const before = this.head.peek();
    batch(() => {
      // The reader may have moved on meanwhile: only where items moved is the position to be corrected.
      if (isWhereItWas) {
        this.head.value = head;
        this.#put(loaded, head.revision);
      } else {
        this.#replaceItems(head, loaded);
        const now = this.position.peek();
        if (now.kind === 'item') {
          const moved = index === null ? Math.min(now.index, head.count - 1) : now.index + index - position.index;
          this.position.value = head.count === 0 ? END : { ...now, index: Math.max(0, moved) };
        }
      }
      this.isShortened.value =
        head.fileSize < before.fileSize || (this.isShortened.peek() && head.fileSize === before.fileSize);
      if (this.position.peek().kind === 'end') this.arrived.value = this.#itemsFrom(before.count, head.count);
      else this.unseen.value = Math.max(0, this.unseen.peek() + head.count - before.count);
    });
  }

  #itemsFrom(from: number, to: number): ConversationItem[] {
    const items: ConversationItem[] = [];
    for (let index = Math.max(from, to - PAGE_ITEMS); index < to; index++) {
      const item = this.item(index);
      if (item !== null) items.push(item);
    }
    return items;
  }

  #replaceItems(head: ConversationHead, pages: readonly ItemsPage[]): void {
    this.#pages.clear();
    this.layout.value++;
    this.unseen.value = 0;
    this.head.value = head;
    this.#put(pages, head.revision);
  }

  #put(pages: readonly ItemsPage[], revision: number): void {
    for (const page of pages) this.#pages.put(page, revision);
    this.version.value++;
  }

  #load(view: ConversationView, pages: readonly number[]): Promise<ItemsPage[]> {
    return Promise.all(pages.map((page) => this.#host.items(this.filePath, view, page * PAGE_ITEMS, PAGE_ITEMS)));
  }

  #ask(): void {
    for (const page of this.#wanted) {
      if (this.#open.size >= MAX_OPEN_REQUESTS) return;
      if (!this.#open.has(page)) void this.#askFor(page);
    }
  }

  async #askFor(page: number): Promise<void> {
    const [visit, layout, { revision }] = [this.#visit, this.layout.peek(), this.head.peek()];
    this.#open.add(page);
    await this.#guard(async () => {
      const [loaded] = await this.#load(this.view.peek(), [page]);
      if (visit !== this.#visit || layout !== this.layout.peek() || loaded === undefined) return;
      this.#put([loaded], revision);
    });
    this.#open.delete(page);
    if (this.failure.peek() === null) this.show(this.#shown.from, this.#shown.to);
  }

  async #guard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failure.value = error instanceof Error ? error.message : String(error);
    }
  }
}

/** Pages of an item and of those on both sides of it; of the last items when it is null. */
function pagesAround(index: number | null, count: number): number[] {
  const middle = index ?? count - 1;
  return range(Math.max(0, middle - PAGE_ITEMS / 2), Math.min(count - 1, middle + PAGE_ITEMS / 2));
}

/** Pages of the items `[from, to]`. */
function range(from: number, to: number): number[] {
  const pages: number[] = [];
  for (let page = Math.floor(from / PAGE_ITEMS); page <= Math.floor(to / PAGE_ITEMS); page++) pages.push(page);
  return pages;
}
