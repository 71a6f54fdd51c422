import { COUNTED, FORKED, HIDDEN, KIND_ASSISTANT, KIND_MASK, KIND_OTHER, KIND_USER } from './bits';
import { LOOSE_TIME, PARENT_MASK, SIDECHAIN } from './bits';
import { addSegment, addWideSegment, clearColumn, createColumn, isSegmentStart } from './columns';
import { lengthOf, push, put, putWide } from './columns';
import { NO_ID, idCount } from './ids';
import { SEGMENT_BYTES, allocate, allocateSegment } from './memory';

/** Room for a billion ids: more than the heap can hold. */
const MAX_STATE_SEGMENTS: usize = 8192;

// The stored rows, with the same columns as `RowTable`.

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
/** Two numbers for each change of the offsets' high half: the first row that has it, and the half. */
export const highOffsets = createColumn();
/** Tokens in the context after a reply, or 0, and the number of the model that the row names, or -1. */
export const contextColumn = createColumn();
export const modelColumn = createColumn();
/** Two numbers for each row that names a row of its call other than its parent: the row and the id. */
export const sourceColumn = createColumn();

let highOffset: u32 = 0;
/** Scanning without hashes is a tenth faster; they matter only if two rows have the same uuid. */
export let hasHashes: bool = true;
/** A row has, or may have, the same uuid as an earlier row. */
export let mayRepeat: bool = false;
/** A row follows a row that names it as its parent. */
let hasForwardLink: bool = false;
/** Two rows that the client sees have the same uuid. */
let hasTwins: bool = false;
/** The client does not see some row. */
let hasHidden: bool = false;
/** Number of rows with a uuid. */
let namedRows: u32 = 0;
/** A row is not a chain row, has a parent that is not an id, or is hidden without being a copy of an earlier row. */
let hasOddRow: bool = false;
/** The first row of the newest message of the main chain that counts the tokens of the context, or -1. */
export let countedRow: i32 = -1;
/** The highest number of tokens in the context that any row counts. */
export let mostContext: u32 = 0;
let countedMessage: i32 = NO_ID;
/** Number of user and assistant rows that the client sees. */
export let messageRows: u32 = 0;
/** Number of rows of the main chain that count. */
export let countedOnMain: u32 = 0;
/** The earliest time of a user or assistant row that no fork has copied; NaN if there is none. */
export let firstOwnMs: f64 = NaN;

const HAS_ROW: u8 = 1;
const IS_PARENT: u8 = 2;
/** Addresses of the segments that hold one byte for each id. */
const states = allocate(MAX_STATE_SEGMENTS << 2);

/** Address of the state of an id. */
function stateOf(id: u32): usize {
  const slot = states + ((<usize>(id / SEGMENT_BYTES)) << 2);
  if (load<usize>(slot) == 0) {
    store<usize>(slot, allocateSegment());
    memory.fill(load<usize>(slot), 0, SEGMENT_BYTES);
  }
  return load<usize>(slot) + (id % SEGMENT_BYTES);
}

function clearStates(): void {
  for (let id: u32 = 0; id < <u32>idCount(); id += SEGMENT_BYTES) {
    memory.fill(stateOf(id), 0, min<usize>(idCount() - id, SEGMENT_BYTES));
  }
}

export function clearRows(withHashes: bool): void {
  hasHashes = withHashes;
  mayRepeat = false;
  hasForwardLink = false;
  hasTwins = false;
  hasHidden = false;
  clearStates();
  namedRows = 0;
  hasOddRow = false;
  countedRow = -1;
  mostContext = 0;
  countedMessage = NO_ID;
  messageRows = 0;
  countedOnMain = 0;
  firstOwnMs = NaN;
  clearColumn(contextColumn);
  clearColumn(modelColumn);
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

/** Stores a row whose tools were pushed before, starting at `toolStart`. */
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
  context: u32,
  model: i32,
): u32 {
  const row = rowCount();
  const high = <u32>((<u64>offset) >> 32);
  if (high != highOffset) {
    highOffset = high;
    push(highOffsets, row);
    push(highOffsets, high);
  }
  if (isSegmentStart(row)) addSegments(row);
  put(lineColumn, row, line);
  put(flagsColumn, row, flags);
  put(uuidColumn, row, uuid);
  put(parentColumn, row, parent);
  putWide(timestampColumn, row, timestamp);
  put(messageColumn, row, message);
  put(offsetColumn, row, <u32>(<u64>offset));
  put(contextColumn, row, context);
  put(modelColumn, row, model);
  const kind = flags & KIND_MASK;
  if (kind == KIND_USER || kind == KIND_ASSISTANT) {
    if ((flags & HIDDEN) == 0) messageRows++;
    if ((flags & (FORKED | LOOSE_TIME)) == 0 && !isNaN(timestamp) && !(timestamp >= firstOwnMs)) firstOwnMs = timestamp;
  }
  if ((flags & (COUNTED | SIDECHAIN)) == COUNTED) countedOnMain++;
  if (context > mostContext) mostContext = context;
  // As in `RowTable`.
  if (context != 0 && (flags & (SIDECHAIN | HIDDEN)) == 0 && (message == NO_ID || message != countedMessage)) {
    countedRow = row;
    countedMessage = message;
  }
  if (hasHashes) push(hashColumn, hash);
  if (uuid != NO_ID) {
    namedRows++;
    if (uuid == parent) hasOddRow = true;
    noteRow(uuid, (flags & HIDDEN) != 0);
  } else if ((flags & HIDDEN) != 0) hasOddRow = true;
  if (parent >= 0 && load<u8>(stateOf(parent)) == 0) store<u8>(stateOf(parent), IS_PARENT);
  if (kind == KIND_OTHER || (flags & PARENT_MASK) == PARENT_MASK) hasOddRow = true;
  if (lengthOf(toolColumn) != 0) {
    // Rows before the first tool need no entry in the column.
    while (lengthOf(toolStartColumn) < row) push(toolStartColumn, 0);
    push(toolStartColumn, toolStart);
  }
  return row;
}

function noteRow(uuid: i32, isHidden: bool): void {
  const state = uuid >= 0 ? load<u8>(stateOf(uuid)) : 0;
  if (isHidden) {
    hasHidden = true;
    mayRepeat = true;
    if ((state & HAS_ROW) == 0) hasOddRow = true;
  } else if (uuid >= 0) {
    if ((state & HAS_ROW) != 0) hasTwins = true;
    if ((state & IS_PARENT) != 0) hasForwardLink = true;
    store<u8>(stateOf(uuid), state | HAS_ROW);
    // Ids that are no uuids are not looked up.
  } else hasTwins = true;
  if (hasTwins) mayRepeat = true;
}

function addSegments(row: u32): void {
  addSegment(lineColumn, row);
  addSegment(flagsColumn, row);
  addSegment(uuidColumn, row);
  addSegment(parentColumn, row);
  addWideSegment(timestampColumn, row);
  addSegment(messageColumn, row);
  addSegment(offsetColumn, row);
  addSegment(contextColumn, row);
  addSegment(modelColumn, row);
}

/**
 * Whether each id that occurs is the id of one row, and each parent precedes its children, so that uuids are numbered in the
 * order of their rows, or earlier.
 */
export function isOrderly(): bool {
  return !hasTwins && !hasForwardLink && !hasOddRow && !hasHidden && namedRows == idCount();
}
