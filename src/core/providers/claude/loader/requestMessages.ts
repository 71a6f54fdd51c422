import { NO_ID } from '../../../transcript/idTable';
import { isEmptyReply, RowFlag, RowKind } from '../../../transcript/rowFlags';
import { type RowTable } from '../../../transcript/rowTable';
import type { BitSet } from '../../../util/columns';

/**
 * The rows with a result that the client leaves out because of its place. The API accepts a result only directly after the message
 * with its call, so the client drops any other result and answers the call itself. (docs/format.md, "Request")
 *
 * @param sent the rows of a history that may be sent, oldest first
 * @param kept those of them that are, but for this
 */
export function misplacedResults(
  rows: RowTable,
  sent: readonly number[],
  kept: BitSet,
  keyCount: number,
): ReadonlySet<number> {
  const messages = new RequestMessages(rows, keyCount);
  messages.addAll(sent, kept);
  return messages.misplaced(kept);
}

/**
 * The messages of a request as the client forms them of rows. Rows of the user that follow each other become one message. A row of
 * the assistant is added to the earlier message with its id, unless a message of the user without results is between them.
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
  readonly #results: { readonly row: number; readonly call: number; readonly message: number }[] = [];

  constructor(
    private readonly rows: RowTable,
    keyCount: number,
  ) {
    this.#ofId = new Int32Array(keyCount);
    this.#ofCall = new Int32Array(keyCount);
  }

  addAll(sent: readonly number[], kept: BitSet): void {
    for (const row of sent) {
      if (this.rows.kind(row) === RowKind.user) this.#addOfUser(row);
      else if (kept.has(row)) this.#addReply(row);
    }
  }

  misplaced(kept: BitSet): ReadonlySet<number> {
    const misplaced = new Set<number>();
    for (const { row, call, message } of this.#results) {
      if (this.#ofCall[call] !== message - 1 && kept.has(row)) misplaced.add(row);
    }
    return misplaced;
  }

  #addReply(row: number): void {
    if (!separates(this.rows, row)) return;
    const id = this.rows.message(row);
    let message = id === NO_ID ? 0 : (this.#ofId[id] ?? 0);
    if (message <= this.#prompt) {
      message = ++this.#last;
      this.#isLastOfUser = false;
      if (id !== NO_ID) this.#ofId[id] = message;
    }
    for (const call of this.rows.toolUses(row)) {
      const other = this.#ofCall[call] ?? 0;
      if (other === 0 || message < other) this.#ofCall[call] = message;
    }
  }

  #addOfUser(row: number): void {
    const isNew = !this.#isLastOfUser;
    if (isNew) this.#last++;
    this.#isLastOfUser = true;
    if (!this.rows.has(row, RowFlag.hasToolResult)) {
      if (!isNew) return;
      this.#promptBefore = this.#prompt;
      this.#prompt = this.#last;
      return;
    }
    if (this.#prompt === this.#last) this.#prompt = this.#promptBefore;
    for (const call of this.rows.toolResults(row)) {
      this.#results.push({ row, call, message: this.#last });
    }
  }
}

/**
 * Moves results before their call behind the last row of its message, unless a prompt is on the way, rows of other messages are
 * among those of that message, or another message has a call with the same id.
 */
export function moveEarlyResults(rows: RowTable, sent: readonly number[]): number[] {
  const spans = spansOfMessages(rows, sent);
  const callAt = new Map<number, number>();
  /** The place of the newest prompt at or before each place. */
  const promptAt = new Int32Array(sent.length);
  let prompt = NO_ID;
  for (const [at, row] of sent.entries()) {
    if (rows.kind(row) === RowKind.user && !rows.has(row, RowFlag.hasToolResult)) prompt = at;
    promptAt[at] = prompt;
    for (const call of rows.toolUses(row)) {
      const before = callAt.get(call);
      const isShared = before !== undefined && (before < 0 || rows.message(sent[before] ?? 0) !== rows.message(row));
      callAt.set(call, isShared ? NO_ID : at);
    }
  }
  /** Where a result at the place `from` goes if its call is at the place `at`; `NO_ID` if it stays. */
  const placeFor = (from: number, at: number): number => {
    if (at < from) return NO_ID;
    const { first, last, isTogether } = spans.get(rows.message(sent[at] ?? 0)) ?? {
      first: at,
      last: at,
      isTogether: true,
    };
    return first < from || !isTogether || (promptAt[last] ?? 0) > from ? NO_ID : last;
  };
  const moved = new Map<number, number[]>();
  const called = new Set<number>();
  const stays = sent.map((row, at) => {
    for (const call of rows.toolUses(row)) called.add(call);
    const results = rows.kind(row) === RowKind.user ? rows.toolResults(row) : [];
    const places = new Set(results.map((call) => (called.has(call) ? NO_ID : placeFor(at, callAt.get(call) ?? NO_ID))));
    const [place = NO_ID] = places;
    if (places.size !== 1 || place === NO_ID) return true;
    const there = moved.get(place);
    if (there === undefined) moved.set(place, [row]);
    else there.push(row);
    return false;
  });
  return sent.flatMap((row, at) => [...(stays[at] === true ? [row] : []), ...(moved.get(at) ?? [])]);
}

/**
 * Whether a row of the assistant separates a call from its result. Thinking and white space do not; a row without any content does,
 * because the client sends `(no content)` in its place.
 */
function separates(rows: RowTable, row: number): boolean {
  return rows.has(row, RowFlag.counted | RowFlag.hasText | RowFlag.hasToolUse) || isEmptyReply(rows.flags(row));
}

/** The places of the first and the last row of a message, and whether no row of another message is between them. */
interface MessageSpan {
  readonly first: number;
  readonly last: number;
  readonly isTogether: boolean;
}

function spansOfMessages(rows: RowTable, sent: readonly number[]): Map<number, MessageSpan> {
  const spans = new Map<number, MessageSpan>();
  let previous = NO_ID;
  for (const [at, row] of sent.entries()) {
    if (rows.kind(row) !== RowKind.assistant || !separates(rows, row)) continue;
    const message = rows.message(row);
    if (message !== NO_ID) {
      const before = spans.get(message);
      const isTogether = before === undefined || (before.isTogether && previous === message);
      spans.set(message, { first: before?.first ?? at, last: at, isTogether });
    }
    previous = message;
  }
  return spans;
}
