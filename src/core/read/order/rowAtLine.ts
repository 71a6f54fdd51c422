import { NO_ID } from '../../scan/idTable';
import type { RowTable } from '../../scan/rowTable';

/** The first row that stands on a line; `NO_ID` when none does. */
export function rowAtLine(rows: RowTable, line: number): number {
  const row = firstRowFrom(rows, line);
  return row < rows.count && rows.line(row) === line ? row : NO_ID;
}

/** The first row that stands on a line or behind it. */
export function firstRowFrom(rows: RowTable, line: number): number {
  let low = 0;
  let high = rows.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows.line(middle) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
