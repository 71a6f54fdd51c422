import { SEGMENT_BYTES, allocate, allocateSegment } from './memory';

// Growable columns of four-byte numbers, in segments that never move. A column is an address, at which TypeScript reads its
// length, four unused bytes, and the addresses of its segments. A segment is a chunk of the `Column` in TypeScript.

const SEGMENT_BITS: u32 = 15;
const SEGMENT_MASK: u32 = (1 << SEGMENT_BITS) - 1;
/** 268 million numbers: more than the heap can hold. */
const MAX_SEGMENTS: u32 = 8192;

export type Column = usize;

export function createColumn(): Column {
  return allocate(8 + MAX_SEGMENTS * 4);
}

export function lengthOf(column: Column): u32 {
  return load<u32>(column);
}

/** Removes the values but keeps the segments. */
export function clearColumn(column: Column): void {
  store<u32>(column, 0);
}

export function push(column: Column, value: u32): void {
  const at = load<u32>(column);
  const slot = column + 8 + ((at >> SEGMENT_BITS) << 2);
  if (load<usize>(slot) == 0) store<usize>(slot, allocateSegment());
  store<u32>(load<usize>(slot) + ((at & SEGMENT_MASK) << 2), value);
  store<u32>(column, at + 1);
}

/** Address of the value at `at`, which must be below the length. */
export function addressOf(column: Column, at: u32): usize {
  return load<usize>(column + 8 + ((at >> SEGMENT_BITS) << 2)) + ((at & SEGMENT_MASK) << 2);
}

export function get(column: Column, at: u32): u32 {
  return load<u32>(addressOf(column, at));
}

/** Like `get`, for a column of eight-byte numbers. */
export function getWide(column: Column, at: u32): f64 {
  return load<f64>(load<usize>(slotOf(column, at)) + ((at & SEGMENT_MASK) << 3));
}

// Columns of equal length are filled together: when the first of them is full, all of them get a segment.

export function isSegmentStart(at: u32): bool {
  return (at & SEGMENT_MASK) == 0;
}

/** Adds the segment that starts with the value at `at`. */
export function addSegment(column: Column, at: u32): void {
  const slot = slotOf(column, at);
  if (load<usize>(slot) == 0) store<usize>(slot, allocateSegment());
}

/** Like `addSegment`, for a column of eight-byte numbers: a segment holds as many numbers in twice the bytes. */
export function addWideSegment(column: Column, at: u32): void {
  const slot = slotOf(column, at);
  if (load<usize>(slot) == 0) store<usize>(slot, allocate(2 * SEGMENT_BYTES));
}

/** Like `push`, if `at` is the length of the column and its segment exists. */
export function put(column: Column, at: u32, value: u32): void {
  store<u32>(load<usize>(slotOf(column, at)) + ((at & SEGMENT_MASK) << 2), value);
  store<u32>(column, at + 1);
}

export function putWide(column: Column, at: u32, value: f64): void {
  store<f64>(load<usize>(slotOf(column, at)) + ((at & SEGMENT_MASK) << 3), value);
  store<u32>(column, at + 1);
}

function slotOf(column: Column, at: u32): usize {
  return column + 8 + ((at >> SEGMENT_BITS) << 2);
}
