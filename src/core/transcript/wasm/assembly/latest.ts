import { allocate } from './memory';

// Where and with what the session continued: the last value of each field, in JSON form without its quotes.

/** Longest value that is kept, in bytes; a row with a longer one is left to JSON.parse. */
export const MAX_LATEST: u32 = 4096;

export const CWD: u32 = 0;
export const GIT_BRANCH: u32 = 1;
export const VERSION: u32 = 2;
export const MODEL: u32 = 3;
/** The person's last prompt, which serves as a title. */
export const PROMPT: u32 = 4;
export const LATEST_FIELDS: u32 = 5;

const texts = allocate(LATEST_FIELDS * MAX_LATEST);
const lengths = memory.data(20, 16);
const UNKNOWN: u32 = <u32>-1;

/** Bit n is set if field n has a value that TypeScript has not read yet. */
export let latestChanges: u32 = 0;

/** Marks all values as unknown, because a row that JSON.parse has read may have others. */
export function forgetLatest(): void {
  latestChanges = 0;
  leafLine = 0;
  for (let field: u32 = 0; field < LATEST_FIELDS; field++) store<u32>(lengths + (field << 2), UNKNOWN);
}

/** Line of the last row that named the leaf; 0 if TypeScript has that value. */
export let leafLine: u32 = 0;
/** Number of rows stored before that row. */
export let leafRowsBefore: u32 = 0;
export let leafId: i32 = -1;

export function noteLeaf(line: u32, rowsBefore: u32, id: i32): void {
  leafLine = line;
  leafRowsBefore = rowsBefore;
  leafId = id;
}

export function noteLatest(field: u32, at: usize, length: u32): void {
  const text = latestText(field);
  if (load<u32>(lengths + (field << 2)) == length && isSame(text, at, length)) return;
  memory.copy(text, at, length);
  store<u32>(lengths + (field << 2), length);
  latestChanges |= 1 << field;
}

/** Compares eight bytes at a time; in the last eight, which it reads as a whole, ignores those beyond the length. */
export function isSame(a: usize, b: usize, length: u32): bool {
  for (; length > 8; length -= 8) {
    if (load<u64>(a) != load<u64>(b)) return false;
    a += 8;
    b += 8;
  }
  return (load<u64>(a) ^ load<u64>(b)) << ((8 - <u64>length) << 3) == 0 || length == 0;
}

export function latestText(field: u32): usize {
  return texts + field * MAX_LATEST;
}

export function latestLength(field: u32): u32 {
  return load<u32>(lengths + (field << 2));
}
