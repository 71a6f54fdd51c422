import { allocate } from './memory';

// Field names and type names are passed in by TypeScript, which knows the format; this module only compares them. A table lists
// the names of each length with their codes.

/** Longest name, in bytes. */
const MAX_LENGTH: u32 = 32;
const MAX_OF_ONE_LENGTH: u32 = 15;
const ENTRY_BYTES: u32 = 40;
const LENGTH_BYTES: u32 = (MAX_OF_ONE_LENGTH + 1) * ENTRY_BYTES;

export type Names = usize;

export function createNames(): Names {
  return allocate((MAX_LENGTH + 1) * LENGTH_BYTES);
}

/** `code` is not 0. Traps if the name is empty or too long, or if its table is full. */
export function addName(names: Names, at: usize, length: u32, code: u32): void {
  if (length == 0 || length > MAX_LENGTH) unreachable();
  const list = names + length * LENGTH_BYTES;
  const count = load<u32>(list);
  if (count == MAX_OF_ONE_LENGTH) unreachable();
  store<u32>(list, count + 1);
  const entry = list + (count + 1) * ENTRY_BYTES;
  store<u64>(entry, head(at, length));
  store<u64>(entry, middle(at, length), 8);
  store<u64>(entry, later(at, length), 16);
  store<u64>(entry, tail(at, length), 24);
  store<u32>(entry, code, 32);
}

/** Code of the name, or 0. Reads up to seven bytes after it. */
export function codeOf(names: Names, at: usize, length: u32): u32 {
  if (length > MAX_LENGTH) return 0;
  const list = names + length * LENGTH_BYTES;
  const count = load<u32>(list);
  if (count == 0) return 0;
  const first = head(at, length);
  for (let entry = list + ENTRY_BYTES, end = entry + count * ENTRY_BYTES; entry < end; entry += ENTRY_BYTES) {
    if (load<u64>(entry) != first) continue;
    if (length <= 8) return load<u32>(entry, 32);
    if (load<u64>(entry, 8) != middle(at, length) || load<u64>(entry, 16) != later(at, length)) continue;
    if (load<u64>(entry, 24) == tail(at, length)) return load<u32>(entry, 32);
  }
  return 0;
}

// The four words overlap if the name is shorter than 32 bytes; together they hold all of it.

function head(at: usize, length: u32): u64 {
  const word = load<u64>(at);
  return length >= 8 ? word : word & (((<u64>1) << ((<u64>length) << 3)) - 1);
}

function middle(at: usize, length: u32): u64 {
  return length <= 8 ? 0 : load<u64>(at + (length >= 16 ? 8 : length - 8));
}

function later(at: usize, length: u32): u64 {
  return length <= 16 ? 0 : load<u64>(at + (length >= 24 ? 16 : length - 8));
}

function tail(at: usize, length: u32): u64 {
  return length <= 24 ? 0 : load<u64>(at + length - 8);
}
