import type { ForgottenAs } from '../../protocol/conversation';
import { NO_ID } from '../transcript/idTable';
import { RowFlag } from '../transcript/rowFlags';
import type { CompactBoundary, TranscriptIndex } from '../transcript/transcriptIndex';
import { rowAtLine } from '../transcript/transcriptRows';
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
 * Whether Claude does not remember a message below the last compaction of the chain, which is the thread that it goes on from.
 *
 * @param missingLines  lines whose row is not loaded
 * @param isKept  whether a row is loaded, whatever it is
 */
export function losesMessagesOf(
  { itemOfRow }: ConversationOrder,
  { compaction }: MemoryEdges,
  { rows, lineFaults }: TranscriptIndex,
  missingLines: readonly number[],
  isKept: (row: number) => boolean,
): boolean {
  const isOfThread = (row: number): boolean => {
    const item = itemOfRow[row] ?? NO_ID;
    return item !== NO_ID && item > compaction;
  };
  if (missingLines.some((line) => isOfThread(rowAtLine(rows, line)))) return true;
  if (lineFaults.isEmpty) return false;
  // No missing line tells of rows that share a line, or span several.
  for (let row = 0; row < rows.count; row++) {
    if (!rows.has(row, RowFlag.sharesLine) || rows.has(row, RowFlag.sidechain)) continue;
    if (rows.holdsContent(row) && !isKept(row) && isOfThread(row)) return true;
  }
  return false;
}

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
