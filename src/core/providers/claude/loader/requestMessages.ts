import { NO_ID } from '../../../transcript/idTable';
import {
  hasFlag,
  isCommandOutput,
  isCompanion,
  isEmptyReply,
  isForSystem,
  isSilent,
  kindOf,
  RowFlag,
  RowKind,
} from '../../../transcript/rowFlags';
import { type RowTable } from '../../../transcript/rowTable';
import type { TranscriptIndex } from '../../../transcript/transcriptIndex';
import type { BitSet } from '../../../util/columns';
import type { LoaderRules } from './rules';

/** Rows, oldest first. */
export type History = Int32Array | readonly number[];

/** Whether the row is sent unless its counterpart is missing: it is a message that reports no API error. */
export function isSent(rows: RowTable, row: number): boolean {
  const flags = rows.flags(row);
  const kind = kindOf(flags);
  return (kind === RowKind.user || kind === RowKind.assistant) && !hasFlag(flags, RowFlag.apiError);
}

/** Whether the row is a part of a request: outputs of commands are, although they do not count. */
export function isOfRequest(rows: RowTable, row: number): boolean {
  return isSent(rows, row) || isCommandOutput(rows.flags(row));
}

/** Whether the row is an attachment whose text the client sends in a message of the user. */
function isSentAttachment(rows: RowTable, row: number): boolean {
  return rows.kind(row) === RowKind.attachment && !isSilent(rows.flags(row));
}

/**
 * The rows with a result that the client leaves out because of its place. The API accepts a result only directly after the message
 * with its call, so the client drops any other result and answers the call itself. (docs/format.md, "Request")
 *
 * @param ordered a history in the order of a request
 * @param placed those of its rows that are sent, but for this, and those that are left out after the messages are formed
 */
export function misplacedResults(
  { rows, keyCount }: TranscriptIndex,
  ordered: History,
  placed: BitSet,
  { sendsWrittenTexts, sendsTextsToUser }: LoaderRules,
): ReadonlySet<number> {
  const contents = new MessageContents(rows, ordered, (row) => !placed.has(row));
  const messages = new RequestMessages(rows, keyCount);
  for (const row of ordered) {
    if (sendsWrittenTexts && isSentAttachment(rows, row)) {
      if (!sendsTextsToUser || isForSystem(rows.flags(row))) messages.addForSystem();
      else messages.addOfUser(row);
      continue;
    }
    if (!isOfRequest(rows, row) || rows.has(row, RowFlag.virtual)) continue;
    if (rows.kind(row) !== RowKind.assistant) messages.addOfUser(row);
    else if (placed.has(row) && contents.keeps(row)) messages.addReply(row);
  }
  return messages.misplaced(placed);
}

/**
 * Whether the rows of a history are in the order of a request, and none of its results is left out because of its place: each message
 * is in one place, with nothing but results among its rows, and each result is behind its call, before any prompt and any other message.
 */
export function isInOrder(rows: RowTable, history: History, keyCount: number): boolean {
  /** Message of each call, plus one; `EARLY` if a result of it was before it. */
  const messageOfCall = new Int32Array(keyCount);
  let current = NO_ID;
  let newest = NO_ID;
  /** A row that is neither of the message nor a result is behind its last row; it is, or may be, a prompt. */
  let isInterrupted = false;
  let isPrompted = false;
  for (const row of history) {
    const flags = rows.flags(row);
    const kind = kindOf(flags);
    if (kind === RowKind.assistant) {
      const message = rows.message(row);
      if (message === NO_ID || hasFlag(flags, RowFlag.virtual)) return false;
      if (message === current ? isInterrupted : message <= newest) return false;
      current = message;
      newest = Math.max(newest, message);
      isInterrupted = false;
      isPrompted = false;
      for (const call of rows.toolUses(row)) {
        if (messageOfCall[call] !== 0) return false;
        messageOfCall[call] = message + 1;
      }
    } else if (kind === RowKind.user && hasFlag(flags, RowFlag.hasToolResult)) {
      for (const call of rows.toolResults(row)) {
        const message = messageOfCall[call] ?? 0;
        if (message === 0) messageOfCall[call] = EARLY;
        else if (message !== current + 1 || isPrompted) return false;
      }
    } else {
      isInterrupted = true;
      isPrompted ||= kind === RowKind.user || isBarrier(rows, row);
    }
  }
  return true;
}

const EARLY = -1;

/**
 * The messages of a request as the client forms them of rows. Rows of the user, outputs of commands and attachments that follow each
 * other become one message. A row of the assistant is added to the earlier message with its id, unless a message of the user without results is
 * between them. Texts for the system wait until a row begins another message: they become a message of the user if they are between two of
 * the assistant, else they are sent to the system.
 */
class RequestMessages {
  /** Messages are numbered from 1; `#last` is also their count. */
  #last = 0;
  #isLastOfUser = false;
  /** The newest message of the user that has no results, and the one before it. */
  #prompt = 0;
  #promptBefore = 0;
  /** The message with a `message.id`, and the one with a call; 0 if there is none. */
  readonly #ofId: Int32Array;
  readonly #ofCall: Int32Array;
  /** A text for the system waits. */
  #isSystemWaiting = false;
  readonly #results: { readonly row: number; readonly call: number; readonly message: number }[] = [];

  constructor(
    private readonly rows: RowTable,
    keyCount: number,
  ) {
    this.#ofId = new Int32Array(keyCount);
    this.#ofCall = new Int32Array(keyCount);
  }

  misplaced(kept: BitSet): ReadonlySet<number> {
    const misplaced = new Set<number>();
    for (const { row, call, message } of this.#results) {
      if (this.#ofCall[call] !== message - 1 && kept.has(row)) misplaced.add(row);
    }
    return misplaced;
  }

  addReply(row: number): void {
    const id = this.rows.message(row);
    let message = id === NO_ID ? 0 : (this.#ofId[id] ?? 0);
    if (message <= this.#prompt) {
      if (this.#isSystemWaiting && !this.#isLastOfUser) this.#beginPrompt();
      this.#isSystemWaiting = false;
      message = ++this.#last;
      this.#isLastOfUser = false;
      if (id !== NO_ID) this.#ofId[id] = message;
    }
    for (const call of this.rows.toolUses(row)) {
      const other = this.#ofCall[call] ?? 0;
      if (other === 0 || message < other) this.#ofCall[call] = message;
    }
  }

  addForSystem(): void {
    this.#isSystemWaiting = true;
  }

  addOfUser(row: number): void {
    if (!this.rows.has(row, RowFlag.hasToolResult)) {
      if (!this.#isLastOfUser) this.#beginPrompt();
      return;
    }
    if (!this.#isLastOfUser) this.#last++;
    this.#isLastOfUser = true;
    if (this.#prompt === this.#last) this.#prompt = this.#promptBefore;
    for (const call of this.rows.toolResults(row)) {
      this.#results.push({ row, call, message: this.#last });
    }
  }

  /** Of the user, without results. */
  #beginPrompt(): void {
    this.#last++;
    this.#isLastOfUser = true;
    this.#promptBefore = this.#prompt;
    this.#prompt = this.#last;
  }
}

/**
 * Brings the rows of each message together, as the client does before it decides anything else: notes and results between them go behind
 * the last of them if a note is among them, and no row of another message, prompt or compaction is. Results before a message
 * (with the notes below them) go behind it if all their calls are in it, and all of its rows are brought together; not if a prompt or a
 * compaction is on the way, or another message has a call with the id, too.
 */
export function orderResults(rows: RowTable, history: History, rules: LoaderRules): History {
  if (!rules.sendsWrittenTexts) return history;
  const { spans, ofCall, barriers } = messageSpans(rows, history);
  const early = new Map<MessageSpan, number[]>();
  const isEarly = new Set<number>();
  for (const [at, row] of rules.movesEarlyResults ? history.entries() : []) {
    if (rows.kind(row) !== RowKind.user || !rows.has(row, RowFlag.hasToolResult)) continue;
    const called = new Set(rows.toolResults(row).map((call) => ofCall.get(call) ?? null));
    const [span = null] = called;
    if (called.size !== 1 || span?.isWhole !== true || at > span.first || (barriers[span.first] ?? NO_ID) > at)
      continue;
    const moved = early.get(span) ?? [];
    early.set(span, moved);
    for (let next = at; next === at || (next < span.first && isNote(rows, history[next] ?? 0)); next++) {
      moved.push(history[next] ?? 0);
      isEarly.add(next);
    }
  }
  if (early.size === 0 && !spans.some(isGathered)) return history;
  const ordered: number[] = [];
  const place = (from: number, to: number, isPlaced: (row: number) => boolean): void => {
    for (let at = from; at <= to; at++) {
      const row = history[at] ?? 0;
      if (!isEarly.has(at) && isPlaced(row)) ordered.push(row);
    }
  };
  let next = 0;
  for (const span of spans) {
    const moved = early.get(span) ?? [];
    const gathers = isGathered(span);
    if (moved.length === 0 && !gathers) continue;
    place(next, span.first - 1, () => true);
    const isOfMessage = (row: number): boolean => rows.kind(row) === RowKind.assistant;
    place(span.first, span.last, (row) => !gathers || isOfMessage(row));
    ordered.push(...moved);
    if (gathers) place(span.first, span.last, (row) => !isOfMessage(row));
    next = span.last + 1;
  }
  place(next, history.length - 1, () => true);
  return ordered;
}

/**
 * Which rows of the assistant the client keeps: not those of messages that consist of thinking and white space. A row without any
 * content stays, because the client sends `(no content)` in its place.
 */
export class MessageContents {
  #withContent: Set<number> | null = null;

  /** `isDropped`: whether the row is left out for another reason. */
  constructor(
    private readonly rows: RowTable,
    private readonly history: History,
    private readonly isDropped: (row: number) => boolean,
  ) {}

  keeps(row: number): boolean {
    if (hasContent(this.rows, row) || isEmptyReply(this.rows.flags(row))) return true;
    const message = this.rows.message(row);
    if (message === NO_ID) return false;
    this.#withContent ??= this.#find();
    return this.#withContent.has(message);
  }

  #find(): Set<number> {
    const found = new Set<number>();
    for (const row of this.history) {
      if (this.rows.kind(row) === RowKind.assistant && hasContent(this.rows, row) && !this.isDropped(row))
        found.add(this.rows.message(row));
    }
    return found;
  }
}

function hasContent(rows: RowTable, row: number): boolean {
  const flags = rows.flags(row);
  return hasFlag(flags, RowFlag.counted | RowFlag.hasText | RowFlag.hasToolUse) && !hasFlag(flags, RowFlag.redacted);
}

/** Rows of a message in a history that only results and notes separate. */
interface MessageSpan {
  readonly first: number;
  last: number;
  /** The message has no other rows. */
  isWhole: boolean;
  hasNotes: boolean;
}

/** Whether notes and results between its rows go behind it. */
function isGathered({ isWhole, hasNotes }: MessageSpan): boolean {
  return isWhole && hasNotes;
}

interface MessageSpans {
  /** By their first rows. */
  readonly spans: readonly MessageSpan[];
  /** The message with each call; null if several have a call with that id. */
  readonly ofCall: ReadonlyMap<number, MessageSpan | null>;
  /** The place of the newest prompt or compaction at or before each place. */
  readonly barriers: Int32Array;
}

function messageSpans(rows: RowTable, history: History): MessageSpans {
  const spans: MessageSpan[] = [];
  const ofMessage = new Map<number, MessageSpan>();
  const ofCall = new Map<number, MessageSpan | null>();
  const barriers = new Int32Array(history.length);
  let [barrier, note] = [NO_ID, NO_ID];
  let previous: MessageSpan | null = null;
  for (const [at, row] of history.entries()) {
    if (isNote(rows, row)) note = at;
    else if (isBarrier(rows, row)) barrier = at;
    barriers[at] = barrier;
    if (rows.kind(row) !== RowKind.assistant) continue;
    // A virtual row belongs to no message, and one without an id is a message of its own.
    const message = rows.has(row, RowFlag.virtual) ? NO_ID : rows.message(row);
    const known = message === NO_ID ? undefined : ofMessage.get(message);
    const goesOn = known !== undefined && previous === known && barrier < known.last;
    const span: MessageSpan = goesOn ? known : { first: at, last: at, isWhole: known === undefined, hasNotes: false };
    if (goesOn) {
      span.hasNotes ||= note > span.last;
      span.last = at;
    } else {
      if (known !== undefined) known.isWhole = false;
      spans.push(span);
      if (message !== NO_ID) ofMessage.set(message, span);
    }
    previous = span;
    if (rows.has(row, RowFlag.virtual)) continue;
    for (const call of rows.toolUses(row)) {
      const other = ofCall.get(call);
      ofCall.set(call, other === undefined || other === span ? span : null);
    }
  }
  return { spans, ofCall, barriers };
}

/** Whether the row is a prompt, the output of a command, or a compaction. */
function isBarrier(rows: RowTable, row: number): boolean {
  const flags = rows.flags(row);
  if (rows.kind(row) === RowKind.user) return !hasFlag(flags, RowFlag.hasToolResult) && !isCompanion(flags);
  return hasFlag(flags, RowFlag.compactBoundary) || isCommandOutput(flags);
}

function isNote(rows: RowTable, row: number): boolean {
  return rows.kind(row) !== RowKind.assistant && !rows.has(row, RowFlag.hasToolResult) && !isBarrier(rows, row);
}
