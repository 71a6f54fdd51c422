import { NO_ID } from '../../../transcript/idTable';
import { hasFlag, isOwnReply, kindOf, RowFlag, RowKind } from '../../../transcript/rowFlags';
import { type RowTable } from '../../../transcript/rowTable';
import type { TranscriptIndex } from '../../../transcript/transcriptIndex';
import { BitSet } from '../../../util/columns';
import { plainModel, resumableModel } from '../format/contextWindow';
import { SYNTHETIC_MODEL } from '../format/rowTypes';
import { openCalls } from './openCalls';
import { type History, isInOrder, isOfRequest, isSent, misplacedResults, orderResults } from './requestMessages';
import type { LoaderRules } from './rules';

const NO_ROWS: ReadonlySet<number> = new Set();

/** What a history contributes to the request. */
export interface Request {
  /** The rows whose content reaches it. */
  readonly kept: BitSet;
  /** Calls in the history. */
  readonly called: BitSet;
  /** Calls that have results in the history. */
  readonly answered: BitSet;
  /** The rows are in the order of the history, and no result is left out because of its place. */
  readonly isOrderly: boolean;
}

/**
 * The rows whose content reaches the request of a history: API errors, virtual rows, redacted thinking of another model or
 * alone in its message, calls without a result, and results without a call or apart from it are left out. Open calls are kept: the
 * client answers them itself. So it does with calls whose result is virtual. (docs/format.md, "Request")
 */
export function requestRows(index: TranscriptIndex, history: Int32Array, rules: LoaderRules): Request {
  const { rows, keyCount } = index;
  const called = new BitSet(keyCount);
  const answered = new BitSet(keyCount);
  let allFlags = 0;
  for (const row of history) {
    if (!isSent(rows, row)) continue;
    allFlags |= rows.flags(row);
    rows.addToolUses(row, called);
    rows.addToolResults(row, answered);
  }
  const isPlain = isInOrder(rows, history, keyCount);
  const ordered = isPlain ? history : orderResults(rows, history, rules);
  const open = openCalls(rows, history, answered, rules, () => ordered);
  const kept = new BitSet(rows.count);
  const visible = hasFlag(allFlags, RowFlag.virtual) ? visibleCalls(rows, history, keyCount) : called;
  const serverAnswers = hasFlag(allFlags, RowFlag.hasServerCall) ? new ServerAnswers(rows, ordered) : null;
  const redacted: number[] = [];
  const unanswered: number[] = [];
  let tail = NO_ID;
  for (const row of history) {
    if (!isSent(rows, row)) continue;
    tail = row;
    if (isRedacted(rows, row)) {
      redacted.push(row);
      continue;
    }
    if (rows.has(row, RowFlag.virtual)) continue;
    if (serverAnswers?.hasAll(row) === false) {
      unanswered.push(row);
      continue;
    }
    if (isPaired(rows, row, visible, answered) || rows.toolUses(row).some((call) => open.has(call))) kept.add(row);
  }
  // The client leaves these out only after it has formed the messages.
  const placed = redacted.length + unanswered.length === 0 ? kept : kept.copy();
  for (const row of [...redacted, ...unanswered]) placed.add(row);
  const misplaced = isPlain ? NO_ROWS : misplacedResults(index, ordered, placed, rules);
  for (const row of misplaced) kept.delete(row);
  if (redacted.length > 0) addRedacted(rows, history, redacted, kept, rules);
  const endsOnPrompt = tail !== NO_ID && rows.kind(tail) === RowKind.user;
  if (endsOnPrompt || open.size > 0) addOwnReplies(rows, kept);
  return { kept, called, answered, isOrderly: ordered === history && misplaced.size === 0 };
}

function isRedacted(rows: RowTable, row: number): boolean {
  return rows.has(row, RowFlag.redacted) && rows.kind(row) === RowKind.assistant;
}

/**
 * Redacted thinking is sent only to the model that wrote it, and only with another row of its message. It counts as content,
 * so its rows are missing otherwise.
 */
function addRedacted(
  rows: RowTable,
  history: Int32Array,
  redacted: readonly number[],
  kept: BitSet,
  rules: LoaderRules,
): void {
  const model = modelOfResume(rows, history, rules);
  if (model === null) return;
  const sent = new Set<number>();
  for (const row of history) if (kept.has(row) && rows.has(row, RowFlag.counted)) sent.add(rows.message(row));
  sent.delete(NO_ID);
  for (const row of redacted) {
    const own = rows.model(row);
    const isItsOwn = own !== null && plainModel(own) === model;
    if (isItsOwn && sent.has(rows.message(row)) && !rows.has(row, RowFlag.virtual)) kept.add(row);
  }
}

/** The model with which a resume continues: that of the newest reply. Null if it is the client's default. */
export function modelOfResume(rows: RowTable, history: Int32Array, rules: LoaderRules): string | null {
  for (let at = history.length - 1; at >= 0; at--) {
    const row = history[at] ?? 0;
    const model = rows.kind(row) === RowKind.assistant ? rows.model(row) : null;
    if (model !== null && model !== SYNTHETIC_MODEL) return resumableModel(model, rules.retiredModels);
  }
  return null;
}

/** The calls of rows that are not virtual. A result whose call is virtual is left out with it. */
function visibleCalls(rows: RowTable, history: Int32Array, keyCount: number): BitSet {
  const visible = new BitSet(keyCount);
  for (const row of history) if (isSent(rows, row) && !rows.has(row, RowFlag.virtual)) rows.addToolUses(row, visible);
  return visible;
}

/** Which calls of the API's own tools have a result. The API writes it into the message with the call. */
class ServerAnswers {
  readonly #answered = new Set<string>();
  /** How many rows of the user without results are before each row: they end its message. */
  readonly #prompts = new Map<number, number>();

  constructor(
    private readonly rows: RowTable,
    ordered: History,
  ) {
    let prompts = 0;
    for (const row of ordered) {
      const isOfUser =
        rows.kind(row) !== RowKind.assistant && isOfRequest(rows, row) && !rows.has(row, RowFlag.virtual);
      if (isOfUser && !rows.has(row, RowFlag.hasToolResult)) prompts++;
      if (!rows.has(row, RowFlag.hasServerCall | RowFlag.hasServerResult)) continue;
      this.#prompts.set(row, prompts);
      for (const call of rows.serverResults(row)) this.#answered.add(this.#nameOf(row, call));
    }
  }

  /** Whether the row is without such calls, each of them has a result, or the row has text that is sent anyway. */
  hasAll(row: number): boolean {
    if (this.rows.has(row, RowFlag.hasText)) return true;
    return this.rows.serverCalls(row).every((call) => this.#answered.has(this.#nameOf(row, call)));
  }

  #nameOf(row: number, call: number): string {
    const message = this.rows.message(row);
    return message === NO_ID ? `row ${row}: ${call}` : `${message} behind ${this.#prompts.get(row)}: ${call}`;
  }
}

/**
 * Whether all that the row holds is sent: one of its calls has a result, and all of its results have a call. A result that the
 * assistant wrote is not sent, but answers its call.
 */
export function isPaired(rows: RowTable, row: number, called: BitSet, answered: BitSet): boolean {
  const flags = rows.flags(row);
  if (hasFlag(flags, RowFlag.hasToolResult)) {
    return kindOf(flags) === RowKind.user && rows.everyToolResult(row, called);
  }
  return !hasFlag(flags, RowFlag.hasToolUse) || rows.someToolUse(row, answered);
}

/**
 * If a history ends on a prompt or in open calls, the client adds a fixed reply. Earlier rows with the same reply then
 * also count as reaching the request, wherever they are.
 */
function addOwnReplies(rows: RowTable, kept: BitSet): void {
  for (let row = 0; row < rows.count; row++) if (isOwnReply(rows.flags(row))) kept.add(row);
}
