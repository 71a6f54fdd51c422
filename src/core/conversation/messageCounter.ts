import type { MemoryCounts } from '../../protocol/conversation';
import type { PlannedMemory } from '../../protocol/repair';
import { duplicateUuid } from '../diagnose/checks/duplicateUuid';
import { NO_ID } from '../transcript/idTable';
import { hasFlag, isCountedOnMain, isPromptByFlags, kindOf, RowFlag, RowKind } from '../transcript/rowFlags';
import type { TranscriptRows } from '../transcript/transcriptRows';
import type { JsonObject } from '../util/json';
import { describeRow } from './items/describeRow';
import { bareContext } from './items/rowContext';
import type { TranscriptState } from './transcriptState';

/** The prompts and replies of a session. A message is remembered if all of its rows are loaded. */
export interface MessageCounts {
  readonly messages: number;
  readonly remembered: number;
  /** Prompts. */
  readonly turns: number;
}

/** Maximum number of rows of which it is known whether they are prompts. */
const MAX_KNOWN = 100_000;
/** Maximum number of rows read for one count, so that opening a conversation does not wait for all of its prompts. */
const MAX_READ = 400;

/** The messages of a session, and what Claude remembers of them now. */
export function countNow(
  state: TranscriptState,
  counter: MessageCounter,
  rows: TranscriptRows,
  limit?: number,
): MessageCounts {
  const { missingLines } = state.session.result.resume;
  const { origin } = state;
  const isKept = (row: number): boolean => state.isKept(row);
  return counter.count(rows, missingLines, {
    origin,
    isKept,
    ...copiesOf(state),
    ...(limit !== undefined && { limit }),
  });
}

/** What Claude would remember after a repair. @param rows  the transcript before it */
export function countAfter(
  { missingLines, lost, found, hasSummary }: PlannedMemory,
  state: TranscriptState,
  counter: MessageCounter,
  rows: TranscriptRows,
): MemoryCounts {
  const lostOffsets = new Set(lost);
  const isKept = (row: number): boolean => !lostOffsets.has(rows.table.offset(row));
  const options = { found: new Set(found), isKept, ...copiesOf(state), limit: Infinity };
  const { remembered, messages } = counter.count(rows, missingLines, options);
  return { remembered, messages, hasSummary };
}

/** Nothing for a transcript without copies, as almost all are. */
function copiesOf(state: TranscriptState): Pick<CountOptions, 'isCopied'> {
  if (!state.session.result.findings.some(({ code }) => code === duplicateUuid.code)) return {};
  const { index, view } = state.loaded;
  const { rows } = index;
  return {
    isCopied: (row) => {
      const other = view.rowOf(rows.uuid(row));
      return other !== NO_ID && other !== row && rows.hash(other) === rows.hash(row) && state.isKept(other);
    },
  };
}

/** What else a count needs. */
interface CountOptions {
  /** Of the verdict that the missing lines are from. */
  readonly origin?: object | null;
  /** Offsets of rows that a repair makes count. */
  readonly found?: ReadonlySet<number>;
  /** Whether a row is loaded that no missing line tells of: it shares its line, or spans several. By default, it is. */
  readonly isKept?: (row: number) => boolean;
  /** Whether a row is in the transcript once more, where it is loaded. By default, none is. */
  readonly isCopied?: (row: number) => boolean;
  /** Maximum number of rows read. */
  readonly limit?: number;
}

const NONE_FOUND: ReadonlySet<number> = new Set();

/** A prompt according to its flags. Some marks of the client have the same flags, so its row remains to be read. */
interface Guess {
  readonly row: number;
  readonly isMissing: boolean;
}

/** The sums of the rows counted so far. */
interface Sums {
  /** Verdicts with this origin say the same about the rows counted, except for calls that are left without a result. */
  readonly origin: object | null;
  rows: number;
  /** Number of their lines that are not loaded. */
  missing: number;
  turns: number;
  replyRows: number;
  forgottenRows: number;
  readonly replies: Set<number>;
  readonly forgotten: Set<number>;
  readonly guesses: Guess[];
}

/** Counts messages. Rows that continue the history are added to the previous count. */
export class MessageCounter {
  /** Whether the row at an offset is a prompt. */
  readonly #prompts = new Map<number, boolean>();
  #sums = emptySums(null);

  /** Whether the last count is final. If not, the next one reads more rows. */
  get isExact(): boolean {
    return this.#sums.guesses.length === 0;
  }

  /**
   * The rows of one reply count once, and the results of its calls belong to it.
   * @param missingLines  lines whose row is not loaded, ascending
   */
  count(
    rows: TranscriptRows,
    missingLines: readonly number[],
    {
      origin = null,
      found = NONE_FOUND,
      isKept = () => true,
      isCopied = () => false,
      limit = MAX_READ,
    }: CountOptions = {},
  ): MessageCounts {
    const { table } = rows;
    if (origin === null || origin !== this.#sums.origin || this.#hasLost(rows, missingLines)) {
      this.#sums = emptySums(origin);
    }
    const sums = this.#sums;
    let left = this.#checkGuesses(rows, limit);
    let at = sums.rows === 0 ? 0 : firstAtLeast(missingLines, table.line(Math.min(sums.rows, table.count - 1)));
    for (let row = sums.rows; row < table.count; row++) {
      const flags = table.flags(row);
      const isFound = found.size > 0 && found.has(table.offset(row));
      const isOfLine = isFound || isCountedOnMain(flags);
      if (!isOfLine && !isMessageOfDamagedLine(flags)) continue;
      const line = table.line(row);
      while (at < missingLines.length && (missingLines[at] ?? 0) < line) at++;
      const isMissing = isOfLine ? missingLines[at] === line : hasFlag(flags, RowFlag.hidden) || !isKept(row);
      if (isMissing && isCopied(row)) continue;
      const message = table.message(row);
      if (table.kind(row) === RowKind.user) {
        if (!isPromptByFlags(flags)) continue;
        const isKnown = this.#prompts.has(table.offset(row));
        // A row that had no content is given one.
        const isFilled = isFound && !table.has(row, RowFlag.hidden);
        if (!isFilled && (isKnown || left > 0)) {
          if (!isKnown) left--;
          if (!this.#isPrompt(row, rows)) continue;
        } else if (!isFilled) sums.guesses.push({ row, isMissing });
        sums.turns++;
        if (isMissing) sums.forgottenRows++;
      } else if (message === NO_ID) {
        sums.replyRows++;
        if (isMissing) sums.forgottenRows++;
      } else {
        sums.replies.add(message);
        if (isMissing) sums.forgotten.add(message);
      }
    }
    sums.rows = table.count;
    sums.missing = missingLines.length;
    const messages = sums.turns + sums.replyRows + sums.replies.size;
    return { messages, remembered: messages - sums.forgottenRows - sums.forgotten.size, turns: sums.turns };
  }

  /** Must be called when the file does not only grow. */
  clear(): void {
    this.#prompts.clear();
    this.#sums = emptySums(null);
  }

  /** Whether rows that were counted as loaded no longer are: a call is loaded while it may still get a result. */
  #hasLost({ table }: TranscriptRows, missingLines: readonly number[]): boolean {
    const { rows, missing } = this.#sums;
    return rows > 0 && rows <= table.count && firstAtLeast(missingLines, table.line(rows - 1) + 1) !== missing;
  }

  /** Returns how many more rows may be read. */
  #checkGuesses(rows: TranscriptRows, limit: number): number {
    const { guesses } = this.#sums;
    for (const { row, isMissing } of guesses.splice(0, limit)) {
      limit--;
      if (this.#isPrompt(row, rows)) continue;
      this.#sums.turns--;
      if (isMissing) this.#sums.forgottenRows--;
    }
    return limit;
  }

  #isPrompt(row: number, rows: TranscriptRows): boolean {
    const offset = rows.table.offset(row);
    const known = this.#prompts.get(offset);
    if (known !== undefined) return known;
    const isPrompt = readIsPrompt(row, rows);
    if (this.#prompts.size >= MAX_KNOWN) this.#prompts.clear();
    this.#prompts.set(offset, isPrompt);
    return isPrompt;
  }
}

function emptySums(origin: object | null): Sums {
  return {
    origin,
    ...{ rows: 0, missing: 0, turns: 0, replyRows: 0, forgottenRows: 0 },
    ...{ replies: new Set(), forgotten: new Set(), guesses: [] },
  };
}

/** Index of the first of the ascending numbers that is at least `value`; their number if there is none. */
function firstAtLeast(numbers: readonly number[], value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether the row would count if it had a line of its own. */
function isMessageOfDamagedLine(flags: number): boolean {
  const kind = kindOf(flags);
  if (kind !== RowKind.user && kind !== RowKind.assistant) return false;
  if (!hasFlag(flags, RowFlag.sharesLine) || hasFlag(flags, RowFlag.sidechain | RowFlag.meta)) return false;
  return hasFlag(flags, RowFlag.hasText | RowFlag.hasToolUse | RowFlag.hasToolResult);
}

const PROMPT_BLOCKS: ReadonlySet<string> = new Set(['text', 'image']);

function readIsPrompt(row: number, rows: TranscriptRows): boolean {
  const object = rows.object(row);
  return object !== null && holdsPrompt(object, rows.table.line(row));
}

/** Whether a user row holds something that was said to Claude, and not a result, a summary or a mark of the client. */
export function holdsPrompt(row: JsonObject, line: number): boolean {
  return describeRow(row, bareContext(line)).blocks.some(({ kind }) => PROMPT_BLOCKS.has(kind));
}
