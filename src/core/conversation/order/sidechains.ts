import type { ChainView } from '../../providers/claude/loader/chainView';
import type { LoadedTranscript } from '../../providers/claude/loader/loadTranscript';
import { NO_ID } from '../../transcript/idTable';
import { RowFlag, RowKind } from '../../transcript/rowFlags';
import { type RowTable } from '../../transcript/rowTable';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';

/**
 * Rows of one subagent in the transcript of its session: clients 1.0.x wrote them there. (docs/format.md, "Subagents")
 */
export interface Sidechain {
  /** All its rows, in file order. */
  readonly rows: readonly number[];
  /** Rows of the main chain with calls that had no result when it began; oldest first. */
  readonly callers: readonly number[];
}

/** Maximum number of rows with open calls that are kept: clients 1.0.x have open calls of only one message. */
const MAX_CALLERS = 50;
const UNKNOWN = -2;

/** Whether the view is of a subagent whose rows are in the transcript of its session. */
export function isSubagentOfFile({ index }: LoadedTranscript, view: Int32Array): boolean {
  return view.length > 0 && view.every((row) => index.rows.has(row, RowFlag.sidechain)) && hasSidechains(index);
}

/** Whether the transcript contains rows of subagents beside the main chain. A subagent's own transcript does not. */
export function hasSidechains({ rows }: TranscriptIndex): boolean {
  let hasMain = false;
  let hasSide = false;
  for (let row = 0; row < rows.count && !(hasMain && hasSide); row++) {
    if (rows.kind(row) === RowKind.other) continue;
    if (rows.has(row, RowFlag.sidechain)) hasSide = true;
    else hasMain = true;
  }
  return hasMain && hasSide;
}

/** The rows of each subagent, in the order in which they began. Pure. */
export function findSidechains({ rows, keyCount }: TranscriptIndex, view: ChainView): readonly Sidechain[] {
  const roots = findRoots(rows, view);
  const found = new Map<number, { rows: number[]; callers: readonly number[] }>();
  /** Call → its row. */
  const open = new Map<number, number>();
  const answered = new Int8Array(keyCount);
  for (let row = 0; row < rows.count; row++) {
    const root = roots[row] ?? NO_ID;
    if (root !== NO_ID) {
      const sidechain = found.get(root) ?? { rows: [], callers: callersOf(open) };
      found.set(root, sidechain);
      sidechain.rows.push(row);
      continue;
    }
    for (const call of rows.toolUses(row)) if (answered[call] === 0) open.set(call, row);
    for (const call of rows.toolResults(row)) {
      open.delete(call);
      answered[call] = 1;
    }
  }
  return [...found.values()];
}

function callersOf(open: ReadonlyMap<number, number>): readonly number[] {
  return [...new Set(open.values())].slice(-MAX_CALLERS);
}

/** Row → first row of its subagent; `NO_ID` for rows of the main chain. */
function findRoots(rows: RowTable, view: ChainView): Int32Array {
  return rootsWithin(rows, view, (row) => rows.kind(row) !== RowKind.other && rows.has(row, RowFlag.sidechain));
}

/**
 * Row → the topmost row that its links reach through rows that are `included`; `NO_ID` for rows that are not. In a
 * cycle, the row that is reached first is the root. Runs in linear time.
 */
export function rootsWithin(rows: RowTable, view: ChainView, isIncluded: (row: number) => boolean): Int32Array {
  const roots = new Int32Array(rows.count).fill(UNKNOWN);
  for (let row = 0; row < rows.count; row++) if (!isIncluded(row)) roots[row] = NO_ID;
  const path: number[] = [];
  for (let row = 0; row < rows.count; row++) {
    let at = row;
    while (roots[at] === UNKNOWN) {
      path.push(at);
      // Ends cycles: a walk that returns to this row takes it as the root.
      roots[at] = at;
      const parent = view.rowOf(rows.parent(at));
      if (parent === NO_ID || roots[parent] === NO_ID) break;
      at = parent;
    }
    const root = roots[at] ?? NO_ID;
    for (const passed of path) roots[passed] = root;
    path.length = 0;
  }
  return roots;
}
