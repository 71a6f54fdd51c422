import { NO_ID } from './idTable';
import { RowKind } from './rowFlags';
import { RowIndex, type TranscriptIndex } from './transcriptIndex';

/**
 * Whether rows with one uuid differ in their bytes, and the hashes do not tell whether they hold the same message all the same.
 * Whoever reads the file then reads it again, for hashes of the messages (`ScannerOptions.withMessageHashes`). That is rare.
 */
export function needsMessageHashes(index: TranscriptIndex): boolean {
  if (!index.hashesBytes) return false;
  const { rows } = index;
  const first = new RowIndex(index);
  for (let row = 0; row < rows.count; row++) {
    const uuid = rows.uuid(row);
    if (uuid === NO_ID || rows.kind(row) === RowKind.other) continue;
    const earlier = first.get(uuid);
    if (earlier === NO_ID) first.set(uuid, row);
    else if (rows.hash(earlier) !== rows.hash(row)) return true;
  }
  return false;
}
