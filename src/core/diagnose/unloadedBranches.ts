import type { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import { NO_ID } from '../transcript/idTable';
import { isCompanion, isCountedOnMain, isOwnReply, RowFlag, RowKind } from '../transcript/rowFlags';
import type { RowTable } from '../transcript/rowTable';

/** A conversation that leaves the history that loads at some row, and is not loaded itself. */
export interface UnloadedBranch {
  /** Its first row. */
  readonly first: number;
  /** Its last message in the file. */
  readonly tip: number;
  /** Somebody asked something in it. */
  readonly hasPrompt: boolean;
  /** Claude answered in it. */
  readonly hasReply: boolean;
  /** Place in the history of the row that it hangs from. */
  readonly forkPlace: number;
}

/**
 * The branches beside the history, in the order of their first rows: those that a rewind or another client left. Conversations from
 * before the last compaction, and those with a root of their own, are not among them. Not to be called for a straight transcript,
 * which has none.
 */
export function unloadedBranches({ index, history, view }: LoadedTranscript): readonly UnloadedBranch[] {
  const { rows } = index;
  const placeOf = new Int32Array(rows.count).fill(NO_ID);
  for (let place = 0; place < history.length; place++) placeOf[history[place] ?? 0] = place;
  /** Row → number of its branch. */
  const branchOf = new Int32Array(rows.count).fill(NO_ID);
  const branches: { first: number; tip: number; hasPrompt: boolean; hasReply: boolean; forkPlace: number }[] = [];
  for (let row = view.segmentStart; row < rows.count; row++) {
    if (placeOf[row] !== NO_ID || !view.isChainRow(row) || rows.has(row, RowFlag.sidechain)) continue;
    const parent = view.rowOf(rows.parent(row));
    if (parent === NO_ID || parent >= row) continue;
    const forkPlace = placeOf[parent] ?? NO_ID;
    const number = forkPlace === NO_ID ? (branchOf[parent] ?? NO_ID) : branches.length;
    if (number === NO_ID) continue;
    if (forkPlace !== NO_ID) branches.push({ first: row, tip: NO_ID, hasPrompt: false, hasReply: false, forkPlace });
    branchOf[row] = number;
    const branch = branches[number];
    if (branch === undefined || !isOfConversation(rows, row)) continue;
    branch.tip = row;
    branch.hasPrompt ||= isPrompt(rows, row);
    branch.hasReply ||= rows.kind(row) === RowKind.assistant;
  }
  return branches;
}

/** Whether it is a message of the conversation with content, and no report of an error and no reply of the client itself. */
export function isOfConversation(rows: RowTable, row: number): boolean {
  const flags = rows.flags(row);
  const isMessage = isCountedOnMain(flags) && !rows.has(row, RowFlag.apiError | RowFlag.virtual | RowFlag.hidden);
  return isMessage && !(rows.kind(row) === RowKind.assistant && isOwnReply(flags));
}

function isPrompt(rows: RowTable, row: number): boolean {
  return rows.kind(row) === RowKind.user && !rows.has(row, RowFlag.hasToolResult) && !isCompanion(rows.flags(row));
}
