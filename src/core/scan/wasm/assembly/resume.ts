import { API_ERROR, COMPACT_BOUNDARY, COUNTED, FORKED, HAS_TEXT, HAS_TOOL_RESULT, HAS_TOOL_USE, HIDDEN } from './bits';
import { NO_RESPONSE, NUL_PREFIXED, SIDECHAIN } from './bits';
import { KIND_ASSISTANT, KIND_MASK, KIND_PROGRESS, KIND_USER, PARENT_MASK, PARENT_TEXT, USABLE } from './bits';
import { clearColumn, createColumn, get, getWide, lengthOf, push } from './columns';
import { NO_ID, idCount } from './ids';
import { keyCount } from './keys';
import { allocate } from './memory';
import {
  flagsColumn,
  hasHashes,
  hashColumn,
  isInFileOrder,
  lineColumn,
  messageColumn,
  parentColumn,
  rowCount,
} from './rows';
import { timestampColumn, toolColumn, toolStartColumn, uuidColumn } from './rows';

// What the client loads of a plain transcript, told from the columns: the steps of src/core/resume, which is the judge of
// this file, without what only odd transcripts need. In a plain one every row has a uuid of its own and stands behind its
// parent, if the file holds that at all. Whatever is not certain here is left to TypeScript.

/** Longer transcripts are left to TypeScript. */
const MAX_ROWS: u32 = 1 << 16;
const MAX_IDS: u32 = 1 << 17;
const MAX_KEYS: u32 = 1 << 17;
/** Broken links that are looked at one by one. */
const MAX_BREAKS: u32 = 64;

const ROOT: i32 = -1;
/** The row names a parent that the loader does not have. */
const BROKEN: i32 = -2;
const NONE: i32 = -1;
/** A start that only TypeScript finds; a length that only it can tell. */
const UNSURE: i32 = -2;

/** The rows that are loaded, the rows that count, and the other figures of the verdict. */
export let loads: u32 = 0;
export let counted: u32 = 0;
export let chainDepth: u32 = 0;
export let messageCount: u32 = 0;
/** Id of the row that the walk starts from, or `NO_ID`. */
export let startId: i32 = NO_ID;
/** Lines of the counted rows that are not loaded. */
export const missingLines = createColumn();
/** Rows that name a parent that the file does not hold: where that costs history, and where Claude does not look for one. */
export const harmfulOrphans = createColumn();
export const harmlessOrphans = createColumn();

/** Rows of which the client does not see a copy, each with the copy. */
export const copies = createColumn();
/** Rows whose parent has such a copy: the last row of its uuid is none that counts. */
export let orphansOfCopies: u32 = 0;

/** States of a row. */
const HELD: u8 = 1;
const IN_CHAIN: u8 = 2;
const IN_HISTORY: u8 = 4;
const KEPT: u8 = 8;
/** A copy of the row stands behind it, where the client does not see it. */
const COPIED: u8 = 16;

/** States of a key. */
const USED: u8 = 1;
const ANSWERED: u8 = 2;
/** The same, by rows that are sent. */
const SENT_USE: u8 = 4;
const SENT_ANSWER: u8 = 8;
/** The client answers the call itself. */
const OPEN: u8 = 16;

// Memory that is not written to costs nothing.
const rowOfId = allocate((<usize>MAX_IDS) << 2);
const parents = allocate((<usize>MAX_ROWS) << 2);
const rowStates = allocate(<usize>MAX_ROWS);
/** The next row of the list that the row is in: the other rows of a message, or the results of a call. */
const nextInList = allocate((<usize>MAX_ROWS) << 2);
const history = allocate((<usize>MAX_ROWS) << 2);
const longHistory = allocate((<usize>MAX_ROWS) << 2);
const keyStates = allocate(<usize>MAX_KEYS);
/** Last row of the message in the chain. */
const lastOfKey = allocate((<usize>MAX_KEYS) << 2);
const firstInList = allocate((<usize>MAX_KEYS) << 2);
const endOfList = allocate((<usize>MAX_KEYS) << 2);

let rows: u32 = 0;
/** Last row that the loader holds. */
let lastHeld: i32 = NONE;

/**
 * Tells the resume. `leaf` is the id that the newest `last-prompt` names, or `NO_ID`; `boundary` the row of the last
 * compaction, which preserves no rows, or `NONE`; `healMs` how far back in time the client looks for a row to go on with
 * at a broken link. False when it is left to TypeScript.
 */
export function resume(leaf: i32, boundary: i32, healMs: f64): bool {
  rows = rowCount();
  if (rows > MAX_ROWS || idCount() > MAX_IDS || keyCount() > MAX_KEYS || !isInFileOrder()) return false;
  clearColumn(missingLines);
  clearColumn(harmfulOrphans);
  clearColumn(harmlessOrphans);
  clearColumn(copies);
  if (!link(boundary)) return false;
  const start = chooseStart(leaf);
  if (start == UNSURE) return false;
  chainDepth = 0;
  startId = start == NONE ? NO_ID : <i32>get(uuidColumn, start);
  if (!walk(start, healMs)) return false;
  const chained = addSiblings();
  const length = addResults(chained);
  if (length == UNSURE) return false;
  keepRequest(length);
  count();
  return true;
}

function at32(list: usize, index: u32): i32 {
  return load<i32>(list + ((<usize>index) << 2));
}

function set32(list: usize, index: u32, value: i32): void {
  store<i32>(list + ((<usize>index) << 2), value);
}

function stateOf(row: u32): u8 {
  return load<u8>(rowStates + row);
}

function mark(row: u32, state: u8): void {
  store<u8>(rowStates + row, load<u8>(rowStates + row) | state);
}

/** Which rows the loader holds, and where their links lead: past rows that it passes over. (rowGraph.ts) */
function link(boundary: i32): bool {
  lastHeld = NONE;
  memory.fill(rowStates, 0, rows);
  memory.fill(rowOfId, 0xff, (<usize>idCount()) << 2);
  for (let row: u32 = 0; row < rows; row++) {
    const flags = get(flagsColumn, row);
    const uuid = get(uuidColumn, row);
    if (uuid == <u32>NO_ID || (flags & (SIDECHAIN | NUL_PREFIXED)) != 0) return false;
    if ((flags & HIDDEN) != 0) {
      if (!noteCopy(row, at32(rowOfId, uuid))) return false;
      continue;
    }
    set32(rowOfId, uuid, row);
    let parent = ROOT;
    if ((flags & PARENT_MASK) == PARENT_TEXT) {
      parent = at32(rowOfId, get(parentColumn, row));
      if (parent == NONE) {
        parent = BROKEN;
        push(isHarmless(row, flags, boundary) ? harmlessOrphans : harmfulOrphans, row);
      } else if ((stateOf(parent) & HELD) == 0) {
        const above = get(flagsColumn, parent) & PARENT_MASK;
        parent = at32(parents, parent);
        // The loader does not know a root through two rows that it passes over.
        if (parent == ROOT && above == PARENT_TEXT) return false;
      }
    }
    set32(parents, row, parent);
    if (isPassedOver(flags)) continue;
    mark(row, HELD);
    lastHeld = row;
  }
  countOrphansOfCopies();
  if (boundary != NONE) set32(parents, boundary, ROOT);
  return true;
}

/** A hidden row costs nothing when it is a copy of the row that the client sees; false when that is not known. */
function noteCopy(row: u32, original: i32): bool {
  if (!hasHashes || original == NONE || (stateOf(original) & COPIED) != 0) return false;
  if (get(hashColumn, row) != get(hashColumn, original) || at32(parents, original) == BROKEN) return false;
  mark(original, COPIED);
  push(copies, original);
  push(copies, row);
  return true;
}

/** (describeSession.ts) */
function countOrphansOfCopies(): void {
  orphansOfCopies = 0;
  if (lengthOf(copies) == 0) return;
  for (let row: u32 = 0; row < rows; row++) {
    const flags = get(flagsColumn, row);
    if ((flags & HIDDEN) != 0 || (flags & PARENT_MASK) != PARENT_TEXT) continue;
    const parent = at32(rowOfId, get(parentColumn, row));
    if (parent != NONE && (stateOf(parent) & COPIED) != 0) orphansOfCopies++;
  }
}

/** The client does not look for the parent: the row is from before a compaction, or from another session. (chainView.ts) */
function isHarmless(row: i32, flags: u32, boundary: i32): bool {
  return row < boundary || (flags & (COMPACT_BOUNDARY | FORKED)) != 0;
}

function isPassedOver(flags: u32): bool {
  const kind = flags & KIND_MASK;
  return kind == KIND_PROGRESS || (isMessage(kind) && (flags & USABLE) == 0);
}

function isMessage(kind: u32): bool {
  return kind == KIND_USER || kind == KIND_ASSISTANT;
}

/** (chooseLeaf.ts) */
function chooseStart(leafId: i32): i32 {
  const leaf = leafId == NO_ID ? NONE : at32(rowOfId, leafId);
  if (leaf == NONE || (stateOf(leaf) & HELD) == 0 || !leadsToMessage(leaf)) return lastTip();
  return descendsFrom(lastHeld, leaf) ? lastHeld : leaf;
}

/** The last row. Only rows that are passed over may hang from it; where it leads to no message there is more to look at. */
function lastTip(): i32 {
  return lastHeld == NONE || leadsToMessage(lastHeld) ? lastHeld : UNSURE;
}

function leadsToMessage(row: i32): bool {
  while (row >= 0) {
    if (isMessage(get(flagsColumn, row) & KIND_MASK)) return true;
    row = at32(parents, row);
  }
  return false;
}

/** Parents stand before their children: what is before the row that is looked for need not be gone through. */
function descendsFrom(row: i32, leaf: i32): bool {
  const beside = (get(flagsColumn, leaf) & HAS_TOOL_RESULT) != 0 ? at32(parents, leaf) : NONE;
  while (row >= 0) {
    if (row == leaf || row == beside) return true;
    row = at32(parents, row);
  }
  return false;
}

/** Marks the chain: in the file it stands in its order. False where it would not. (walkChain.ts) */
function walk(start: i32, healMs: f64): bool {
  let depth: u32 = 0;
  let breaks: u32 = 0;
  for (let row = start; row >= 0;) {
    mark(row, IN_CHAIN | IN_HISTORY);
    depth++;
    const parent = at32(parents, row);
    if (parent != BROKEN) {
      row = parent;
      continue;
    }
    const next = newestBefore(row, healMs);
    if (next > row || ++breaks > MAX_BREAKS) return false;
    // The depth is told up to the newest break that the client goes on from.
    if (chainDepth == 0) chainDepth = depth;
    row = next;
  }
  if (chainDepth == 0) chainDepth = depth;
  return true;
}

/** The newest row in time, up to `healMs` before the row, that is not in the chain; of several the first. (timeIndex.ts) */
function newestBefore(row: i32, healMs: f64): i32 {
  const time = getWide(timestampColumn, row);
  if (isNaN(time) || healMs == 0) return NONE;
  let newest = NONE;
  let newestTime = time - healMs;
  for (let other: i32 = 0; other < <i32>rows; other++) {
    if ((stateOf(other) & (HELD | IN_CHAIN)) != HELD) continue;
    const otherTime = getWide(timestampColumn, other);
    if (otherTime > time || !(newest == NONE ? otherTime >= newestTime : otherTime > newestTime)) continue;
    newest = other;
    newestTime = otherTime;
  }
  return newest;
}

/** Puts the chain into `history`, and behind the last row of each message its rows beside the chain. Their number. */
function addSiblings(): u32 {
  const keys = keyCount();
  memory.fill(lastOfKey, 0xff, (<usize>keys) << 2);
  memory.fill(firstInList, 0xff, (<usize>keys) << 2);
  for (let row: u32 = 0; row < rows; row++) {
    const message = get(messageColumn, row);
    if (message != <u32>NO_ID && (stateOf(row) & IN_CHAIN) != 0) set32(lastOfKey, message, row);
  }
  for (let row: u32 = 0; row < rows; row++) {
    const message = get(messageColumn, row);
    if (message == <u32>NO_ID || (stateOf(row) & (HELD | IN_CHAIN)) != HELD || at32(lastOfKey, message) == NONE)
      continue;
    addToList(message, row);
    mark(row, IN_HISTORY);
  }
  let length: u32 = 0;
  for (let row: u32 = 0; row < rows; row++) {
    if ((stateOf(row) & IN_CHAIN) == 0) continue;
    set32(history, length++, row);
    const message = get(messageColumn, row);
    if (message == <u32>NO_ID || at32(lastOfKey, message) != row) continue;
    for (let other = at32(firstInList, message); other != NONE; other = at32(nextInList, other)) {
      set32(history, length++, other);
    }
  }
  return length;
}

function addToList(key: u32, row: u32): void {
  if (at32(firstInList, key) == NONE) set32(firstInList, key, row);
  else set32(nextInList, at32(endOfList, key), row);
  set32(endOfList, key, row);
  set32(nextInList, row, NONE);
}

/** Puts results of calls that have none in the history behind them, into `longHistory`. Their number, or `UNSURE`. */
function addResults(length: u32): i32 {
  const keys = keyCount();
  memory.fill(keyStates, 0, keys);
  for (let index: u32 = 0; index < length; index++) {
    const row = at32(history, index);
    for (let tool = firstTool(row), end = endOfTools(row); tool < end; tool++) noteTool(tool, USED, ANSWERED);
  }
  memory.fill(firstInList, 0xff, (<usize>keys) << 2);
  for (let row: u32 = 0; row < rows; row++) {
    if ((stateOf(row) & (HELD | IN_HISTORY)) != HELD || (get(flagsColumn, row) & KIND_MASK) != KIND_USER) continue;
    const first = firstTool(row);
    const end = endOfTools(row);
    for (let tool = first; tool < end; tool++) {
      const key = keyOf(tool);
      if (!isResult(tool) || (load<u8>(keyStates + key) & (USED | ANSWERED)) != USED) continue;
      // A row with several results may be found several times.
      if (end - first > 1) return UNSURE;
      addToList(key, row);
    }
  }
  let longer: u32 = 0;
  for (let index: u32 = 0; index < length; index++) {
    const row = at32(history, index);
    set32(longHistory, longer++, row);
    for (let tool = firstTool(row), end = endOfTools(row); tool < end; tool++) {
      if (isResult(tool)) continue;
      const key = keyOf(tool);
      for (let found = at32(firstInList, key); found != NONE; found = at32(nextInList, found)) {
        set32(longHistory, longer++, found);
      }
      set32(firstInList, key, NONE);
    }
  }
  return longer;
}

function firstTool(row: u32): u32 {
  return lengthOf(toolStartColumn) == 0 ? 0 : get(toolStartColumn, row);
}

function endOfTools(row: u32): u32 {
  return row + 1 < lengthOf(toolStartColumn) ? get(toolStartColumn, row + 1) : lengthOf(toolColumn);
}

function keyOf(tool: u32): u32 {
  return get(toolColumn, tool) >> 1;
}

function isResult(tool: u32): bool {
  return (get(toolColumn, tool) & 1) != 0;
}

function noteTool(tool: u32, use: u8, result: u8): void {
  const state = keyStates + keyOf(tool);
  store<u8>(state, load<u8>(state) | (isResult(tool) ? result : use));
}

/** Marks the rows of `longHistory` whose content reaches the request. (requestRows.ts) */
function keepRequest(length: u32): void {
  for (let index: u32 = 0; index < length; index++) {
    const row = at32(longHistory, index);
    if (!isSent(row)) continue;
    for (let tool = firstTool(row), end = endOfTools(row); tool < end; tool++) noteTool(tool, SENT_USE, SENT_ANSWER);
  }
  const hasOpen = findOpenCalls(length);
  let tail: i32 = NONE;
  for (let index: u32 = 0; index < length; index++) {
    const row = at32(longHistory, index);
    if (!isSent(row)) continue;
    tail = row;
    if (isPaired(row)) mark(row, KEPT);
  }
  const endsOnPrompt = tail != NONE && (get(flagsColumn, tail) & KIND_MASK) == KIND_USER;
  if (!endsOnPrompt && !hasOpen) return;
  for (let row: u32 = 0; row < rows; row++) if ((get(flagsColumn, row) & NO_RESPONSE) != 0) mark(row, KEPT);
}

function isSent(row: u32): bool {
  const flags = get(flagsColumn, row);
  return isMessage(flags & KIND_MASK) && (flags & API_ERROR) == 0;
}

function isPaired(row: u32): bool {
  const flags = get(flagsColumn, row);
  if ((flags & HAS_TEXT) != 0 || (flags & (HAS_TOOL_USE | HAS_TOOL_RESULT)) == 0) return true;
  const hasUse = (flags & HAS_TOOL_USE) != 0;
  for (let tool = firstTool(row), end = endOfTools(row); tool < end; tool++) {
    const state = load<u8>(keyStates + keyOf(tool));
    if (isResult(tool) ? !hasUse && (state & SENT_USE) != 0 : (state & (SENT_ANSWER | OPEN)) != 0) return true;
  }
  return false;
}

/** Marks the calls that the session was interrupted in; false when there are none. */
function findOpenCalls(length: u32): bool {
  let isTail = true;
  let isFollowed = false;
  let hasOpen = false;
  let lastReply: i32 = NONE;
  for (let index = <i32>length - 1; index >= 0; index--) {
    const row = at32(longHistory, index);
    if (!isSent(row)) continue;
    const flags = get(flagsColumn, row);
    const isUser = (flags & KIND_MASK) == KIND_USER;
    if (isTail && !isUser && (flags & HAS_TOOL_USE) == 0) return false;
    isTail = false;
    if (isUser) {
      if ((flags & HAS_TOOL_RESULT) == 0) break;
      isFollowed = true;
      continue;
    }
    if (lastReply == NONE) lastReply = row;
    if (!isFollowed && row != lastReply && !isSameMessage(row, lastReply)) continue;
    for (let tool = firstTool(row), end = endOfTools(row); tool < end; tool++) {
      const state = keyStates + keyOf(tool);
      if (isResult(tool) || (load<u8>(state) & SENT_ANSWER) != 0) continue;
      store<u8>(state, load<u8>(state) | OPEN);
      hasOpen = true;
    }
  }
  return hasOpen;
}

function isSameMessage(row: u32, other: u32): bool {
  const message = get(messageColumn, row);
  return message != <u32>NO_ID && message == get(messageColumn, other);
}

function count(): void {
  loads = 0;
  counted = 0;
  messageCount = 0;
  for (let row: u32 = 0; row < rows; row++) {
    const flags = get(flagsColumn, row);
    if (isMessage(flags & KIND_MASK) && (flags & HIDDEN) == 0) messageCount++;
    if ((flags & COUNTED) == 0) continue;
    counted++;
    if ((stateOf(row) & KEPT) != 0) loads++;
    else push(missingLines, get(lineColumn, row));
  }
}
