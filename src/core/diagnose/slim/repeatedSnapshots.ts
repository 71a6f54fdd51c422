import { createHash } from 'node:crypto';
import { valueRange } from '../../transcript/jsonMembers';
import { NO_ID } from '../../transcript/idTable';
import { RowKind } from '../../transcript/rowFlags';
import type { RowSource } from '../../transcript/rowSource';
import type { TranscriptIndex } from '../../transcript/transcriptIndex';
import { BitSet } from '../../util/columns';
import { objectField, parseObject } from '../../util/json';
import type { FixedPlaces } from './removableRows';

/** A smaller snapshot stays: there is nothing to gain. It is less than any system prompt of the client. */
const MIN_SNAPSHOT_BYTES = 4 * 1024;

const SNAPSHOT = 'prompt_snapshot';

/** The snapshots of a transcript that repeat one. */
export interface RepeatedSnapshots {
  readonly rows: BitSet;
  /** The value of the last snapshot among rows, oldest first; null if there is none. Known if some snapshot can be removed. */
  readonly valueIn: (history: Iterable<number>) => string | null;
}

/**
 * The attachments with the system prompt and the tools that say what the nearest one above them says. The client sends none of them, and
 * takes the last one of a history. So whichever row a history ends with, it is the same without them. (docs/format.md, "Parents")
 */
export function repeatedSnapshots(index: TranscriptIndex, places: FixedPlaces, source: RowSource): RepeatedSnapshots {
  const { rows } = index;
  const repeated = new BitSet(rows.count);
  const nothing = { rows: repeated, valueIn: () => null };
  // Most transcripts have no two large ones with the same value, so that no other attachment has to be read.
  const large = new Map<number, string>();
  for (let row = 0; row < rows.count; row++) {
    if (rows.kind(row) !== RowKind.attachment) continue;
    if (rows.offsetAfter(row, index.fileSize) - rows.offset(row) < MIN_SNAPSHOT_BYTES) continue;
    const mayBeOne = source.wholeLineAt(rows.offset(row))?.includes(SNAPSHOT) === true;
    const value = mayBeOne ? snapshotValue(row, index, source) : null;
    if (value !== null) large.set(row, value);
  }
  if (new Set(large.values()).size === large.size) return nothing;
  const values = new Map(large);
  for (let row = 0; row < rows.count; row++) {
    const value = rows.kind(row) === RowKind.attachment && !large.has(row) ? snapshotValue(row, index, source) : null;
    if (value !== null) values.set(row, value);
  }
  /** For each row, the nearest snapshot among the rows above it and itself. */
  const nearest = new Int32Array(rows.count).fill(NO_ID);
  const found: number[] = [];
  const parents = new BitSet(rows.count);
  for (let row = 0; row < rows.count; row++) {
    const parent = places.parentOf(row);
    if (parent !== NO_ID) parents.add(parent);
    const above = parent === NO_ID ? NO_ID : (nearest[parent] ?? NO_ID);
    nearest[row] = values.has(row) ? row : above;
    const isRepeated = large.has(row) && above !== NO_ID && values.get(above) === values.get(row);
    if (isRepeated && places.mayLeave(row)) found.push(row);
  }
  // The client may start from one that nothing hangs from.
  for (const row of found) if (parents.has(row)) repeated.add(row);
  if (repeated.isEmpty) return nothing;
  return {
    rows: repeated,
    valueIn(history) {
      let last: string | null = null;
      for (const row of history) last = values.get(row) ?? last;
      return last;
    },
  };
}

/** A hash of the snapshot in an attachment; what no other row has if it may be one. Null if it is another attachment. */
function snapshotValue(row: number, { rows }: TranscriptIndex, source: RowSource): string | null {
  const bytes = source.wholeLineAt(rows.offset(row));
  const object = bytes === null ? null : parseObject(bytes.toString('utf8'));
  if (bytes === null || object === null) return `unknown ${row}`;
  if (objectField(object, 'attachment')?.['type'] !== SNAPSHOT) return null;
  const range = valueRange(bytes, 'attachment');
  if (range === null) return `unknown ${row}`;
  return createHash('sha256').update(bytes.subarray(range.start, range.end)).digest('hex');
}
