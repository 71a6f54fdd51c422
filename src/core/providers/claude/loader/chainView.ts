import { NO_ID } from '../../../transcript/idTable';
import { ParentForm, RowFlag, RowKind } from '../../../transcript/rowTable';
import { RowIndex, type TranscriptIndex } from '../../../transcript/transcriptIndex';
import { lastBoundary, preservedRows } from './compaction';
import type { RowGraph } from './graph';

/**
 * The chain rows of the file as a person would count them: also those that the client does not see because of what
 * stands around them on their line. Diagnosis and repair look at this view, so that one damaged line is not also reported as
 * the lost parent of the rows that hang from it.
 */
export class ChainView {
  readonly index: TranscriptIndex;
  /** uuid → the last chain row that has it; null until somebody asks, where no finding needs it. */
  #lastRow: RowIndex | null;
  /** uuid → the last row of another type that has it. */
  readonly #lastOther = new Map<number, number>();
  /** A uuid stands in more than one chain row. */
  readonly hasDuplicates: boolean;
  /** A link leads to the row itself or to a later one: without any there is no ring. */
  readonly hasForwardLinks: boolean;
  /** First row of what the client reads: the last compaction's boundary, or 0. */
  readonly segmentStart: number;
  readonly #preserved: ReadonlySet<number>;

  constructor(graph: RowGraph) {
    const { index, wholeIndex: whole } = graph;
    this.index = index;
    // The loader has such an index already, but for rows that it leaves out.
    this.#lastRow = whole?.lastRow ?? null;
    this.hasDuplicates = !index.isOrderly && (whole?.hasDuplicates ?? this.#fillIndex());
    this.hasForwardLinks = !index.isOrderly && this.#findForwardLink();
    const boundary = lastBoundary(graph);
    this.segmentStart = boundary?.row ?? 0;
    this.#preserved = new Set(boundary === null ? [] : preservedRows(graph, boundary));
  }

  /** Returns whether a uuid stands in more than one chain row. */
  #fillIndex(): boolean {
    const { index } = this;
    const lastRow = new RowIndex(index);
    this.#lastRow = lastRow;
    let hasDuplicates = false;
    for (let row = 0; row < index.rows.count; row++) {
      const uuid = index.rows.uuid(row);
      if (isChainRow(index, row)) {
        hasDuplicates ||= lastRow.get(uuid) !== NO_ID;
        lastRow.set(uuid, row);
      } else this.#lastOther.set(uuid, row);
    }
    return hasDuplicates;
  }

  #findForwardLink(): boolean {
    const { rows } = this.index;
    for (let row = 0; row < rows.count; row++) if (this.rowOf(rows.parent(row)) >= row) return true;
    return false;
  }

  /** The chain row that an id names, or `NO_ID`. */
  rowOf(id: number): number {
    if (this.#lastRow === null) this.#fillIndex();
    return this.#lastRow?.get(id) ?? NO_ID;
  }

  /** The row of another type that an id names, or `NO_ID`. */
  otherRowOf(id: number): number {
    return this.#lastOther.get(id) ?? NO_ID;
  }

  isChainRow(row: number): boolean {
    return isChainRow(this.index, row);
  }

  /** It names a parent, and no chain row of the file is it. */
  isOrphan(row: number): boolean {
    const { rows } = this.index;
    const form = rows.parentForm(row);
    if (form === ParentForm.absent || form === ParentForm.null) return false;
    return form === ParentForm.other || this.rowOf(rows.parent(row)) === NO_ID;
  }

  /**
   * A broken link of this row takes no history from anybody: it belongs to a subagent or to what a compaction replaced,
   * the client does not follow it, or its parent lies in the session it was forked from.
   */
  isBreakHarmless(row: number): boolean {
    const { rows } = this.index;
    return (
      row < this.segmentStart ||
      rows.has(row, RowFlag.sidechain) ||
      rows.has(row, RowFlag.compactBoundary) ||
      rows.has(row, RowFlag.forked) ||
      this.#preserved.has(row)
    );
  }
}

function isChainRow(index: TranscriptIndex, row: number): boolean {
  return index.rows.kind(row) !== RowKind.other;
}
