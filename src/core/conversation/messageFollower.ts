import type { ConversationView } from '../../protocol/conversation';
import type { SessionMessage } from '../../protocol/message';
import { NO_ID } from '../transcript/idTable';
import type { OpenTranscript } from '../transcript/liveTranscript';
import type { TranscriptIndex } from '../transcript/transcriptIndex';
import type { TranscriptRows } from '../transcript/transcriptRows';
import { BitSet } from '../util/columns';
import type { ConversationOrder } from './order/conversationOrder';
import { ItemKind } from './order/itemBuilder';
import { SessionParts, type SessionPartsDeps } from './sessionParts';
import { losesHistoryAt, sourceOf, toMessage } from './sessionReader';
import type { TranscriptState } from './transcriptState';

export interface MessageFollowerDeps extends SessionPartsDeps {
  /** Closed with this object. Somebody else refreshes it. */
  readonly open: OpenTranscript;
  /**
   * The index of the first message, by the number of messages at the start. If that is not smaller than their number, the
   * first message is one that comes later.
   */
  readonly start: (count: number) => number;
}

/** How far the messages of one order have been returned. */
interface Progress {
  readonly order: ConversationOrder;
  /** Earlier items are done, unless rows from `row` on belong to them. */
  readonly item: number;
  readonly row: number;
}

/** What an item shows. Not changed by rows that are appended later. */
interface Place {
  readonly kind: number | undefined;
  /** A row, or the line of anything else. */
  readonly value: number;
  /** The row, and those with the results of its calls. */
  readonly rows: readonly number[];
}

interface Page {
  readonly messages: readonly SessionMessage[];
  readonly places: readonly Place[];
  /** Null if there are not enough messages to begin. */
  readonly progress: Progress | null;
  readonly isComplete: boolean;
  readonly revision: number;
}

/** Number of messages that are read at a time. */
const PAGE = 64;

/** What Claude continues, with what came before, as `SessionReader` reads it. */
const CHAIN: ConversationView = { kind: 'chain' };

/**
 * The messages of a session that is being written, each when it gets rows: first when it is written, and again, whole, for
 * instance when a call gets its result. Its line and uuid stay the same; its index may change when the conversation goes on
 * from an earlier message. Whatever else changes of a message (whether it is loaded, and which branches it has) is not news.
 *
 * Memory: that of the transcript's facts, three bits per row, and `PAGE` messages.
 */
export class MessageFollower {
  readonly #parts: SessionParts;
  readonly #open: OpenTranscript;
  readonly #start: (count: number) => number;
  #returned: Returned | null = null;
  readonly #beginnings = new WeakSet<SessionMessage>();
  #progress: Progress | null = null;
  #replacements = 0;
  #restarts = 0;
  /** All news of this revision were returned. */
  #revision: number | null = null;

  constructor(deps: MessageFollowerDeps) {
    this.#parts = new SessionParts(deps);
    this.#open = deps.open;
    this.#start = deps.start;
  }

  /** As in `SessionParts`. */
  get problem(): string | null {
    return this.#parts.problem;
  }

  /** How often the file was truncated or replaced by another one, after which the messages begin anew. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Number of messages when they were last read. */
  get count(): number {
    return this.#progress?.order.count ?? 0;
  }

  /** The transcript was read since the last call of `next` that returned nothing, or has become unreadable or readable. */
  get hasNews(): boolean {
    return this.#revision !== this.#open.transcript.revision;
  }

  /** Whether a message that was returned is a break above which nothing is lost. */
  isBeginning(message: SessionMessage): boolean {
    return this.#beginnings.has(message);
  }

  close(): void {
    this.#parts.close();
  }

  /** The next messages; empty if there are none, and if the transcript cannot be read. Calls must not overlap. */
  async next(): Promise<readonly SessionMessage[]> {
    this.#parts.subagents.refresh();
    for (;;) {
      const page = await this.#parts.answers.ask((state, rows, pause) => this.#read(state, rows, pause));
      if (page === null) {
        // A file that only changes too fast is asked again.
        if (this.problem !== null) this.#revision = this.#open.transcript.revision;
        return [];
      }
      this.#progress = page.progress;
      for (const place of page.places) this.#returned?.add(place);
      if (page.isComplete) this.#revision = page.revision;
      if (page.messages.length > 0 || page.isComplete) return page.messages;
    }
  }

  async #read(state: TranscriptState, rows: TranscriptRows, pause: () => Promise<boolean>): Promise<Page | null> {
    const order = state.order(CHAIN);
    const { revision, index } = state;
    const before = this.#continue(order, index);
    if (before === null) return { messages: [], places: [], progress: null, isComplete: true, revision };
    const { items, progress } = this.#advance(before, rows.table.count);
    const places = items.map((item) => placeOf(order, item));
    const reader = this.#parts.itemReader(state, order, rows);
    const source = sourceOf(rows);
    const messages: SessionMessage[] = [];
    for (const item of items) {
      const message = toMessage(reader.item(item), item, source);
      if (message.kind === 'break' && !losesHistoryAt(reader, item)) this.#beginnings.add(message);
      messages.push(message);
      if (!(await pause())) return null;
    }
    const isComplete = progress.row >= rows.table.count && progress.item >= order.count;
    return { messages, places, progress, isComplete, revision };
  }

  /** Where to go on in the order; null if it has too few messages to begin. */
  #continue(order: ConversationOrder, index: TranscriptIndex): Progress | null {
    const { replacements } = this.#open.transcript;
    if (replacements !== this.#replacements) {
      this.#replacements = replacements;
      if (this.#returned !== null) this.#restarts++;
      this.#returned = null;
    }
    if (this.#returned === null) return this.#begin(order, index);
    this.#returned.extend(index);
    // An order that rows were appended to keeps its items. Of any other one, each item may be new.
    return this.#progress?.order === order ? this.#progress : { order, item: 0, row: 0 };
  }

  #begin(order: ConversationOrder, index: TranscriptIndex): Progress | null {
    const first = Math.max(0, this.#start(order.count));
    if (first > order.count) return null;
    this.#returned = new Returned();
    this.#returned.extend(index);
    for (let item = 0; item < first; item++) this.#returned.add(placeOf(order, item));
    return { order, item: first, row: index.rows.count };
  }

  /** The next items that have news, at most `PAGE`: earlier ones with other rows come before later ones. */
  #advance(
    { order, item, row }: Progress,
    rowCount: number,
  ): { readonly items: readonly number[]; readonly progress: Progress } {
    const items = new Set<number>();
    for (; row < rowCount && items.size < PAGE; row++) {
      const its = order.itemOfRow[row] ?? NO_ID;
      if (its !== NO_ID && its < item && this.#returned?.has(placeOf(order, its)) === false) items.add(its);
    }
    if (row >= rowCount) {
      for (; item < order.count && items.size < PAGE; item++) {
        if (this.#returned?.has(placeOf(order, item)) === false) items.add(item);
      }
    }
    return { items: [...items].sort((a, b) => a - b), progress: { order, item, row } };
  }
}

/** What was returned, or is before the first message. It needs no index, which may be invalid by then. */
class Returned {
  readonly #rows = new BitSet(0);
  /** Lines of the breaks. */
  readonly #breaks = new BitSet(0);
  /** Lines without a row in the table. */
  readonly #lines = new BitSet(0);

  extend({ rows, lineCount }: TranscriptIndex): void {
    this.#rows.extend(rows.count);
    // Lines count from 1, and the last one may still be written.
    for (const lines of [this.#breaks, this.#lines]) lines.extend(lineCount + 2);
  }

  /** Whether the item was returned with all of its rows. */
  has({ kind, value, rows }: Place): boolean {
    switch (kind) {
      case ItemKind.row:
        return rows.every((row) => this.#rows.has(row));
      case ItemKind.break:
      case ItemKind.healedBreak:
        return this.#breaks.has(value);
      default:
        return this.#lines.has(value);
    }
  }

  add({ kind, value, rows }: Place): void {
    switch (kind) {
      case ItemKind.row:
        for (const row of rows) this.#rows.add(row);
        break;
      case ItemKind.break:
      case ItemKind.healedBreak:
        this.#breaks.add(value);
        break;
      default:
        this.#lines.add(value);
    }
  }
}

function placeOf({ kinds, values, pairs }: ConversationOrder, item: number): Place {
  const [kind, value] = [kinds[item], values[item] ?? 0];
  return { kind, value, rows: kind === ItemKind.row ? [value, ...pairs.resultsOf(value)] : [] };
}
