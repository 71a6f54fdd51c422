import { SEGMENT_BYTES, allocate, allocateSegment } from './memory';

// Growable columns of four-byte numbers, in segments that never move. A column is an address: its length, four bytes that
// are not used, then the addresses of its segments; TypeScript reads them there. A segment is a chunk of its `Column`.

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

/** Forgets the values, keeps the segments. */
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

/** As `push`, for a column of eight-byte numbers: its segments hold as many numbers in twice the bytes. */
export function pushWide(column: Column, value: f64): void {
  const at = load<u32>(column);
  const slot = column + 8 + ((at >> SEGMENT_BITS) << 2);
  if (load<usize>(slot) == 0) store<usize>(slot, allocate(2 * SEGMENT_BYTES));
  store<f64>(load<usize>(slot) + ((at & SEGMENT_MASK) << 3), value);
  store<u32>(column, at + 1);
}
