import type { Finding } from '../../../protocol/repair';
import { RowGraph } from '../../providers/claude/loader/graph';
import { historyFrom, type LoadedTranscript, sinceCompaction } from '../../providers/claude/loader/loadTranscript';
import { requestRows } from '../../providers/claude/loader/request';
import { applyCompaction, forgetCompactionsAfter } from '../../providers/claude/loader/walk';
import { NO_ID } from '../../transcript/idTable';
import { isCountedOnMain, ParentForm, RowFlag, RowKind } from '../../transcript/rowFlags';
import type { RowTable } from '../../transcript/rowTable';
import { type LinkCheck, rowFinding } from '../check';
import { NO_PARENT } from '../repairDraft';

const CODE = 'unfinished-compaction';

/**
 * `unfinished-compaction`: the session ended after the boundary of a compaction was written, and before its summary was. The
 * client loads less than if it had ended before that: nothing if the boundary has a parent, or the file is large, and only the
 * rows that it preserves if it names some. (docs/format.md, "Compaction")
 */
export const unfinishedCompaction: LinkCheck = {
  kind: 'links',
  code: CODE,
  weighsCost: true,
  find(loaded, cost): Finding[] {
    const found = findUnfinished(loaded);
    if (found === null) return [];
    const { index, summary } = loaded;
    const [last, boundary] = [found.last, found.boundary].map((row) => index.rows.line(row));
    const rest = summary.loads === 0 ? 'nothing of what came before' : 'only the messages that the compaction keeps';
    const what =
      `The session ended while it was being compacted: the summary that belongs below line ${boundary} is missing, and ` +
      `Claude loads ${rest}.`;
    const parts =
      found.hidesByLink && cost.losesRows
        ? ({ action: 'auto', message: what } as const)
        : ({
            action: 'tell',
            message: `${what} Fork the session at the message on line ${last} to continue.`,
          } as const);
    return [rowFinding(index, [found.last, found.boundary], { code: CODE, severity: 'error', ...parts })];
  },
  fix(draft): void {
    const found = findUnfinished(draft.loaded);
    if (found?.hidesByLink !== true) return;
    draft.setParent(found.boundary, NO_PARENT, 'Its compaction was not finished: without a parent, it hides nothing.');
  },
};

interface UnfinishedCompaction {
  readonly boundary: number;
  /** The last message before it. */
  readonly last: number;
  /** It preserves no rows, so it hides what came before only because of its parent. */
  readonly hidesByLink: boolean;
}

/** Null if there is none, or if it costs nothing. */
function findUnfinished(loaded: LoadedTranscript): UnfinishedCompaction | null {
  const { boundaries, rows } = loaded.index;
  const found = boundaries.at(-1);
  if (found === undefined) return null;
  const { row: boundary, preserved } = found;
  const last = lastMessage(rows, boundary);
  if (last === NO_ID || lastMessage(rows, rows.count) > boundary) return null;
  if (loadsIfEndedAt(loaded, last) <= loaded.summary.loads) return null;
  return { boundary, last, hidesByLink: preserved.kind === 'none' && rows.parentForm(boundary) === ParentForm.text };
}

/** The last user or assistant row of the main chain before `end`, or `NO_ID`. */
function lastMessage(rows: RowTable, end: number): number {
  for (let row = end - 1; row >= 0; row--) {
    const kind = rows.kind(row);
    if ((kind === RowKind.user || kind === RowKind.assistant) && !rows.has(row, RowFlag.sidechain)) return row;
  }
  return NO_ID;
}

/** How many rows would load if the session had ended with a row. */
function loadsIfEndedAt({ index, rules }: LoadedTranscript, row: number): number {
  const graph = new RowGraph(index, rules, { withBranches: true });
  forgetCompactionsAfter(graph, row);
  applyCompaction(graph);
  if (!graph.isHeld(row)) return 0;
  const { history } = sinceCompaction(index, historyFrom(graph, row));
  const { kept } = requestRows(index, history, rules);
  return history.filter((at) => kept.has(at) && isCountedOnMain(index.rows.flags(at))).length;
}
