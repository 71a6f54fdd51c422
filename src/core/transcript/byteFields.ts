// Where the client's reader for large files finds the fields of a row, by bytes instead of by parsing.
// (docs/format.md, "Files over 5 MiB")

/** Every id is read as this many bytes, whatever its length is. */
const ID_BYTES = 36;
/** `isSidechain` is searched in this many bytes, nested or not: of a row that starts with its parent, and by old clients of all. */
const SIDECHAIN_WINDOW_BYTES = 256;

const START = Buffer.from('{"parentUuid":');
const PARENT_KEY = Buffer.from('"parentUuid":');
const UUID_KEY = Buffer.from('"uuid":"');
const SIDECHAIN_TRUE = Buffer.from('"isSidechain":true');
const SIDECHAIN_KEY = Buffer.from('"isSidechain":');
/** Follows the id of nearly every row. */
const TIMESTAMP_KEY = Buffer.from('","timestamp":"');
const NULL = Buffer.from('null');
const TRUE = Buffer.from('true');

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The fields by which the reader links rows. */
export interface ByteFields {
  /** Null if the row states that there is none; undefined if the value is neither a string nor null. */
  readonly parent: string | null | undefined;
  /** Null if there is none. Then the line is metadata, unless it starts with its parent. */
  readonly uuid: string | null;
  readonly isSidechain: boolean;
  /** What clients before 2.1.318 take for the same: it is true in one of the first bytes. */
  readonly startsSidechain: boolean;
  readonly startsWithParent: boolean;
}

/** Null if the line has no parent at all, and is therefore metadata. */
export function readByteFields(bytes: Buffer): ByteFields | null {
  const startsWithParent = holds(bytes, START, 0) && bytes.length > START.length;
  const key = startsWithParent ? 1 : bytes.includes(PARENT_KEY) ? outermostKey(bytes, PARENT_KEY) : -1;
  if (key < 0) return null;
  const parentAt = key + PARENT_KEY.length;
  const uuidAt = findUuid(bytes);
  return {
    parent: bytes[parentAt] === QUOTE ? idAt(bytes, parentAt + 1) : holds(bytes, NULL, parentAt) ? null : undefined,
    uuid: uuidAt < 0 ? null : idAt(bytes, uuidAt + UUID_KEY.length),
    isSidechain: isSidechain(bytes, key === 1),
    startsSidechain: bytes.subarray(0, SIDECHAIN_WINDOW_BYTES).includes(SIDECHAIN_TRUE),
    startsWithParent,
  };
}

function isSidechain(bytes: Buffer, hasEarlyParent: boolean): boolean {
  let at = hasEarlyParent ? bytes.subarray(0, SIDECHAIN_WINDOW_BYTES).indexOf(SIDECHAIN_KEY) : -1;
  if (at < 0) at = bytes.includes(SIDECHAIN_KEY) ? outermostKey(bytes, SIDECHAIN_KEY) : -1;
  return at >= 0 && holds(bytes, TRUE, at + SIDECHAIN_KEY.length);
}

/**
 * The uuid that a timestamp follows at once. Of several: the first that is a key of an outermost object, else the last.
 * Without any: the first uuid of the line, wherever it is.
 */
function findUuid(bytes: Buffer): number {
  let first = -1;
  let timed = -1;
  let timedCount = 0;
  for (let at = bytes.indexOf(UUID_KEY); at >= 0; at = bytes.indexOf(UUID_KEY, at + UUID_KEY.length)) {
    if (first < 0) first = at;
    if (!isTimed(bytes, at)) continue;
    timed = at;
    timedCount++;
  }
  if (timedCount < 2) return timedCount === 0 ? first : timed;
  const outermost = outermostKey(bytes, UUID_KEY, (at) => isTimed(bytes, at));
  return outermost < 0 ? timed : outermost;
}

function isTimed(bytes: Buffer, uuidAt: number): boolean {
  return holds(bytes, TIMESTAMP_KEY, uuidAt + UUID_KEY.length + ID_BYTES);
}

/** The first place of a key at depth 1, where only braces count as depth; -1 if there is none. */
function outermostKey(bytes: Buffer, key: Buffer, isWanted: (at: number) => boolean = () => true): number {
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      if (depth === 1 && holds(bytes, key, at) && isWanted(at)) return at;
      at = stringEnd(bytes, at);
    } else if (byte === OPEN_BRACE) depth++;
    else if (byte === CLOSE_BRACE) depth--;
  }
  return -1;
}

/** The closing quote of the string that starts at `from`. */
function stringEnd(bytes: Buffer, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function holds(bytes: Buffer, part: Buffer, at: number): boolean {
  if (at + part.length > bytes.length) return false;
  for (let index = 0; index < part.length; index++) if (bytes[at + index] !== part[index]) return false;
  return true;
}

function idAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + ID_BYTES);
}
