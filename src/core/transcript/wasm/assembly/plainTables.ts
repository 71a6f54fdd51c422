import { allocate } from './memory';

// What the telling of a plain transcript's resume keeps of rows and keys. Memory that is not written to costs nothing.

/** Longer transcripts are left to TypeScript. */
export const MAX_ROWS: u32 = 1 << 16;
export const MAX_IDS: u32 = 1 << 17;
export const MAX_KEYS: u32 = 1 << 17;

/** A row without a parent. */
export const ROOT: i32 = -1;
/** The row names a parent that the loader does not have. */
export const BROKEN: i32 = -2;
/** No row. */
export const NONE: i32 = -1;
/** A row or a length that only TypeScript can tell. */
export const UNSURE: i32 = -2;

/** States of a row. */
export const HELD: u8 = 1;
export const IN_CHAIN: u8 = 2;
export const IN_HISTORY: u8 = 4;
export const KEPT: u8 = 8;
/** A copy of the row stands behind it, where the client does not see it. */
export const COPIED: u8 = 16;

const rowStates = allocate(<usize>MAX_ROWS);
/** Parent of each row: a row, `ROOT` or `BROKEN`. */
export const parents = allocate((<usize>MAX_ROWS) << 2);
export const rowOfId = allocate((<usize>MAX_IDS) << 2);

/** Lists of rows by key: the other rows of a message, or the results of a call. */
const firstInList = allocate((<usize>MAX_KEYS) << 2);
const endOfList = allocate((<usize>MAX_KEYS) << 2);
const nextInList = allocate((<usize>MAX_ROWS) << 2);

export function at32(list: usize, index: u32): i32 {
  return load<i32>(list + ((<usize>index) << 2));
}

export function set32(list: usize, index: u32, value: i32): void {
  store<i32>(list + ((<usize>index) << 2), value);
}

export function stateOf(row: u32): u8 {
  return load<u8>(rowStates + row);
}

export function mark(row: u32, state: u8): void {
  store<u8>(rowStates + row, load<u8>(rowStates + row) | state);
}

export function clearStates(rows: u32): void {
  memory.fill(rowStates, 0, rows);
}

export function clearLists(keys: u32): void {
  memory.fill(firstInList, 0xff, (<usize>keys) << 2);
}

/** The first row of the key's list, or `NONE`. */
export function firstOf(key: u32): i32 {
  return at32(firstInList, key);
}

/** The row behind this one in its list, or `NONE`. */
export function nextOf(row: u32): i32 {
  return at32(nextInList, row);
}

export function clearList(key: u32): void {
  set32(firstInList, key, NONE);
}

export function addToList(key: u32, row: u32): void {
  if (at32(firstInList, key) == NONE) set32(firstInList, key, row);
  else set32(nextInList, at32(endOfList, key), row);
  set32(endOfList, key, row);
  set32(nextInList, row, NONE);
}
