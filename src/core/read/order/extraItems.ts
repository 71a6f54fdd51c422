import type { Examination } from '../../faults/examination';
import { NO_ID } from '../../scan/idTable';
import { RowKind } from '../../scan/rowFlags';
import type { RowTable } from '../../scan/rowTable';
import { rowAtLine } from './rowAtLine';
import { ItemKind, type ItemBuilder } from './itemBuilder';

/** Items beside the rows of a view, by the row of the view that they stand behind; `NO_ID` for those before all. */
export interface ExtraItems {
  addTo(builder: ItemBuilder, behind: number): void;
}

interface Extra {
  readonly line: number;
  readonly kind: ItemKind;
  readonly value: number;
}

const FAULT_KINDS = ['torn', 'glued', 'nul', 'bom'] as const;
const ORDER: Readonly<Record<ItemKind, number>> = {
  [ItemKind.fault]: 0,
  [ItemKind.break]: 1,
  [ItemKind.healedBreak]: 1,
  [ItemKind.row]: 2,
  [ItemKind.unknown]: 2,
};

/**
 * What stands between the rows of a view in the file and belongs to no line of the conversation: faulty lines, rows of
 * unknown types, and rows of other types that carry a uuid.
 */
export function extraItems(examination: Examination, view: Int32Array): ExtraItems {
  const extras = collect(examination, view).sort((a, b) => a.line - b.line || ORDER[a.kind] - ORDER[b.kind]);
  const byRow = new Map<number, Extra[]>();
  const { rows } = examination.facts;
  const inFile = extras.length === 0 ? view : view.slice().sort();
  let behind = NO_ID;
  let at = 0;
  for (const extra of extras) {
    for (; at < inFile.length && rows.line(inFile[at] ?? 0) < extra.line; at++) behind = inFile[at] ?? NO_ID;
    const list = byRow.get(behind) ?? [];
    byRow.set(behind, list);
    list.push(extra);
  }
  return {
    addTo(builder, row) {
      for (const { kind, value } of byRow.get(row) ?? []) {
        if (kind === ItemKind.row) builder.addRow(value);
        else builder.add(kind, value);
      }
    },
  };
}

function collect({ facts }: Examination, view: Int32Array): Extra[] {
  const { rows, lineFaults, unknownTypes } = facts;
  const extras: Extra[] = [];
  const isWholeFile = view.length === rows.count;
  for (let row = 0; !isWholeFile && row < rows.count; row++) {
    if (rows.kind(row) === RowKind.other) extras.push({ line: rows.line(row), kind: ItemKind.row, value: row });
  }
  const unknown = new Set<number>();
  for (const { lines } of unknownTypes.values()) for (const line of lines) unknown.add(line);
  for (let row = 0; unknown.size > 0 && row < rows.count; row++) {
    if (rows.kind(row) === RowKind.other) unknown.delete(rows.line(row));
  }
  for (const line of unknown) extras.push({ line, kind: ItemKind.unknown, value: line });
  const faulty = faultyLines(lineFaults);
  for (const line of faulty) {
    // Of lines that follow each other and hold no rows, the first stands for all: a file may consist of such.
    const isOneOfMany = faulty.has(line - 1) && !hasRow(rows, line) && !hasRow(rows, line - 1);
    if (!isOneOfMany) extras.push({ line, kind: ItemKind.fault, value: line });
  }
  return extras;
}

function hasRow(rows: RowTable, line: number): boolean {
  return rowAtLine(rows, line) !== NO_ID;
}

function faultyLines(faults: Examination['facts']['lineFaults']): Set<number> {
  const lines = new Set<number>();
  if (faults.isEmpty) return lines;
  for (const kind of FAULT_KINDS) for (const fault of faults.ofKind(kind)) lines.add(fault.line);
  return lines;
}
