import { addressOf, clearColumn, createColumn, lengthOf, push } from './columns';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  forgetBackslash,
  isDigit,
  isNothing,
  sawBackslash,
} from './json';
import { skipColon, skipSpace, skipString, skipValue } from './json';
import { codeOf, createNames } from './names';

// The token counts of a message. Its rows repeat the counts, and later rows may have higher ones, so the highest value of each
// count is kept.

/** Number of counts in an entry; their codes are 1 … COUNTS. */
export const COUNTS: u32 = 8;
/** Code of the list of requests that were made for one reply. */
const ITERATIONS: u32 = 13;
/** Codes of the objects in `usage` that have their own counts, and the first and last of those counts. */
const CACHE_CREATION: u32 = 14;
const CACHE_FIRST: u32 = 5;
const CACHE_LAST: u32 = 6;
/** The other object is `server_tool_use`, 15. */
const SERVER_FIRST: u32 = 7;
const SERVER_LAST: u32 = 8;

export const usageFields = createNames();
export const usageDetails = createNames();

/** The counts that were read last. */
export const counts = memory.data(32, 16);

/** Numbers per entry: the message's last row, its key, its model, then the counts. */
const ENTRY: u32 = 3 + COUNTS;
export const usageEntries = createColumn();
/** Entry + 1 of each message key. */
const entryOfKey = createColumn();

export function clearUsage(): void {
  clearColumn(usageEntries);
  clearColumn(entryOfKey);
}

/** Objects with their own counts that have occurred: a second one with the same name is left to JSON.parse. */
let seen: u32 = 0;

/** Reads the object at `at` into `counts`. */
export function readUsage(at: usize): usize {
  memory.fill(counts, 0, COUNTS * 4);
  seen = 0;
  return readCounts(at, 0);
}

/** `owner` is the code of the object; 0 for `usage` itself. */
function readCounts(at: usize, owner: u32): usize {
  at = skipSpace(at + 1);
  if (load<u8>(at) == CLOSE_BRACE) return at + 1;
  while (true) {
    if (load<u8>(at) != QUOTE) return 0;
    const name = at + 1;
    forgetBackslash();
    at = skipString(name);
    if (at == 0 || sawBackslash) return 0;
    const code = codeIn(owner, name, <u32>(at - 1 - name));
    at = skipColon(at);
    if (at == 0) return 0;
    if (code == 0) at = skipValue(at);
    else if (code <= COUNTS) at = readCount(at, code);
    else if (code == ITERATIONS) at = skipIterations(at);
    else {
      if ((seen & (1 << code)) != 0) return 0;
      seen |= 1 << code;
      if (load<u8>(at) == OPEN_BRACE) at = readCounts(at, code);
      else at = isNothing(at) ? skipValue(at) : 0;
    }
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte != COMMA) return byte == CLOSE_BRACE ? at + 1 : 0;
    at = skipSpace(at + 1);
  }
}

/** A list of several requests, the last of which counts, is left to JSON.parse. */
function skipIterations(at: usize): usize {
  if (load<u8>(at) != OPEN_BRACKET) return skipValue(at);
  at = skipSpace(at + 1);
  if (load<u8>(at) == CLOSE_BRACKET) return at + 1;
  at = skipValue(at);
  if (at == 0) return 0;
  at = skipSpace(at);
  return load<u8>(at) == CLOSE_BRACKET ? at + 1 : 0;
}

/** Tokens in the context after the reply whose counts were read last; 0 if it counts no input. */
export function contextTokens(): u32 {
  const read = load<u32>(counts) + load<u32>(counts, 8) + load<u32>(counts, 12);
  return read == 0 ? 0 : read + load<u32>(counts, 4);
}

function codeIn(owner: u32, name: usize, length: u32): u32 {
  if (owner == 0) return codeOf(usageFields, name, length);
  const code = codeOf(usageDetails, name, length);
  const first = owner == CACHE_CREATION ? CACHE_FIRST : SERVER_FIRST;
  const last = owner == CACHE_CREATION ? CACHE_LAST : SERVER_LAST;
  return code >= first && code <= last ? code : 0;
}

/** Up to nine digits, or null for 0; everything else is left to JSON.parse. */
function readCount(at: usize, code: u32): usize {
  let value: u32 = 0;
  const start = at;
  if (isNothing(at)) at = skipValue(at);
  else {
    for (; isDigit(load<u8>(at)); at++) value = value * 10 + (<u32>load<u8>(at) - 0x30);
    const digits = at - start;
    if (digits == 0 || digits > 9 || (digits > 1 && load<u8>(start) == 0x30)) return 0;
    const next = <u32>load<u8>(at);
    if (next == 0x2e || (next | 0x20) == 0x65) return 0;
  }
  const slot = counts + ((code - 1) << 2);
  // The same name occurs twice.
  if (load<u32>(slot) != 0) return 0;
  store<u32>(slot, value);
  return at;
}

/** Adds `counts` to the entry of the message, or to a separate entry if it has no key. `model` is -1 if none is named. */
export function addUsage(row: u32, key: i32, model: i32): void {
  const entry = entryOf(key);
  const at = entry * ENTRY;
  store<u32>(addressOf(usageEntries, at), row);
  if (model >= 0) store<u32>(addressOf(usageEntries, at + 2), model);
  for (let count: u32 = 0; count < COUNTS; count++) {
    const slot = addressOf(usageEntries, at + 3 + count);
    const value = load<u32>(counts + (count << 2));
    if (value > load<u32>(slot)) store<u32>(slot, value);
  }
}

function entryOf(key: i32): u32 {
  if (key < 0) return createEntry(key);
  while (lengthOf(entryOfKey) <= <u32>key) push(entryOfKey, 0);
  const slot = addressOf(entryOfKey, key);
  if (load<u32>(slot) == 0) store<u32>(slot, createEntry(key) + 1);
  return load<u32>(slot) - 1;
}

function createEntry(key: i32): u32 {
  const entry = lengthOf(usageEntries) / ENTRY;
  push(usageEntries, 0);
  push(usageEntries, key);
  push(usageEntries, <u32>-1);
  for (let count: u32 = 0; count < COUNTS; count++) push(usageEntries, 0);
  return entry;
}
