import { NO_ID } from '../../../transcript/idTable';
import { isCountedOnMain, ParentForm, RowFlag, RowKind } from '../../../transcript/rowFlags';
import { RowIndex, type TranscriptIndex } from '../../../transcript/transcriptIndex';
import { lastBoundary, preservedRows } from './walk';
import type { RowGraph } from './graph';

type Links = Pick<ChainView, 'hasForwardLinks' | 'orphans'>;

const ORDERLY_LINKS: Links = { hasForwardLinks: false, orphans: [] };

/**
 * The chain rows of the file as a person would count them, including those that the client does not see because of other
 * bytes on their line. Diagnosis and repair use this view, so that one damaged line is not also reported as the missing
 * parent of its children.
 */
export class ChainView {
  readonly index: TranscriptIndex;
  /** uuid → the last chain row that has it; null until first used, since not every diagnosis needs it. */
  #lastRow: RowIndex | null;
  /** uuid → the last row of another type that has it. */
  readonly #lastOther = new Map<number, number>();
  /** Whether any uuid occurs in more than one chain row. */
  readonly hasDuplicates: boolean;
  /** Whether any link leads to its own row or to a later one; without such a link there is no cycle. */
  readonly hasForwardLinks: boolean;
  /** The chain rows that name a parent which is not a chain row of the file, in file order. */
  readonly orphans: readonly number[];
  /** First row that the client reads: the last compaction's boundary, or 0. */
  readonly segmentStart: number;
  readonly #preserved: ReadonlySet<number>;
  /** The first row from there on that counts as a message; null until it is asked for. */
  #firstCounted: number | null = null;

  constructor(graph: RowGraph) {
    const { index, wholeIndex: whole } = graph;
    this.index = index;
    // The loader already has such an index unless it leaves rows out.
    this.#lastRow = whole?.lastRow ?? null;
    this.hasDuplicates = !index.isOrderly && (whole?.hasDuplicates ?? this.#fillIndex());
    const { hasForwardLinks, orphans } = index.isOrderly ? ORDERLY_LINKS : this.#readLinks();
    this.hasForwardLinks = hasForwardLinks;
    this.orphans = orphans;
    const boundary = lastBoundary(graph);
    this.segmentStart = boundary?.row ?? 0;
    this.#preserved = new Set(boundary === null ? [] : preservedRows(graph, boundary));
  }

  /** Returns whether any uuid occurs in more than one chain row. */
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

  #readLinks(): Links {
    const { rows } = this.index;
    const orphans: number[] = [];
    let hasForwardLinks = false;
    for (let row = 0; row < rows.count; row++) {
      const parent = this.rowOf(rows.parent(row));
      hasForwardLinks ||= parent >= row;
      if (parent === NO_ID && this.isOrphan(row) && this.isChainRow(row)) orphans.push(row);
    }
    return { hasForwardLinks, orphans };
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

  /** Whether the row names a parent that is not a chain row of the file. */
  isOrphan(row: number): boolean {
    const { rows } = this.index;
    const form = rows.parentForm(row);
    if (form === ParentForm.absent || form === ParentForm.null) return false;
    return this.rowOf(rows.parent(row)) === NO_ID;
  }

  /**
   * Whether a broken link of this row loses no history: the row belongs to a subagent or to rows that a compaction
   * replaced, the client does not follow the link, or the parent is in the session from which the row was forked.
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

  /**
   * Whether Claude does not find what came before the row at which a walk ended although it names a parent. If nothing came before it
   * in this file, the history begins there.
   */
  losesHistoryAbove(brokenAt: number): boolean {
    const { rows } = this.index;
    const form = rows.parentForm(brokenAt);
    const namesParent = form === ParentForm.text || form === ParentForm.other;
    return namesParent && !this.isBreakHarmless(brokenAt) && !this.beginsHistory(brokenAt);
  }

  /** Whether no message of the conversation comes before the row, from the last compaction on. */
  beginsHistory(row: number): boolean {
    this.#firstCounted ??= this.#findFirstCounted();
    return row <= this.#firstCounted;
  }

  #findFirstCounted(): number {
    const { rows } = this.index;
    let row = this.segmentStart;
    while (row < rows.count && !isCountedOnMain(rows.flags(row))) row++;
    return row;
  }
}

function isChainRow(index: TranscriptIndex, row: number): boolean {
  return index.rows.kind(row) !== RowKind.other;
}
