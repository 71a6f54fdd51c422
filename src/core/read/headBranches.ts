import type { Branch, ConversationHead, ConversationView } from '../../shared/conversation';
import { NO_ID } from '../scan/idTable';
import { RowFlag } from '../scan/rowFlags';
import type { BranchLabels } from './describe/describeBranch';
import type { FoundBranch } from './order/branchTable';
import { rowAtLine } from './order/rowAtLine';
import type { TranscriptRows } from './rows/transcriptRows';
import type { TranscriptState } from './transcriptState';

type HeadBranches = Pick<ConversationHead, 'branches' | 'moreBranches'>;

/** Branches that a head tells: it is told again with each row that is written. */
const MAX_BRANCHES = 20;
export const NO_BRANCHES: HeadBranches = { branches: [], moreBranches: 0 };

/** The branches of the resumed chain, newest first, and the one that is shown, wherever it goes off. */
export function headBranches(
  state: TranscriptState,
  rows: TranscriptRows,
  view: ConversationView,
  labels: BranchLabels,
): HeadBranches {
  const all = [...state.order({ kind: 'chain' }).branches.values()].flat().sort((a, b) => b.leaf - a.leaf);
  const told = all.slice(0, MAX_BRANCHES);
  if (view.kind === 'branch' && !told.some(({ leaf }) => rows.table.line(leaf) === view.leafLine)) {
    const shown = all.find(({ leaf }) => rows.table.line(leaf) === view.leafLine) ?? branchOfView(state, rows, view);
    if (shown !== null) told.push(shown);
  }
  const branches: readonly Branch[] = told.map((branch) => labels.describe(branch, rows));
  return { branches, moreBranches: all.filter((branch) => !told.includes(branch)).length };
}

/** What of a view the chain does not have: a branch of a branch is none of the chain's own. */
function branchOfView(
  state: TranscriptState,
  { table }: TranscriptRows,
  view: ConversationView & { readonly kind: 'branch' },
): FoundBranch | null {
  const [chain, shown] = [state.order({ kind: 'chain' }), state.order(view)];
  const branch = { root: NO_ID, leaf: rowAtLine(table, view.leafLine), rows: 0, opening: NO_ID };
  for (let row = 0; row < table.count; row++) {
    if (shown.itemOfRow[row] === NO_ID || chain.itemOfRow[row] !== NO_ID) continue;
    if (branch.root === NO_ID) branch.root = row;
    branch.rows++;
    if (branch.opening === NO_ID && table.has(row, RowFlag.counted)) branch.opening = row;
  }
  return branch.leaf === NO_ID || branch.opening === NO_ID ? null : branch;
}
