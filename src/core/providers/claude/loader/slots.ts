import { BoundaryForm } from '../../../transcript/byteBoundary';
import { ByteFlag, type ByteRows, type KeptList, LARGE_FILE_BYTES, PromptForm } from '../../../transcript/byteRows';
import { NO_ID } from '../../../transcript/idTable';
import { RowFlag } from '../../../transcript/rowFlags';
import { RowIndex, type TranscriptIndex } from '../../../transcript/transcriptIndex';
import { rowAtLine } from '../../../transcript/transcriptRows';
import { BitSet } from '../../../util/columns';
import type { ReaderRules } from './rules';

/** Rows before a compaction with a list are indexed in groups of this many rows, from the compaction upwards. */
const INDEX_GROUP_ROWS = 64;
/** After this many rows, all others are indexed at once. */
const INDEX_LIMIT_ROWS = 2048;

/** A place that no slot has. */
export const NOWHERE = -1;
/** Where a link leads: the row has no parent, or names one that the reader does not know. */
const NO_PARENT = -1;
export const UNKNOWN = -2;

/**
 * Whether the client loses something if anything follows the first value of a line: in a large file, some clients lose the row, and all of
 * them what a compaction on the line keeps. (docs/format.md, "What the reader sees of a line")
 */
export function mustEndLine(index: TranscriptIndex, rules: ReaderRules, line: number): boolean {
  if (index.fileSize <= LARGE_FILE_BYTES) return false;
  const row = rowAtLine(index.rows, line);
  if (row === NO_ID) return false;
  return !rules.readsFirstValues || index.boundaries.some((each) => each.row === row && each.preserved.kind !== 'none');
}

/**
 * The rows that the reader links, from the last compaction on that keeps nothing. A slot is the place of such a row among
 * them.
 */
export class Slots {
  /** Slot → byte row. */
  readonly rows: number[] = [];
  /** The last compaction that keeps nothing, and what comes after it. */
  readonly firstRow: number;
  /** The last compaction that keeps rows; null if there is none since `firstRow`. */
  readonly list: KeepingBoundary | null;
  hasDuplicates = false;
  /** 1 for slots whose ids are not known yet. */
  readonly #isLate: Uint8Array;
  readonly #lastOf: RowIndex;
  readonly #eagerCount: number;
  /** Byte row → id of the parent that replaces the one in the file, or null for none. */
  readonly #replaced: ReadonlyMap<number, number | null>;
  /** Slot → row of the index, or `NO_ID` if the loader finds no row on the line. */
  readonly #indexRows: Int32Array;

  constructor(
    readonly index: TranscriptIndex,
    readonly byteRows: ByteRows,
    readonly rules: ReaderRules,
    links: ReadonlyMap<number, number>,
  ) {
    let first = byteRows.count - 1;
    while (first >= 0 && this.boundaryForm(first) !== BoundaryForm.plain) first--;
    this.firstRow = Math.max(first, 0);
    let eagerCount = first >= 0 && rules.indexesLate ? 1 : Infinity;
    let list: KeepingBoundary | null = null;
    const late: number[] = [];
    for (let row = this.firstRow; row < byteRows.count; row++) {
      const isLinked = byteRows.has(row, ByteFlag.linked);
      const isLate = byteRows.has(row, ByteFlag.startsWithParent) && this.rows.length >= eagerCount;
      const slot = isLinked && (isLate || byteRows.has(row, ByteFlag.hasUuid)) ? this.rows.length : NOWHERE;
      const form = this.boundaryForm(row);
      if (form === BoundaryForm.listed && eagerCount === Infinity && rules.indexesLate)
        eagerCount = this.rows.length + 1;
      if (form === BoundaryForm.listed || form === BoundaryForm.unlisted) {
        list = { slot: form === BoundaryForm.listed ? slot : NOWHERE, kept: byteRows.listOf(row) };
      }
      if (slot === NOWHERE) continue;
      this.rows.push(row);
      if (isLate && slot >= eagerCount) late.push(slot);
    }
    this.list = list;
    this.#eagerCount = Math.min(eagerCount, this.rows.length);
    this.#isLate = new Uint8Array(this.rows.length);
    for (const slot of late) this.#isLate[slot] = 1;
    this.#lastOf = new RowIndex(byteRows);
    this.#replaced = replacedParents(index, byteRows, links);
    this.#indexRows = this.#findIndexRows();
    for (let slot = 0; slot < this.count; slot++) if (this.#isLate[slot] === 0) this.#know(slot);
  }

  get count(): number {
    return this.rows.length;
  }

  has(slot: number, flag: number): boolean {
    return this.byteRows.has(this.rows[slot] ?? 0, flag);
  }

  /** Whether the row has an id, as far as the reader looked. Rows that have none are metadata. */
  isRow(slot: number): boolean {
    return this.#isLate[slot] === 1 || this.has(slot, ByteFlag.hasUuid);
  }

  isSidechain(slot: number): boolean {
    return this.has(slot, this.rules.findsSidechainByKey ? ByteFlag.sidechain : ByteFlag.startsSidechain);
  }

  /** Whether the conversation cannot end at the slot. */
  isPassedOver(slot: number): boolean {
    return this.rules.passesOverOddRoots && this.parent(slot) === NO_PARENT && this.has(slot, ByteFlag.noLeaf);
  }

  /** Whether the slot is the compaction that keeps nothing. */
  isPlainBoundary(slot: number): boolean {
    return slot < this.count && this.boundaryForm(this.rows[slot] ?? 0) === BoundaryForm.plain;
  }

  /** How the reader takes a byte row that may be a compaction. */
  boundaryForm(row: number): BoundaryForm {
    const { byteRows, rules } = this;
    const isUnseen =
      (!rules.seesCompactionsBehindNuls && byteRows.has(row, ByteFlag.behindNuls)) ||
      (!rules.seesLateCompactions && byteRows.has(row, ByteFlag.late));
    if (isUnseen) return BoundaryForm.none;
    const form = byteRows.boundaryForm(row);
    return form === BoundaryForm.listed && !rules.followsKeptLists ? BoundaryForm.unlisted : form;
  }

  /** How the reader takes a byte row that may be a `last-prompt`. */
  promptForm(row: number): PromptForm {
    const { byteRows, rules } = this;
    const form = byteRows.promptForm(row);
    const isLost = !rules.readsFirstValues && byteRows.has(row, ByteFlag.sharesLine);
    return form !== PromptForm.none && isLost ? PromptForm.dropped : form;
  }

  /** The row of the index on the line, or `NO_ID`. */
  indexRow(slot: number): number {
    return this.#indexRows[slot] ?? NO_ID;
  }

  /** The last slot with an id, or `NOWHERE`. */
  slotOf(id: number): number {
    return this.#lastOf.get(id);
  }

  /** The slot of the parent, `NO_PARENT` or `UNKNOWN`. */
  parent(slot: number): number {
    if (this.#isLate[slot] === 1) return NO_PARENT;
    const row = this.rows[slot] ?? 0;
    const replaced = this.#replaced.size === 0 ? undefined : this.#replaced.get(row);
    if (replaced === null) return NO_PARENT;
    if (replaced === undefined && !this.byteRows.has(row, ByteFlag.hasParent)) {
      return this.byteRows.has(row, ByteFlag.oddParent) && this.rules.breaksAtOddLinks ? UNKNOWN : NO_PARENT;
    }
    const parent = this.#lastOf.get(replaced ?? this.byteRows.named(row));
    return parent === NO_ID ? UNKNOWN : parent;
  }

  /** Indexes the rows that the reader left out at first, as far as it does. */
  indexLate(): void {
    if (this.list === null) this.#knowAll(this.#eagerCount, this.count);
    else if (this.list.kept !== null) this.#indexForList(this.list.slot, this.list.kept);
  }

  #indexForList(boundary: number, { anchor, ids }: KeptList): void {
    this.#knowAll(Math.max(boundary, this.#eagerCount), this.count);
    if (boundary === NOWHERE) return;
    const isMissing = (): boolean => [...ids, anchor].some((id) => this.slotOf(id) === NOWHERE);
    let end = boundary;
    for (let done = 0; end > this.#eagerCount && done < INDEX_LIMIT_ROWS && isMissing();) {
      const start = Math.max(this.#eagerCount, end - INDEX_GROUP_ROWS);
      this.#knowAll(start, end);
      done += end - start;
      end = start;
    }
    if (end > this.#eagerCount && (isMissing() || this.#leadsToUnknown(boundary, ids))) {
      this.#knowAll(this.#eagerCount, end);
    }
  }

  /** Whether a row from the boundary on has an ancestor that is not known. */
  #leadsToUnknown(boundary: number, ids: readonly number[]): boolean {
    const seen = new BitSet(this.count);
    for (const id of ids) seen.add(this.slotOf(id));
    for (let slot = boundary; slot < this.count; slot++) {
      if (!this.isRow(slot)) continue;
      let parent = this.parent(slot);
      while (parent >= 0 && parent < boundary && !seen.has(parent)) {
        seen.add(parent);
        parent = this.parent(parent);
      }
      if (parent === UNKNOWN) return true;
    }
    return false;
  }

  #findIndexRows(): Int32Array {
    const { byteRows, rules } = this;
    const { rows } = this.index;
    const hiding = rules.readsFirstValues ? RowFlag.hidden : RowFlag.hidden | RowFlag.sharesLine;
    const found = new Int32Array(this.count).fill(NO_ID);
    let row = 0;
    for (const [slot, at] of this.rows.entries()) {
      const line = byteRows.lineOf(at);
      while (row < rows.count && rows.line(row) < line) row++;
      const isHidden = rows.has(row, hiding) || (line === 1 && byteRows.startsWithBom);
      if (row < rows.count && rows.line(row) === line && !isHidden) found[slot] = row;
    }
    return found;
  }

  #knowAll(from: number, to: number): void {
    for (let slot = Math.max(from, 0); slot < to; slot++) if (this.#isLate[slot] === 1) this.#know(slot);
  }

  #know(slot: number): void {
    this.#isLate[slot] = 0;
    const id = this.byteRows.uuid(this.rows[slot] ?? 0);
    if (id === NO_ID) return;
    const known = this.slotOf(id);
    this.hasDuplicates ||= known !== NOWHERE;
    if (known < slot) this.#lastOf.set(id, slot);
  }
}

export interface KeepingBoundary {
  /** `NOWHERE` if it does not list the rows, or is no slot. */
  readonly slot: number;
  readonly kept: KeptList | null;
}

/** The parents that replace those in the file, by byte row. A repair writes the uuid of the row as it is. */
function replacedParents(
  { ids, rows }: TranscriptIndex,
  byteRows: ByteRows,
  links: ReadonlyMap<number, number>,
): ReadonlyMap<number, number | null> {
  const replaced = new Map<number, number | null>();
  for (const [row, parent] of links) {
    const line = rows.line(row);
    const at = rowAtLine(rows, line) === row ? byteRows.linkedAt(line) : NO_ID;
    if (at === NO_ID) continue;
    const text = parent < 0 ? null : (ids.text(rows.uuid(parent)) ?? '');
    replaced.set(at, text === null ? null : byteRows.ids.has(text) ? byteRows.ids.intern(text) : NO_ID);
  }
  return replaced;
}
