import { addressOf, clearColumn, createColumn, lengthOf, push } from './columns';
import { BACKSLASH } from './json';
import { createSlots } from './slots';

// Numbers message ids and tool-call ids, like `KeyTable`: the same two hashes replace the string.

/** Two numbers per key: the halves of its hash. */
export const keyHashes = createColumn();

const slots = createSlots();

export function clearKeys(): void {
  clearColumn(keyHashes);
  slots.clear();
}

export function keyCount(): u32 {
  return lengthOf(keyHashes) >> 1;
}

/** Number of the key, or -1 if it contains an escape or is not ASCII. Reads up to 15 bytes after it. */
export function internKey(at: usize, length: u32): i32 {
  let low: u32 = 0x811c9dc5;
  let high: u32 = 0x9747b28c;
  for (let index: u32 = 0; index < length; index += 4) {
    const left = length - index;
    let word = load<u32>(at + index);
    if (left < 4) word &= (1 << (left << 3)) - 1;
    if (hasOddByte(word)) return -1;
    low = (low ^ word) * 0x01000193;
    low ^= low >> 15;
    high = (high ^ (word + index)) * 0x5bd1e995;
    high ^= high >> 13;
  }
  return internHashes(low ^ length, high);
}

/** Whether one of the four bytes is a backslash or not ASCII. */
function hasOddByte(word: u32): bool {
  const other = word ^ 0x5c5c5c5c;
  return ((word | ((other - 0x01010101) & ~other)) & 0x80808080) != 0;
}

export function internHashes(low: u32, high: u32): i32 {
  if (slots.isFull(keyCount())) grow();
  const mask = slots.size - 1;
  let slot = spread(low, high) & mask;
  while (true) {
    const entry = load<u32>(slots.at + ((<usize>slot) << 2));
    if (entry == 0) break;
    const known = addressOf(keyHashes, (entry - 1) << 1);
    if (load<u32>(known) == low && load<u32>(known, 4) == high) return <i32>(entry - 1);
    slot = (slot + 1) & mask;
  }
  const added = keyCount();
  push(keyHashes, low);
  push(keyHashes, high);
  store<u32>(slots.at + ((<usize>slot) << 2), added + 1);
  return <i32>added;
}

function grow(): void {
  slots.double();
  const mask = slots.size - 1;
  for (let key: u32 = 0, count = keyCount(); key < count; key++) {
    const known = addressOf(keyHashes, key << 1);
    let slot = spread(load<u32>(known), load<u32>(known, 4)) & mask;
    while (load<u32>(slots.at + ((<usize>slot) << 2)) != 0) slot = (slot + 1) & mask;
    store<u32>(slots.at + ((<usize>slot) << 2), key + 1);
  }
}

function spread(low: u32, high: u32): u32 {
  const mixed = (low ^ (high >> 7)) * 0x2c1b3c6d;
  return mixed ^ (mixed >> 16);
}
