import type { RepairEdit } from '../../src/protocol/repair';
import { hasField, joinRows, type RowText, setField, splitRows } from './rowText';

export interface RepairedBytes {
  readonly original: Buffer;
  readonly repaired: Buffer;
  readonly backup: Buffer | null;
  readonly edits: readonly RepairEdit[];
}

/** What must be true of the bytes: the backup is the original, and only the edited values differ. */
export function faultsOfBytes({ original, repaired, backup, edits }: RepairedBytes): string[] {
  const faults: string[] = [];
  if (backup === null) faults.push('no backup is named');
  else if (!backup.equals(original)) faults.push('the backup is not the original, byte for byte');
  const rows = splitRows(original);
  // A missing field, and bytes around a row, can be inserted in more than one place.
  const isExact = edits.every(({ line, field }) => field !== 'line' && hasField(rows[line - 1] ?? '', field));
  if (isExact && !applyEdits(rows, edits).equals(repaired)) faults.push('bytes beside the edited values differ');
  if (!isExact && !keepsOtherRows(rows, edits, splitRows(repaired))) faults.push('rows without an edit differ');
  return faults;
}

function applyEdits(rows: readonly RowText[], edits: readonly RepairEdit[]): Buffer {
  const edited = [...rows];
  for (const { line, field, to } of edits) edited[line - 1] = setField(edited[line - 1] ?? '', field, to);
  return joinRows(edited);
}

/** The rows without an edit, in order, among those of the repaired transcript. */
function keepsOtherRows(rows: readonly RowText[], edits: readonly RepairEdit[], repaired: readonly RowText[]): boolean {
  const editedLines = new Set(edits.map(({ line }) => line));
  let at = 0;
  for (const row of rows.filter((_, index) => !editedLines.has(index + 1))) {
    at = repaired.indexOf(row, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
