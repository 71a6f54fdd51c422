import type { ForgottenAs } from '../../protocol/conversation';
import { NO_ID } from '../transcript/idTable';
import { isCountedOnMain, RowFlag, RowKind } from '../transcript/rowFlags';
import type { RowTable } from '../transcript/rowTable';
import type { CompactBoundary } from '../transcript/transcriptIndex';
import type { TranscriptRows } from '../transcript/transcriptRows';
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

/** Counts messages. Remembers which rows are prompts, because that is told by their content. */
export class MessageCounter {
  /** By the offset of the row. */
  readonly #prompts = new Map<number, boolean>();

  /**
   * The rows of one reply count once, and the results of its calls belong to it.
   * @param missing  lines whose row is not loaded
   */
  count(rows: TranscriptRows, missing: ReadonlySet<number>): MessageCounts {
    const { table } = rows;
    const replies = new Set<number>();
    const forgotten = new Set<number>();
    let [replyRows, turns, forgottenRows] = [0, 0, 0];
    for (let row = 0; row < table.count; row++) {
      const flags = table.flags(row);
      if (!isCountedOnMain(flags)) continue;
      const message = table.message(row);
      const isMissing = missing.has(table.line(row));
      if (table.kind(row) === RowKind.user) {
        if (!this.#isPrompt(row, rows)) continue;
        turns++;
        if (isMissing) forgottenRows++;
      } else if (message === NO_ID) {
        replyRows++;
        if (isMissing) forgottenRows++;
      } else {
        replies.add(message);
        if (isMissing) forgotten.add(message);
      }
    }
    const messages = turns + replyRows + replies.size;
    return { messages, remembered: messages - forgottenRows - forgotten.size, turns };
  }

  /** Must be called when the file does not only grow. */
  clear(): void {
    this.#prompts.clear();
  }

  #isPrompt(row: number, rows: TranscriptRows): boolean {
    if (holdsResult(row, rows.table)) return false;
    const offset = rows.table.offset(row);
    const known = this.#prompts.get(offset);
    if (known !== undefined) return known;
    const isPrompt = readIsPrompt(row, rows);
    if (this.#prompts.size >= MAX_KNOWN) this.#prompts.clear();
    this.#prompts.set(offset, isPrompt);
    return isPrompt;
  }
}

const PROMPT_BLOCKS: ReadonlySet<string> = new Set(['text', 'image']);

function holdsResult(row: number, table: RowTable): boolean {
  return table.has(row, RowFlag.hasToolResult | RowFlag.hasServerResult);
}

/** Whether a user row holds something that was said to Claude, and not a result, a summary or a mark of the client. */
function readIsPrompt(row: number, rows: TranscriptRows): boolean {
  const object = rows.object(row);
  if (object === null) return false;
  return describeRow(object, bareContext(rows.table.line(row))).blocks.some(({ kind }) => PROMPT_BLOCKS.has(kind));
}
