import { batch, signal } from '@preact/signals';
import type { PanelCalls, PanelStart } from '../../../protocol/channels/panel';
import {
  type ConversationHead,
  type ConversationItem,
  type ConversationView,
  PAGE_ITEMS,
  pagesAround,
  pagesOf,
} from '../../../protocol/conversation';
import { ItemLoader, reportFailure } from './itemLoader';

/** How far above the item that is jumped to the view begins, so that it is not read without what led to it. */
const REVEAL_OFFSET_PX = -96;

/** Where the reader is in the conversation, and what is known of it. The host owns the data. */
export class ConversationStore {
  readonly head;
  readonly view;
  readonly items: ItemLoader;
  readonly position = signal<Position>(END);
  /** Items that came while the reader was elsewhere. */
  readonly unseen = signal(0);
  /** Line of the row that was jumped to. */
  readonly marked = signal<number | null>(null);
  /** The transcript was cut or replaced while it was open. */
  readonly isReplaced = signal(false);
  /** Why nothing is read any more, in the words of the host; what is here is shown all the same. */
  readonly stopped = signal<string | null>(null);
  /** Why something could not be read, in the words of the host. */
  readonly failure = signal<string | null>(null);
  /** Why what the person asked for was not done. */
  readonly undone = signal<string | null>(null);
  /** The first screen stands. */
  readonly isShown = signal(false);
  /** Items that came at the end while the reader was there. */
  readonly arrived = signal<readonly ConversationItem[]>([]);

  readonly #host: PanelCalls;
  readonly #told = new ToldHeads((head) => this.#take(head));
  /** Counts up with each view: answers for another are dropped. */
  #visit = 0;

  constructor(host: PanelCalls, { head, pages, navigation, stopped }: PanelStart) {
    this.#host = host;
    this.head = signal(head);
    this.view = signal<ConversationView>(navigation.view);
    this.stopped.value = stopped;
    this.items = new ItemLoader({ host, filePath: head.filePath, view: this.view, failure: this.failure });
    this.items.keep(pages);
  }

  get filePath(): string {
    return this.head.peek().filePath;
  }

  /** Asks again for what could not be had. */
  retry(): void {
    this.failure.value = null;
    void this.#guard(() => this.#told.takeAll());
    this.items.show(this.items.shown.from, this.items.shown.to);
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
    this.#told.tell(head);
    void this.#guard(() => this.#told.takeAll());
  }

  /** Another view of the same transcript, at the row that is read now where it has it. */
  async switchView(view: ConversationView, line = this.readingLine()): Promise<void> {
    const visit = ++this.#visit;
    this.#told.hold();
    let shown: ConversationHead | null = null;
    await this.#guard(async () => {
      const [head, index] = await Promise.all([
        this.#host.head(view),
        line === null ? null : this.#host.indexOfLine(view, line),
      ]);
      const at = index === null ? null : Math.min(index, head.count - 1);
      const pages = await this.items.load(view, pagesAround(at, head.count));
      if (visit !== this.#visit) return;
      shown = head;
      batch(() => {
        this.view.value = view;
        this.head.value = head;
        this.unseen.value = 0;
        this.items.takeEdition(pages, true);
        this.position.value = at === null ? END : { kind: 'item', index: at, offsetPx: REVEAL_OFFSET_PX };
      });
    });
    if (visit !== this.#visit) return;
    this.#told.release(shown);
    await this.#guard(() => this.#told.takeAll());
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

  /** Jumps to an item, once it and its neighbours are here. A break right before a row is seen with it. */
  async goTo(index: number, offsetPx = REVEAL_OFFSET_PX): Promise<void> {
    await this.#guard(async () => {
      const visit = this.#visit;
      const wanted = pagesAround(index, this.head.peek().count).filter((page) => this.items.isMissing(page));
      const pages = await this.items.load(this.view.peek(), wanted);
      if (visit !== this.#visit) return;
      batch(() => {
        this.items.keep(pages);
        const before = this.items.item(index - 1);
        const isBroken = before?.kind === 'break' && before.line === this.items.item(index)?.line;
        this.position.value = { kind: 'item', index: isBroken && offsetPx < 0 ? index - 1 : index, offsetPx };
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
    return position.kind === 'end' ? null : (this.items.item(position.index)?.line ?? null);
  }

  async #take(told: ConversationHead): Promise<void> {
    const [visit, view, position, line] = [this.#visit, this.view.peek(), this.position.peek(), this.readingLine()];
    const head = isSameView(told.view, view) ? told : await this.#host.head(view);
    const index = line === null ? null : await this.#host.indexOfLine(view, line);
    const { from, to } = this.items.shown;
    // What is not here yet is taken to be where it was.
    const isWhereItWas = position.kind === 'end' || (to < head.count && (line === null || index === position.index));
    const pages = isWhereItWas
      ? [
          ...pagesOf(from, Math.min(to, head.count - 1)),
          ...(position.kind === 'end' ? pagesAround(null, head.count) : []),
        ]
      : pagesAround(index, head.count);
    const loaded = await this.items.load(view, [...new Set(pages)]);
    if (visit !== this.#visit) return;
    const before = this.head.peek();
    const isOther = head.replacements > before.replacements;
    batch(() => {
      this.head.value = head;
      this.items.takeEdition(loaded, !isWhereItWas || isOther);
      // The reader may have moved on meanwhile: only where items moved is the position to be corrected.
      const now = this.position.peek();
      if (!isWhereItWas) this.unseen.value = 0;
      if (!isWhereItWas && now.kind === 'item') {
        const moved = index === null ? Math.min(now.index, head.count - 1) : now.index + index - position.index;
        this.position.value = head.count === 0 ? END : { ...now, index: Math.max(0, moved) };
      }
      if (isOther) {
        this.isReplaced.value = true;
        this.unseen.value = 0;
      } else if (this.position.peek().kind === 'end') this.arrived.value = this.#itemsFrom(before.count, head.count);
      else this.unseen.value = Math.max(0, this.unseen.peek() + head.count - before.count);
    });
  }

  #itemsFrom(from: number, to: number): ConversationItem[] {
    const items: ConversationItem[] = [];
    for (let index = Math.max(from, to - PAGE_ITEMS); index < to; index++) {
      const item = this.items.item(index);
      if (item !== null) items.push(item);
    }
    return items;
  }

  #guard(work: () => Promise<void>): Promise<void> {
    return reportFailure(this.failure, work);
  }
}

function isSameView(one: ConversationView, other: ConversationView): boolean {
  const [line, otherLine] = [one, other].map((view) => (view.kind === 'branch' ? view.leafLine : 0));
  return one.kind === other.kind && line === otherLine;
}

/** Heads that the host tells, taken one after the other: of those that come meanwhile, the newest. */
class ToldHeads {
  readonly #take: (head: ConversationHead) => Promise<void>;
  #newest: ConversationHead | null = null;
  #isTaking = false;
  #isHeld = false;

  /** @param take  what it could not take is taken again with the next call of `takeAll` */
  constructor(take: (head: ConversationHead) => Promise<void>) {
    this.#take = take;
  }

  tell(head: ConversationHead): void {
    this.#newest = head;
  }

  /** Takes none until they are released: another view is on its way. */
  hold(): void {
    this.#isHeld = true;
  }

  /** @param known  what was told before it, and was on its way longer, is dropped; null when there is none */
  release(known: ConversationHead | null): void {
    this.#isHeld = false;
    if (known !== null && this.#newest !== null && this.#newest.revision < known.revision) this.#newest = null;
  }

  /** Rejects with what went wrong over one. */
  async takeAll(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    try {
      for (let head = this.#next(); head !== null; head = this.#next()) {
        await this.#take(head);
        if (this.#newest === head) this.#newest = null;
      }
    } finally {
      this.#isTaking = false;
    }
  }

  #next(): ConversationHead | null {
    return this.#isHeld ? null : this.#newest;
  }
}

/** Where the reader is in the list. Pixels are counted from an item, because what is above it may still grow. */
export type Position =
  /** At the end, where new items come. */
  | { readonly kind: 'end' }
  /** So many pixels of the item are above the top edge; negative: the item begins below it. */
  | { readonly kind: 'item'; readonly index: number; readonly offsetPx: number };

const END: Position = { kind: 'end' };
