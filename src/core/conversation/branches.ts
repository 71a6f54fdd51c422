import type { Branch, ContentBlock } from '../../protocol/conversation';
import type { LoadedTranscript } from '../providers/claude/loader/loadTranscript';
import { NO_ID } from '../transcript/idTable';
import { isPromptByFlags, RowFlag, RowKind } from '../transcript/rowFlags';
import type { RowTable } from '../transcript/rowTable';
import type { TranscriptRows } from '../transcript/transcriptRows';
import { BitSet } from '../util/columns';
import type { JsonObject } from '../util/json';
import { describeRow } from './items/describeRow';
import { oneLine } from './items/itemText';
import { bareContext } from './items/rowContext';
import { isSubagentOfFile, rootsWithin } from './order/sidechains';

/** A branch that is not in the view. */
export interface FoundBranch {
  /** Its first row. */
  readonly root: number;
  /** Its last row in the file. */
  readonly leaf: number;
  readonly rows: number;
  /** Prompts and replies. */
  readonly messages: number;
  /** Its first row with content, from which its label is made. */
  readonly opening: number;
}

/**
 * The branches of a conversation by the row of the view at which they start. A branch whose parent is not in the view
 * is assigned to the row of the view before it in the file, or to the first. Branches without content are left out.
 */
export function findBranches(loaded: LoadedTranscript, view: Int32Array): ReadonlyMap<number, readonly FoundBranch[]> {
  const found = new Map<number, FoundBranch[]>();
  const [first] = view;
  if (first === undefined) return found;
  const { rows } = loaded.index;
  const inView = new BitSet(rows.count);
  for (const row of view) inView.add(row);
  if (view.length === rows.count) return found;
  // The view is of a subagent only if it has no row of the main chain.
  const isSidechain = view.every((row) => rows.has(row, RowFlag.sidechain));
  // The file may contain other subagents, which are unrelated.
  const isOneOfMany = isSidechain && isSubagentOfFile(loaded, view);
  const roots = findRoots(loaded, inView, isSidechain);
  const branches = gather(loaded, roots);
  let before = first;
  for (let row = 0; row < rows.count; row++) {
    if (inView.has(row)) before = row;
    const branch = branches.get(row);
    if (branch === undefined || branch.opening === NO_ID) continue;
    const parent = loaded.view.rowOf(rows.parent(row));
    const hangsFromView = parent !== NO_ID && inView.has(parent);
    if (isOneOfMany && !hangsFromView) continue;
    const from = hangsFromView ? parent : before;
    const list = found.get(from) ?? [];
    found.set(from, list);
    list.push(branch);
  }
  return found;
}

/** Row → first row of its branch; `NO_ID` for rows that are in no branch. */
function findRoots({ index, view }: LoadedTranscript, inView: BitSet, isSidechain: boolean): Int32Array {
  const { rows } = index;
  return rootsWithin(rows, view, (row) => {
    const uuid = rows.uuid(row);
    const isOther = rows.kind(row) === RowKind.other || rows.has(row, RowFlag.sidechain) !== isSidechain;
    // A row that was replaced by a later one with the same uuid is not a branch of its own.
    return !isOther && !inView.has(row) && (uuid === NO_ID || view.rowOf(uuid) === row);
  });
}

interface GatheredBranch extends FoundBranch {
  leaf: number;
  rows: number;
  messages: number;
  opening: number;
  /** The ids of its replies. */
  readonly replies: Set<number>;
}

/**
 * Whether a row is a prompt, or the first of a reply, as far as its flags tell. Otherwise, all prompts of a branch would have to be
 * read.
 */
export function beginsMessage(row: number, rows: RowTable, replies: Set<number>): boolean {
  if (!rows.holdsContent(row)) return false;
  if (rows.kind(row) === RowKind.user) return isPromptByFlags(rows.flags(row));
  const reply = rows.message(row);
  if (replies.has(reply)) return false;
  if (reply !== NO_ID) replies.add(reply);
  return true;
}

function gather({ index: { rows } }: LoadedTranscript, roots: Int32Array): ReadonlyMap<number, FoundBranch> {
  const branches = new Map<number, GatheredBranch>();
  for (let row = 0; row < rows.count; row++) {
    const root = roots[row] ?? NO_ID;
    if (root < 0) continue;
    const branch = branches.get(root) ?? { root, leaf: row, rows: 0, messages: 0, replies: new Set(), opening: NO_ID };
    branches.set(root, branch);
    branch.rows++;
    if (beginsMessage(row, rows, branch.replies)) branch.messages++;
    if (rows.kind(row) !== RowKind.progress) branch.leaf = row;
    if (branch.opening === NO_ID && rows.holdsContent(row)) branch.opening = row;
  }
  return branches;
}

/** Maximum number of cached labels. */
const MAX_LABELS = 1_000;

/** The label of a branch, its length and the time of its last row. */
export function describeBranch(branch: FoundBranch, rows: TranscriptRows): Branch {
  return branchOf(branch, labelOf(branch.opening, rows), rows);
}

/** Labels of branches by the offset of the row from which the label is made. Valid while the file only grows. */
export class BranchLabels {
  readonly #labels = new Map<number, string>();

  describe(branch: FoundBranch, rows: TranscriptRows): Branch {
    const offset = rows.table.offset(branch.opening);
    const label = this.#labels.get(offset) ?? labelOf(branch.opening, rows);
    if (this.#labels.size >= MAX_LABELS) this.#labels.clear();
    this.#labels.set(offset, label);
    return branchOf(branch, label, rows);
  }

  clear(): void {
    this.#labels.clear();
  }
}

function branchOf({ leaf, rows, messages }: FoundBranch, label: string, { table }: TranscriptRows): Branch {
  const time = table.timestamp(leaf);
  return { leafLine: table.line(leaf), rows, messages, label, timeMs: Number.isNaN(time) ? null : time };
}

function labelOf(opening: number, rows: TranscriptRows): string {
  const object = rows.object(opening);
  return object === null ? '' : summaryOf(object);
}

/** Maximum length of a label, in UTF-16 units. */
const MAX_LABEL = 80;

/** The label of a row: the beginning of its text. */
export function summaryOf(row: JsonObject): string {
  const { blocks } = describeRow(row, bareContext(0));
  const [notes, said] = [true, false].map((isNote) => blocks.filter(({ kind }) => (kind === 'note') === isNote));
  for (const block of [...(said ?? []), ...(notes ?? [])]) {
    const words = wordsOf(block);
    if (words !== '') return oneLine(words, MAX_LABEL);
  }
  return '';
}

function wordsOf(block: ContentBlock): string {
  switch (block.kind) {
    case 'text':
    case 'summary':
    case 'error':
      return block.body.text;
    case 'tool':
      return `${block.name} ${block.title}`.trim();
    case 'result':
      return block.result.text?.text ?? '';
    case 'note':
      return block.title;
    default:
      return '';
  }
}
