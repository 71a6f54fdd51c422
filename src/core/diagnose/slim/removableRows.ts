import { NO_ID } from '../../transcript/idTable';
import { ParentForm, RowFlag, RowKind } from '../../transcript/rowFlags';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import { BitSet } from '../../util/columns';
import { NO_PARENT } from '../repairDraft';

/** Rows that can be removed, and what the rows that point to them point to instead. */
export interface Removal {
  readonly rows: BitSet;
  readonly count: number;
  /** The rows that stay and point to one that is removed, in file order. */
  readonly relinked: readonly Relink[];
}

export interface Relink {
  readonly row: number;
  /** The nearest row above it that stays, or `NO_PARENT`. */
  readonly to: number;
}

/** On these lines, something else may be beside the row. */
const FAULTS = ['torn', 'glued', 'nul', 'bom', 'spread'] as const;

/**
 * The progress rows without which a transcript says the same: they are sent to nobody, and a child takes over their parent while the
 * client reads the file. (docs/format.md, "Parents")
 */
export function removableProgress(index: TranscriptIndex, place: FixedPlaces): BitSet {
  const { rows } = index;
  const removable = new BitSet(rows.count);
  for (let row = 0; row < rows.count; row++) {
    if (rows.kind(row) === RowKind.progress && place.mayLeave(row)) removable.add(row);
  }
  return removable;
}

/**
 * Which rows must stay where they are. A row may leave if its uuid belongs to it only, its parent is before it in the file, and no child
 * is. Rows that a `last-prompt` or a compaction names stay, and so do rows on damaged lines.
 */
export class FixedPlaces {
  /** Lines with something else than one row, and a last line that the client may still be writing. */
  readonly faulty: BitSet;
  readonly #needed: BitSet;
  readonly #rowOf: Int32Array;

  constructor(
    private readonly index: TranscriptIndex,
    isLastLineOpen: boolean,
  ) {
    const { rows, ids, lineCount } = index;
    this.faulty = faultyLines(index);
    if (isLastLineOpen) this.faulty.add(lineCount);
    this.#rowOf = new Int32Array(ids.uuidCount).fill(NO_ID);
    this.#needed = namedIds(index);
    for (let row = 0; row < rows.count; row++) {
      const uuid = rows.uuid(row);
      if (uuid < 0) continue;
      if (this.#rowOf[uuid] !== NO_ID) this.#needed.add(uuid);
      this.#rowOf[uuid] = row;
    }
    for (let row = 0; row < rows.count; row++) {
      const parent = rows.parent(row);
      if (parent >= 0 && this.#rowNamed(parent) >= row) this.#needed.add(parent);
    }
  }

  /** Whether nothing but links changes if the row is removed. */
  mayLeave(row: number): boolean {
    const { rows } = this.index;
    const uuid = rows.uuid(row);
    if (rows.has(row, RowFlag.hidden | RowFlag.nulPrefixed) || this.faulty.has(rows.line(row))) return false;
    if (uuid < 0 || this.#needed.has(uuid)) return false;
    const form = rows.parentForm(row);
    return this.parentOf(row) !== NO_ID || form === ParentForm.null || form === ParentForm.absent;
  }

  /** The parent of a row, if it is before it in the file; else `NO_ID`. */
  parentOf(row: number): number {
    const { rows } = this.index;
    const parent = rows.parent(row);
    const above = rows.parentForm(row) === ParentForm.text && parent >= 0 ? this.#rowNamed(parent) : NO_ID;
    return above < row ? above : NO_ID;
  }

  #rowNamed(uuid: number): number {
    return this.#rowOf[uuid] ?? NO_ID;
  }
}

/** Those of the rows below which only rows of the set are, so that no link has to change. */
export function withoutParents({ rows, ids }: TranscriptIndex, removable: BitSet): BitSet {
  const hasKeptChild = new BitSet(ids.uuidCount);
  const left = new BitSet(rows.count);
  // The children of a removable row are behind it in the file.
  for (let row = rows.count - 1; row >= 0; row--) {
    if (removable.has(row) && !hasKeptChild.has(rows.uuid(row))) left.add(row);
    else if (rows.parent(row) >= 0) hasKeptChild.add(rows.parent(row));
  }
  return left;
}

/** Those of the rows that are before the last chain row of another kind. */
export function beforeLastMessage({ rows }: TranscriptIndex, removable: BitSet): BitSet {
  let end = rows.count;
  while (end > 0 && [RowKind.progress, RowKind.other].some((kind) => kind === rows.kind(end - 1))) end--;
  const left = new BitSet(rows.count);
  for (let row = 0; row < end; row++) if (removable.has(row)) left.add(row);
  return left;
}

/** What removing the rows means for the links of the others. Each parent among the rows must be before its children in the file. */
export function removalOf({ rows, ids }: TranscriptIndex, removed: BitSet): Removal {
  const rowOf = new Int32Array(ids.uuidCount).fill(NO_ID);
  for (let row = 0; row < rows.count; row++) if (rows.uuid(row) >= 0) rowOf[rows.uuid(row)] = row;
  const parentOf = (row: number): number => (rows.parent(row) < 0 ? NO_ID : (rowOf[rows.parent(row)] ?? NO_ID));
  /** For a row that is removed, the nearest row above it that stays. */
  const above = new Int32Array(rows.count);
  const relinked: Relink[] = [];
  let count = 0;
  for (let row = 0; row < rows.count; row++) {
    const parent = parentOf(row);
    const isParentRemoved = parent !== NO_ID && removed.has(parent);
    if (removed.has(row)) {
      count++;
      above[row] = isParentRemoved ? (above[parent] ?? NO_PARENT) : parent === NO_ID ? NO_PARENT : parent;
    } else if (isParentRemoved) relinked.push({ row, to: above[parent] ?? NO_PARENT });
  }
  return { rows: removed, count, relinked };
}

/** Ids of rows that something else than a child names. */
function namedIds({ ids, lastPrompt, boundaries, toolSources }: TranscriptIndex): BitSet {
  const named = new BitSet(ids.uuidCount);
  const add = (id: number): void => {
    if (id >= 0) named.add(id);
  };
  if (lastPrompt !== null) add(lastPrompt.leaf);
  for (const source of toolSources.values()) add(source);
  for (const { preserved } of boundaries) {
    switch (preserved.kind) {
      case 'none':
        break;
      case 'list':
        for (const id of [preserved.anchor, ...preserved.ids]) add(id);
        break;
      case 'segment':
        for (const id of [preserved.anchor, preserved.head, preserved.tail]) add(id);
        break;
    }
  }
  return named;
}

function faultyLines({ lineCount, lineFaults }: TranscriptIndex): BitSet {
  const faulty = new BitSet(lineCount + 1);
  for (const kind of FAULTS) for (const { line } of lineFaults.ofKind(kind)) faulty.add(line);
  return faulty;
}
