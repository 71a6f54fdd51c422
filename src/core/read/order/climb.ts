import type { Examination } from '../../faults/examination';
import { NO_ID } from '../../scan/idTable';
import { ParentForm, RowFlag, RowKind } from '../../scan/rowFlags';
import { BitSet } from '../../util/bitSet';

/** A result is hung from its call when that is no further above in the file, in rows. */
const MAX_CALL_DISTANCE = 1_000;
/** Rows that are looked at, a row of the file, to find where broken links go on; beyond, the line ends. */
const MAX_LOOKS_PER_ROW = 50;

/**
 * Goes up the conversation as a person lived through it: along the links; over a broken one to the row that a repair
 * would hang it from; and over a compaction to the rows before it. No row is come to twice.
 */
export class Climb {
  readonly #examination: Examination;
  readonly #taken: BitSet;
  #looks: number;
  /** The last step led over a broken link. */
  isBreak = false;

  constructor(examination: Examination) {
    this.#examination = examination;
    const { count } = examination.facts.rows;
    this.#taken = new BitSet(count);
    this.#looks = count * MAX_LOOKS_PER_ROW;
  }

  take(row: number): void {
    this.#taken.add(row);
  }

  has(row: number): boolean {
    return this.#taken.has(row);
  }

  /** The row above, which is not taken yet; `NO_ID` at the top. */
  above(row: number): number {
    const { facts, view } = this.#examination;
    const { rows } = facts;
    this.isBreak = false;
    const form = rows.parentForm(row);
    const parent = this.#parent(row);
    if (parent !== NO_ID && !this.has(parent)) return parent;
    const isBehindPreserved = parent !== NO_ID && this.#isPreserved(parent);
    if (rows.has(row, RowFlag.compactBoundary) || isBehindPreserved) return this.#nearestBefore(row, 0);
    if (form === ParentForm.absent || form === ParentForm.null) return NO_ID;
    this.isBreak = true;
    const hung = this.#bridge(row);
    if (hung !== NO_ID) return hung;
    const call = this.#callOf(row);
    return call !== NO_ID ? call : this.#nearestBefore(row, row >= view.segmentStart ? view.segmentStart : 0);
  }

  /** Rows that a compaction preserves stand below it in the view: from before it, links lead past them. */
  #parent(row: number): number {
    let parent = this.#link(row);
    while (parent !== NO_ID && this.#isPreserved(parent) && this.#looks > 0) {
      this.#looks--;
      const next = this.#link(parent);
      if (next === NO_ID) break;
      parent = next;
    }
    return parent;
  }

  #link(row: number): number {
    const { facts, view } = this.#examination;
    return facts.rows.parentForm(row) === ParentForm.text ? view.rowOf(facts.rows.parent(row)) : NO_ID;
  }

  #isPreserved(row: number): boolean {
    return row < this.#examination.view.segmentStart && this.has(row);
  }

  /** See `RepairDraft.nearestBefore`. */
  #nearestBefore(row: number, first: number): number {
    const { rows } = this.#examination.facts;
    for (let at = row - 1; at >= first && this.#looks > 0; at--, this.#looks--) {
      const kind = rows.kind(at);
      if (kind === RowKind.other || kind === RowKind.progress || this.has(at)) continue;
      if (this.#isSameLane(at, row)) return at;
    }
    return NO_ID;
  }

  /** The chain row above a row of another kind that the link names. */
  #bridge(row: number): number {
    const { facts, view } = this.#examination;
    for (let id = facts.rows.parent(row); id !== NO_ID && this.#looks > 0; this.#looks--) {
      const found = view.rowOf(id);
      if (found !== NO_ID) return this.has(found) ? NO_ID : found;
      const other = view.otherRowOf(id);
      if (other === NO_ID) return NO_ID;
      id = facts.rows.parent(other);
    }
    return NO_ID;
  }

  /** The row with the call that a result answers. */
  #callOf(row: number): number {
    const { rows } = this.#examination.facts;
    if (!rows.has(row, RowFlag.hasToolResult)) return NO_ID;
    const call = rows.toolResults(row)[0] ?? NO_ID;
    const first = Math.max(0, row - MAX_CALL_DISTANCE);
    for (let at = row - 1; at >= first && this.#looks > 0; at--, this.#looks--) {
      if (!rows.has(at, RowFlag.hasToolUse) || this.has(at) || !this.#isSameLane(at, row)) continue;
      if (rows.toolUses(at).includes(call)) return at;
    }
    return NO_ID;
  }

  #isSameLane(row: number, other: number): boolean {
    const { rows } = this.#examination.facts;
    return rows.has(row, RowFlag.sidechain) === rows.has(other, RowFlag.sidechain);
  }
}
