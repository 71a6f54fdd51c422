import { HIDDEN, KIND_MASK, KIND_OTHER, PARENT_MASK } from './bits';
import { clearColumn, createColumn, lengthOf, push, pushWide } from './columns';
import { idCount } from './ids';

// The rows that are stored, as columns: the same as `RowTable`'s.

export const lineColumn = createColumn();
export const flagsColumn = createColumn();
export const uuidColumn = createColumn();
export const parentColumn = createColumn();
/** Milliseconds since the epoch, or NaN; eight bytes each. */
export const timestampColumn = createColumn();
export const messageColumn = createColumn();
export const hashColumn = createColumn();
export const toolStartColumn = createColumn();
export const toolColumn = createColumn();
/** Low half of the row's offset in the file. */
export const offsetColumn = createColumn();
/** Two numbers wherever the high half of the offset changes: the first row that has it, and the half. */
export const highOffsets = createColumn();
/** Two numbers for each row that names the row of its call beside its parent: the row and the id. */
export const sourceColumn = createColumn();

let highOffset: u32 = 0;
/** Without hashes a row costs a tenth less: they are of use only where two rows have one uuid. */
export let hasHashes: bool = true;
/** A row has a uuid that an earlier row may have, too: it is none that was named for the first time. */
export let mayRepeat: bool = false;
/** Rows with a uuid. */
let namedRows: u32 = 0;
/** A row is no chain row, is not seen by the client, or has a parent that is no id. */
let hasOddRow: bool = false;
let highestUuid: i32 = -1;

export function clearRows(withHashes: bool): void {
  hasHashes = withHashes;
  mayRepeat = false;
  namedRows = 0;
  hasOddRow = false;
  highestUuid = -1;
  clearColumn(lineColumn);
  clearColumn(flagsColumn);
  clearColumn(uuidColumn);
  clearColumn(parentColumn);
  clearColumn(timestampColumn);
  clearColumn(messageColumn);
  clearColumn(hashColumn);
  clearColumn(toolStartColumn);
  clearColumn(toolColumn);
  clearColumn(offsetColumn);
  clearColumn(highOffsets);
  clearColumn(sourceColumn);
  highOffset = 0;
}

export function rowCount(): u32 {
  return lengthOf(lineColumn);
}

/** The row's tools were pushed before, from `toolStart` on. */
export function pushRow(
  line: u32,
  flags: u32,
  uuid: i32,
  parent: i32,
  timestamp: f64,
  message: i32,
  hash: u32,
  toolStart: u32,
  offset: f64,
): u32 {
  const row = rowCount();
  const high = <u32>((<u64>offset) >> 32);
  if (high != highOffset) {
    highOffset = high;
    push(highOffsets, row);
    push(highOffsets, high);
  }
  push(lineColumn, line);
  push(flagsColumn, flags);
  push(uuidColumn, uuid);
  push(parentColumn, parent);
  pushWide(timestampColumn, timestamp);
  push(messageColumn, message);
  if (hasHashes) push(hashColumn, hash);
  if (uuid > highestUuid) highestUuid = uuid;
  else if (uuid != -1) mayRepeat = true;
  if (uuid != -1) {
    namedRows++;
    if (uuid == parent) hasOddRow = true;
  }
  if ((flags & KIND_MASK) == KIND_OTHER || (flags & PARENT_MASK) == PARENT_MASK || (flags & HIDDEN) != 0) {
    hasOddRow = true;
  }
  if (lengthOf(toolColumn) != 0) {
    // The rows before the first tool need no column.
    while (lengthOf(toolStartColumn) < row) push(toolStartColumn, 0);
    push(toolStartColumn, toolStart);
  }
  push(offsetColumn, <u32>(<u64>offset));
  return row;
}

/**
 * Every id that was named is that of one row, and every parent stands before its children: uuids were numbered in the
 * order of their rows, or before.
 */
export function isOrderly(): bool {
  return !mayRepeat && !hasOddRow && namedRows == idCount();
}
