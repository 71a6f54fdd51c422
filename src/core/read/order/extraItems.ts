import type { Examination } from '../../faults/examination';
import { NO_ID } from '../../scan/idTable';
import { RowKind } from '../../scan/rowFlags';
import type { RowTable } from '../../scan/rowTable';
import { Column } from '../../util/column';
import { ItemKind, type ItemBuilder } from './itemBuilder';
import { rowAtLine } from './rowAtLine';

/** Items beside the rows of a view, by the row of the view that they stand behind; `NO_ID` for those before all. */
export interface ExtraItems {
  addTo(builder: ItemBuilder, behind: number): void;
}

/** Extras of one kind in the order of the file. */
interface Source {
  readonly kind: ItemKind;
  readonly values: ArrayLike<number>;
  lineOf(value: number): number;
}

export const NO_EXTRAS: ExtraItems = { addTo: () => undefined };

const FAULT_KINDS = ['torn', 'glued', 'nul', 'bom'] as const;

/**
 * What stands between the rows of a view in the file and belongs to no line of the conversation: faulty lines, rows of
 * unknown types, rows of other types that carry a uuid, and `loose` rows. All in the order of the file, at some bytes each:
 * every line may be one.
 */
export function extraItems(examination: Examination, view: Int32Array, loose: Int32Array): ExtraItems {
  const { rows } = examination.facts;
  const sources = sourcesOf(examination, view, loose);
  if (sources.every(({ values }) => values.length === 0)) return NO_EXTRAS;
  const inFile = view.slice().sort();
  const [kinds, values] = [Column.uint32(), Column.uint32()];
  /** Row → the first of its extras, and the one behind its last. */
  const spans = new Map<number, { readonly from: number; to: number }>();
  let at = 0;
  forEachInFile(sources, (kind, value, line) => {
    while (at < inFile.length && rows.line(inFile[at] ?? 0) < line) at++;
    const behind = at === 0 ? NO_ID : (inFile[at - 1] ?? NO_ID);
    kinds.push(kind);
    values.push(value);
    const span = spans.get(behind);
    if (span === undefined) spans.set(behind, { from: values.length - 1, to: values.length });
    else span.to = values.length;
  });
  return {
    addTo(builder, row) {
      const span = spans.get(row);
      if (span === undefined) return;
      for (let extra = span.from; extra < span.to; extra++) {
        // SAFETY: the column holds kinds alone.
        const kind = kinds.get(extra) as ItemKind;
        if (kind === ItemKind.row) builder.addRow(values.get(extra));
        else builder.add(kind, values.get(extra));
      }
    },
  };
}

/** Of several on one line, the one of the earlier source comes first. */
function forEachInFile(sources: readonly Source[], take: (kind: ItemKind, value: number, line: number) => void): void {
  const next = sources.map(() => 0);
  const lineOf = (source: Source, at: number): number =>
    at < source.values.length ? source.lineOf(source.values[at] ?? 0) : Infinity;
  for (;;) {
    let first = 0;
    let line = Infinity;
    for (const [number, source] of sources.entries()) {
      const its = lineOf(source, next[number] ?? 0);
      if (its < line) [first, line] = [number, its];
    }
    const source = sources[first];
    if (line === Infinity || source === undefined) return;
    const at = next[first] ?? 0;
    next[first] = at + 1;
    take(source.kind, source.values[at] ?? 0, line);
  }
}

function sourcesOf({ facts }: Examination, view: Int32Array, loose: Int32Array): readonly Source[] {
  const { rows, lineFaults, unknownTypes } = facts;
  const others = Column.int32();
  for (let row = 0; row < rows.count; row++) if (rows.kind(row) === RowKind.other) others.push(row);
  const otherRows = others.toArray();
  const lineOfRow = (row: number): number => rows.line(row);
  const lineItself = (line: number): number => line;
  return [
    { kind: ItemKind.fault, values: faultsToShow(rows, lineFaults), lineOf: lineItself },
    // Of the whole file, the rows are all in the view.
    { kind: ItemKind.row, values: view.length === rows.count ? [] : otherRows, lineOf: lineOfRow },
    { kind: ItemKind.unknown, values: unknownLines(unknownTypes, rows, otherRows), lineOf: lineItself },
    { kind: ItemKind.row, values: loose, lineOf: lineOfRow },
  ];
}

/** Lines with rows of unknown types that are not stored. */
function unknownLines(
  unknownTypes: Examination['facts']['unknownTypes'],
  rows: RowTable,
  otherRows: Int32Array,
): Float64Array {
  let count = 0;
  for (const { lines } of unknownTypes.values()) count += lines.length;
  const all = new Float64Array(count);
  let length = 0;
  for (const { lines } of unknownTypes.values()) for (const line of lines) all[length++] = line;
  all.sort();
  let other = 0;
  let kept = 0;
  let before = 0;
  for (const line of all) {
    while (other < otherRows.length && rows.line(otherRows[other] ?? 0) < line) other++;
    const isStored = other < otherRows.length && rows.line(otherRows[other] ?? 0) === line;
    if (!isStored && line !== before) all[kept++] = line;
    before = line;
  }
  return all.subarray(0, kept);
}

/** Of faulty lines that follow each other and hold no rows, the first stands for all: a file may consist of such. */
function faultsToShow(rows: RowTable, faults: Examination['facts']['lineFaults']): Float64Array {
  const lines = new Set<number>();
  if (faults.isEmpty) return new Float64Array(0);
  for (const kind of FAULT_KINDS) for (const fault of faults.ofKind(kind)) lines.add(fault.line);
  const shown = [...lines].filter((line) => !lines.has(line - 1) || hasRow(rows, line) || hasRow(rows, line - 1));
  return Float64Array.from(shown).sort();
}

function hasRow(rows: RowTable, line: number): boolean {
  return rowAtLine(rows, line) !== NO_ID;
}
