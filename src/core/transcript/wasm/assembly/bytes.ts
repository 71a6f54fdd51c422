import { clearColumn, createColumn, push } from './columns';
import { NO_ID } from './ids';
import { COLON, QUOTE } from './json';
import { ABSENT, IS_SIDECHAIN, LEAF, PARENT, STRING, TIMESTAMP, TYPE, UUID } from './row';
import { formOf, hasRepeatedField, lengthOfText, placeOf } from './row';

// The client's reader for large files finds the fields of a row by its bytes instead of by parsing. This proves for each row
// that both find the same: the fields stand where every client writes them. Any other row leaves the file to a second
// reading. (src/core/transcript/byteRows.ts)

/** Bytes of `{"parentUuid":`, `,"isSidechain":`, `,"timestamp":` and `{"type":`. */
const PARENT_START: u32 = 14;
const SIDECHAIN_KEY: u32 = 15;
const TIMESTAMP_KEY: u32 = 13;
const TYPE_START: u32 = 8;
/** Bytes of `null`, and of an id with its quotes. */
const NULL: u32 = 4;
const ID: u32 = 38;
/** Only shorter lines (strictly) are taken for a `last-prompt`. */
const LEAF_LIMIT: u32 = 1024;
/** In a longer row, other uuids are not searched. */
const SEARCH_LIMIT: u32 = 4096;

/** No row so far leaves the file to a second reading. */
export let bytesAgree: bool = false;
/** Two numbers for each row that may name the leaf: its line, and the id or `NO_ID`. */
export const leafColumn = createColumn();

export function startBytes(isWanted: bool): void {
  bytesAgree = isWanted;
  clearColumn(leafColumn);
}

/** A row that is stored. It has a type that every client knows, and no compaction is among these rows. */
export function proveRow(at: usize, newline: usize): void {
  if (!bytesAgree) return;
  const parent = placeOf(PARENT);
  const parentLength = formOf(PARENT) == STRING ? ID : NULL;
  bytesAgree =
    !hasRepeatedField &&
    parent == at + PARENT_START &&
    placeOf(IS_SIDECHAIN) == parent + parentLength + SIDECHAIN_KEY &&
    isId(UUID) &&
    (isTimed() || isOnlyUuid(at, newline));
}

/** A row that is no part of the tree. */
export function provePlain(): void {
  if (bytesAgree) bytesAgree = !hasRepeatedField && formOf(PARENT) == ABSENT;
}

export function proveLeaf(at: usize, newline: usize, line: u32, id: i32): void {
  if (!bytesAgree) return;
  const isShort = newline - at < LEAF_LIMIT;
  const isPlain = formOf(PARENT) == ABSENT && (id == NO_ID ? formOf(LEAF) == ABSENT : isId(LEAF));
  bytesAgree = !hasRepeatedField && placeOf(TYPE) == at + TYPE_START && isShort && isPlain;
  push(leafColumn, line);
  push(leafColumn, id);
}

/** Whether the value is a string of the length of an id, with nothing between it and its name but a colon. */
function isId(field: u32): bool {
  const place = placeOf(field);
  if (formOf(field) != STRING || lengthOfText(field) != ID - 2) return false;
  return load<u8>(place - 1) == COLON && load<u8>(place - 2) == QUOTE;
}

function isTimed(): bool {
  return formOf(TIMESTAMP) == STRING && placeOf(TIMESTAMP) == placeOf(UUID) + ID + TIMESTAMP_KEY;
}

/** Whether `"uuid":"` occurs once in the row, nested or not. */
function isOnlyUuid(at: usize, newline: usize): bool {
  if (newline - at > SEARCH_LIMIT) return false;
  const place = placeOf(UUID) - 7;
  const wanted = load<u64>(place);
  for (; at < newline; at++) if (load<u64>(at) == wanted && at != place) return false;
  return true;
}
