import type { ForgottenAs, MemoryCounts } from '../../protocol/conversation';
import type { PlannedMemory } from '../../protocol/repair';
import { NO_ID } from '../transcript/idTable';
import { hasFlag, isCountedOnMain, kindOf, RowFlag, RowKind } from '../transcript/rowFlags';
import type { CompactBoundary } from '../transcript/transcriptIndex';
import type { TranscriptRows } from '../transcript/transcriptRows';
import type { JsonObject } from '../util/json';
import { describeRow } from './items/describeRow';
import { bareContext } from './items/rowContext';
import type { ConversationOrder } from './order/conversationOrder';
import { ItemKind } from './order/itemBuilder';

/** Whether the row is loaded on resume; null for rows that are never part of a request. */
export type IsLoaded = (row: number) => boolean | null;

/** Where the memory of Claude begins in the chain. Rows that continue the chain do not change it. */
export interface MemoryEdges {
  /** Item of the last compaction; `NO_ID` if there is none. */
  readonly compaction: number;
  /** Item of the last break at which the client does not continue; `NO_ID` if there is none. */
  readonly brokenAt: number;
  /** The summary of that compaction is loaded. */
  readonly hasSummary: boolean;
}

/** @param boundaries  all compactions of the transcript, in file order */
export function findMemoryEdges(
  chain: ConversationOrder,
  boundaries: readonly CompactBoundary[],
  isLoaded: IsLoaded,
): MemoryEdges {
  const items = boundaries.map(({ row }) => chain.itemOfRow[row] ?? NO_ID);
  const compaction = Math.max(NO_ID, ...items.slice(-MAX_BOUNDARIES));
  const brokenAt = chain.kinds.lastIndexOf(ItemKind.break);
  const summary = compaction === NO_ID ? null : nextMessage(chain, compaction, 1, isLoaded);
  return { compaction, brokenAt, hasSummary: summary === true };
}

/** Number of compactions considered: the last one in the chain is among the newest of the file. */
const MAX_BOUNDARIES = 1_000;
/** Maximum number of items searched for the message that a row belongs to. */
const MAX_BESIDE = 64;

/**
 * Why Claude does not have the row in its memory. Null if it has, and for rows that a request never includes, unless the
 * messages around them are forgotten: a message is marked as a whole.
 */
export function forgottenAs(
  row: number,
  chain: ConversationOrder,
  edges: MemoryEdges,
  isLoaded: IsLoaded,
): ForgottenAs | null {
  const loaded = isLoaded(row);
  if (loaded === true) return null;
  const item = chain.itemOfRow[row] ?? NO_ID;
  if (item === NO_ID) return loaded === false ? 'otherBranch' : null;
  const isSummarised = item < edges.compaction;
  const isAboveBreak = item < edges.brokenAt;
  if (loaded === null) {
    const beside =
      nextMessage(chain, item, 1, isLoaded, edges.compaction) ??
      nextMessage(chain, item, -1, isLoaded, edges.compaction);
    if (beside === true || (beside === null && !isSummarised && !isAboveBreak)) return null;
  }
  return isSummarised ? 'summarised' : 'lost';
}

/** Whether the nearest message in a direction is loaded; null if there is none before the next compaction or break. */
function nextMessage(
  chain: ConversationOrder,
  item: number,
  step: 1 | -1,
  isLoaded: IsLoaded,
  compaction = NO_ID,
): boolean | null {
  for (let at = item + step, left = MAX_BESIDE; at >= 0 && at < chain.count && left > 0; at += step, left--) {
    if (at === compaction || chain.kinds[at] === ItemKind.break) return null;
    if (chain.kinds[at] !== ItemKind.row) continue;
    const loaded = isLoaded(chain.values[at] ?? 0);
    if (loaded !== null) return loaded;
  }
  return null;
}

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

/** What Claude would remember after a repair. @param rows  the transcript before it */
export function countAfter(
  { missingLines, found, hasSummary }: PlannedMemory,
  counter: MessageCounter,
  rows: TranscriptRows,
): MemoryCounts {
  const { remembered, messages } = counter.count(rows, missingLines, { found: new Set(found), limit: Infinity });
  return { remembered, messages, hasSummary };
}

/** What else a count needs. */
interface CountOptions {
  /** Of the verdict that the missing lines are from. */
  readonly origin?: object | null;
  /** Offsets of rows that a repair makes count. */
  readonly found?: ReadonlySet<number>;
  /** Whether a row is loaded that no missing line tells of: it shares its line, or spans several. By default, it is. */
  readonly isKept?: (row: number) => boolean;
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
  /** Verdicts with this origin say the same about the rows counted. */
  readonly origin: object | null;
  rows: number;
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
    { origin = null, found = NONE_FOUND, isKept = () => true, limit = MAX_READ }: CountOptions = {},
  ): MessageCounts {
    const { table } = rows;
    if (origin === null || origin !== this.#sums.origin) this.#sums = emptySums(origin);
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
      const message = table.message(row);
      if (table.kind(row) === RowKind.user) {
        if (table.has(row, RowFlag.hasToolResult | RowFlag.hasServerResult)) continue;
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
    const messages = sums.turns + sums.replyRows + sums.replies.size;
    return { messages, remembered: messages - sums.forgottenRows - sums.forgotten.size, turns: sums.turns };
  }

  /** Must be called when the file does not only grow. */
  clear(): void {
    this.#prompts.clear();
    this.#sums = emptySums(null);
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
    ...{ rows: 0, turns: 0, replyRows: 0, forgottenRows: 0 },
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
