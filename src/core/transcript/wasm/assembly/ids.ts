import { addressOf, clearColumn, createColumn, lengthOf, push } from './columns';
import { createSlots } from './slots';

// Numbers canonical uuids 0, 1, 2 …, like `IdTable`. Rows with other ids are left to JSON.parse.

export const NO_ID: i32 = -1;

/** Length of a uuid as text, in bytes. */
export const UUID_LENGTH: u32 = 36;

/** Four numbers per id: the sixteen bytes of the uuid, most significant first. */
export const idWords = createColumn();

const slots = createSlots();
/** The uuid that `readUuid` has read last. */
const words = memory.data(16, 16);

export function clearIds(): void {
  clearColumn(idWords);
  slots.clear();
}

export function idCount(): u32 {
  return lengthOf(idWords) >> 2;
}

/** Reads the uuid at `at`, to be interned next; false if it is not a canonical lower-case uuid. */
export function readUuid(at: usize, length: u32): bool {
  if (length != UUID_LENGTH) return false;
  const dashes = load<u8>(at, 8) == 0x2d && load<u8>(at, 13) == 0x2d && load<u8>(at, 18) == 0x2d;
  if (!dashes || load<u8>(at, 23) != 0x2d) return false;
  const first = v128.shuffle<u8>(
    v128.load(at),
    v128.load(at, 2),
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    9,
    10,
    11,
    12,
    14,
    15,
    30,
    31,
  );
  const second = v128.shuffle<u8>(
    v128.load(at, 19),
    v128.load(at, 20),
    0,
    1,
    2,
    3,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    31,
  );
  if (!v128.all_true<u8>(v128.and(areHexDigits(first), areHexDigits(second)))) return false;
  const bytes = i8x16.narrow_i16x8_u(packed(first), packed(second));
  // Numbers are stored with the least significant byte first.
  v128.store(words, v128.shuffle<u8>(bytes, bytes, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
  return true;
}

function areHexDigits(digits: v128): v128 {
  const isDigit = i8x16.lt_u(i8x16.sub(digits, i8x16.splat(0x30)), i8x16.splat(10));
  const isLetter = i8x16.lt_u(i8x16.sub(digits, i8x16.splat(0x61)), i8x16.splat(6));
  return v128.or(isDigit, isLetter);
}

/** Each pair of hex digits as one number below 256. */
function packed(digits: v128): v128 {
  const isDigit = i8x16.lt_u(digits, i8x16.splat(0x3a));
  const offset = v128.bitselect(i8x16.splat(0x30), i8x16.splat(0x57), isDigit);
  const values = i8x16.sub(digits, offset);
  const pairs = v128.or(i16x8.shl(values, 4), i16x8.shr_u(values, 8));
  return v128.and(pairs, i16x8.splat(0xff));
}

/** Sets the four words that `readUuid` would set. */
export function setUuid(a: u32, b: u32, c: u32, d: u32): void {
  store<u32>(words, a);
  store<u32>(words, b, 4);
  store<u32>(words, c, 8);
  store<u32>(words, d, 12);
}

/** Number of the uuid that was read or set last. */
export function internUuid(): i32 {
  if (slots.isFull(idCount())) grow();
  const low = load<u64>(words);
  const high = load<u64>(words, 8);
  const mask = slots.size - 1;
  let slot = hashOf(low, high) & mask;
  while (true) {
    const entry = load<u32>(slots.at + ((<usize>slot) << 2));
    if (entry == 0) break;
    const known = addressOf(idWords, (entry - 1) << 2);
    if (load<u64>(known) == low && load<u64>(known, 8) == high) return <i32>(entry - 1);
    slot = (slot + 1) & mask;
  }
  const added = idCount();
  for (let word: usize = 0; word < 16; word += 4) push(idWords, load<u32>(words + word));
  store<u32>(slots.at + ((<usize>slot) << 2), added + 1);
  return <i32>added;
}

function grow(): void {
  slots.double();
  const mask = slots.size - 1;
  for (let id: u32 = 0, count = idCount(); id < count; id++) {
    const known = addressOf(idWords, id << 2);
    let slot = hashOf(load<u64>(known), load<u64>(known, 8)) & mask;
    while (load<u32>(slots.at + ((<usize>slot) << 2)) != 0) slot = (slot + 1) & mask;
    store<u32>(slots.at + ((<usize>slot) << 2), id + 1);
  }
}

function hashOf(low: u64, high: u64): u32 {
  const mixed = (low ^ (high * 0x9e3779b97f4a7c15)) * 0xd6e8feb86659fd93;
  return (<u32>(mixed >> 32)) ^ (<u32>mixed);
}
