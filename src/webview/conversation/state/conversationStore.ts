import { batch, signal } from '@preact/signals';
import type { PanelCalls, PanelStart } from '../../../protocol/channels/panel';
import {
  type ConversationHead,
  type PanelItem,
  type ConversationView,
  PAGE_ITEMS,
  pagesAround,
  pagesOf,
} from '../../../protocol/conversation';
import { ItemLoader, reportFailure } from './itemLoader';

/** Offset of the view's top from the target item of a jump: shows some of the preceding content. */
const REVEAL_OFFSET_PX = -96;

/** The reader's position in the conversation, and the loaded data. The extension owns the data. */
export class ConversationStore {
  readonly head;
  readonly view;
  readonly items: ItemLoader;
  readonly position = signal<Position>(END);
  /** The last item is visible to its end, wherever the reader went. */
  readonly seesEnd = signal(true);
  /** Number of items added while the reader was elsewhere. */
  readonly unseen = signal(0);
  /** Line of the row that was the target of a jump. */
  readonly marked = signal<number | null>(null);
  /** The transcript was cut or replaced while it was open, and not by a repair. */
  readonly isReplaced = signal(false);
  /** Why reading has stopped, as the extension says it; loaded content remains visible. */
  readonly stopped = signal<string | null>(null);
  /** When the session was found again after a restart of the window, in milliseconds since the epoch; null if it was not. */
  readonly reconnectedMs = signal<number | null>(null);
  /** Why something could not be read, as the extension says it. */
  readonly failure = signal<string | null>(null);
  /** Why an action that the person requested was not done. */
  readonly undone = signal<string | null>(null);
  /** The first screen is complete. */
  readonly isShown = signal(false);
  /** Items added at the end while the reader was there. */
  readonly arrived = signal<readonly PanelItem[]>([]);

  readonly #host: PanelCalls;
  readonly #pendingHeads = new PendingHeads((head) => this.#take(head));
  /** A repair, or its undo, replaces the transcript before this time, in milliseconds since the page was loaded. */
  #repairedBefore = 0;
  /** Increases with each change of view: answers for earlier views are dropped. */
  #visit = 0;

  constructor(host: PanelCalls, { head, pages, navigation, stopped, reconnectedMs }: PanelStart) {
    this.#host = host;
    this.head = signal(head);
    this.view = signal<ConversationView>(navigation.view);
    this.stopped.value = stopped;
    this.reconnectedMs.value = reconnectedMs;
    this.items = new ItemLoader({ host, filePath: head.path, view: this.view, failure: this.failure });
    this.items.keep(pages);
  }

  get filePath(): string {
    return this.head.peek().path;
  }

  /** Requests again what could not be read. */
  retry(): void {
    this.failure.value = null;
    void this.#guard(() => this.#pendingHeads.takeAll());
    this.items.show(this.items.shown.from, this.items.shown.to);
  }

  /** Asks the extension to restart the reading of transcripts. */
  async tryAgain(): Promise<void> {
    await this.#guard(() => this.#host.tryAgain());
  }

  /** Handles a change of the file. Content on screen stays until its replacement is loaded. */
  changed(head: ConversationHead): void {
    // Reading has resumed: requests that failed because it had stopped are repeated.
    if (this.stopped.peek() !== null) {
      this.stopped.value = null;
      this.failure.value = null;
    }
    this.#pendingHeads.add(head);
    void this.#guard(() => this.#pendingHeads.takeAll());
  }

  /** Switches to another view of the same transcript, at the current row if the other view has it. */
  async switchView(view: ConversationView, line = this.readingLine()): Promise<void> {
    const visit = ++this.#visit;
    this.#pendingHeads.hold();
    let shown: ConversationHead | null = null;
    await this.#guard(async () => {
      const [head, index] = await Promise.all([
        this.#host.head(view),
        line === null ? null : this.#host.indexOfLine(view, line),
      ]);
      const at = index === null ? null : Math.min(index, head.count - 1);
      const pages = await this.items.load(view, pagesAround(at, head.count));
      if (visit !== this.#visit) return;
      if (isGone(head) && this.head.peek().count > 0) {
        this.undone.value = head.problem;
        return;
      }
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
    this.#pendingHeads.release(shown);
    await this.#guard(() => this.#pendingHeads.takeAll());
  }

  /** Shows the row at `line` and marks it. If this view does not have it, switches to the view of the whole file. */
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

  /** Jumps to an item, once it and its neighbours are loaded. A break directly before the row is shown as well. */
  async goTo(index: number, offsetPx = REVEAL_OFFSET_PX): Promise<void> {
    await this.#guard(async () => {
      const visit = this.#visit;
      const wanted = pagesAround(index, this.head.peek().count).filter((page) => this.items.isMissing(page));
      const pages = await this.items.load(this.view.peek(), wanted);
      if (visit !== this.#visit) return;
      batch(() => {
        this.items.keep(pages);
        const before = this.items.item(index - 1);
        const isBroken = isBreak(before) && before?.line === this.items.item(index)?.line;
        this.position.value = { kind: 'item', index: isBroken && offsetPx < 0 ? index - 1 : index, offsetPx };
      });
    });
  }

  /** Returns to an earlier position; stays at the end if the row no longer exists. */
  async restore(line: number, offsetPx: number): Promise<void> {
    await this.#guard(async () => {
      const index = await this.#host.indexOfLine(this.view.peek(), line);
      if (index !== null) await this.goTo(index, offsetPx);
    });
  }

  /** Shows where the history is broken; stays at the end if it is not, or if this view does not have the place. */
  async goToBreak(): Promise<void> {
    const lines = this.head.peek().findings.find(({ severity }) => severity === 'error')?.lines ?? [];
    // Of several breaks, what Claude remembers begins at the last one. The last line may be no break of this branch.
    await this.#guard(async () => {
      for (const line of new Set([lines.at(-1), lines[0]])) {
        const index = line === undefined ? null : await this.#host.indexOfLine(this.view.peek(), line);
        if (index === null) continue;
        await this.goTo(index);
        if (this.isAtBreak) return;
      }
    });
  }

  /** Whether a break of the history, or a damaged line that costs some of it, is at the reader's position. */
  get isAtBreak(): boolean {
    const at = this.position.peek();
    return at.kind === 'item' && [at.index, at.index + 1].some((index) => isBreak(this.items.item(index)));
  }

  /**
   * A repair, or its undo, is replacing the transcript, or has just done so: it says so itself.
   *
   * @param withinMs how long it may take until the change is seen; 0 if nothing was changed
   */
  expectRepair(withinMs: number): void {
    this.#repairedBefore = performance.now() + withinMs;
    if (withinMs > 0) this.isReplaced.value = false;
  }

  goToEnd(): void {
    this.position.value = END;
    this.unseen.value = 0;
  }

  /** Line of the item at the top; null at the end, and if it is not loaded yet. */
  readingLine(): number | null {
    const position = this.position.peek();
    return position.kind === 'end' ? null : (this.items.item(position.index)?.line ?? null);
  }

  async #take(newest: ConversationHead): Promise<void> {
    const [visit, view, position, line] = [this.#visit, this.view.peek(), this.position.peek(), this.readingLine()];
    const head = isSameView(newest.view, view) ? newest : await this.#host.head(view);
    if (visit !== this.#visit) return;
    const { count, branches, moreBranches } = this.head.peek();
    if (isGone(head) && count > 0) {
      // What was read may be the only copy that the person has left.
      this.head.value = { ...head, count, branches, moreBranches };
      return;
    }
    const index = line === null ? null : await this.#host.indexOfLine(view, line);
    const { from, to } = this.items.shown;
    // An item that is not loaded yet is assumed not to have moved.
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
      // The reader may have moved on in the meantime: the position is corrected only if items moved.
      const now = this.position.peek();
      if (!isWhereItWas) this.unseen.value = 0;
      if (!isWhereItWas && now.kind === 'item') {
        const moved = index === null ? Math.min(now.index, head.count - 1) : now.index + index - position.index;
        this.position.value = head.count === 0 ? END : { ...now, index: Math.max(0, moved) };
      }
      if (isOther) {
        if (performance.now() > this.#repairedBefore) this.isReplaced.value = true;
        this.unseen.value = 0;
      } else if (this.position.peek().kind === 'end') this.arrived.value = this.#itemsFrom(before.count, head.count);
      else this.unseen.value = Math.max(0, this.unseen.peek() + addedItems(before, head));
    });
  }

  #itemsFrom(from: number, to: number): PanelItem[] {
    const items: PanelItem[] = [];
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

/** A repair and its undo change the number of items as well, by messages that are reachable again and by breaks. */
function addedItems(before: ConversationHead, head: ConversationHead): number {
  const items = head.count - before.count;
  return items <= 0 ? items : Math.min(items, Math.max(0, (head.lineCount ?? 0) - (before.lineCount ?? 0)));
}

/** Whether nothing of the transcript can be read any more. */
function isGone({ problem, count }: ConversationHead): boolean {
  return problem !== null && count === 0;
}

function isSameView(one: ConversationView, other: ConversationView): boolean {
  const [line, otherLine] = [one, other].map((view) => (view.kind === 'branch' ? view.leafLine : 0));
  return one.kind === other.kind && line === otherLine;
}

/** Heads sent by the extension, processed one by one. Of those that arrive during processing, only the newest is kept. */
class PendingHeads {
  readonly #take: (head: ConversationHead) => Promise<void>;
  #newest: ConversationHead | null = null;
  #isTaking = false;
  #isHeld = false;

  /** @param take  processes a head; after a failure, the next call of `takeAll` tries again */
  constructor(take: (head: ConversationHead) => Promise<void>) {
    this.#take = take;
  }

  add(head: ConversationHead): void {
    this.#newest = head;
  }

  /** Stops processing until `release`, while another view is loading. */
  hold(): void {
    this.#isHeld = true;
  }

  /** @param known  heads older than this one, which arrived late, are dropped; null if there is none */
  release(known: ConversationHead | null): void {
    this.#isHeld = false;
    if (known !== null && this.#newest !== null && this.#newest.revision < known.revision) this.#newest = null;
  }

  /** Rejects if a head cannot be processed. */
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

/** The reader's position in the list. Pixels are relative to an item, because the content above it may still grow. */
export type Position =
  /** At the end, where items are added. */
  | { readonly kind: 'end' }
  /** `offsetPx` pixels of the item are above the top edge; if negative, the item begins below the edge. */
  | { readonly kind: 'item'; readonly index: number; readonly offsetPx: number };

const END: Position = { kind: 'end' };

function isBreak(item: PanelItem | null): boolean {
  if (item?.kind === 'fault') return item.findings.some(({ severity }) => severity === 'error');
  return item?.kind === 'break';
}
