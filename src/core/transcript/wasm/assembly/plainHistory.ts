import { HAS_TOOL_RESULT, HAS_TOOL_USE, KIND_MASK, KIND_USER } from './bits';
import { get, getWide } from './columns';
import { NO_ID } from './ids';
import { keyCount } from './keys';
import { allocate } from './memory';
import { isMessage, lastHeld } from './plainGraph';
import { BROKEN, HELD, IN_CHAIN, IN_HISTORY, MAX_KEYS, MAX_ROWS, NONE, UNSURE } from './plainTables';
import {
  addToList,
  at32,
  clearList,
  clearLists,
  firstOf,
  mark,
  nextOf,
  parents,
  rowOfId,
  set32,
  stateOf,
} from './plainTables';
import { endOfTools, firstTool, isResult, keyOf } from './plainTools';
import { flagsColumn, messageColumn, rowCount, timestampColumn } from './rows';

// The history of a plain transcript: where the walk starts, what it meets, and what hangs beside it.

/** Broken links that are looked at one by one. */
const MAX_BREAKS: u32 = 64;

/** States of a key. */
const USED: u8 = 1;
const ANSWERED: u8 = 2;

/** The rows of the history, in their order. */
export const history = allocate((<usize>MAX_ROWS) << 2);
/** The same, before results are put behind their calls. */
const chained = allocate((<usize>MAX_ROWS) << 2);
const keyStates = allocate(<usize>MAX_KEYS);
/** Last row of the message in the chain. */
const lastOfKey = allocate((<usize>MAX_KEYS) << 2);

/** Rows from the leaf to the root or the newest break. */
export let chainDepth: u32 = 0;

/** (chooseLeaf.ts) */
export function chooseStart(leafId: i32): i32 {
  const leaf = leafId == NO_ID ? NONE : at32(rowOfId, leafId);
  if (leaf == NONE || (stateOf(leaf) & HELD) == 0 || !leadsToMessage(leaf)) return lastTip();
  if (descendsFrom(lastHeld, leaf)) return lastHeld;
  return mayBeBeside(leaf) ? UNSURE : leaf;
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

function descendsFrom(row: i32, leaf: i32): bool {
  // Parents stand before their children.
  while (row > leaf) row = at32(parents, row);
  return row == leaf;
}

/** Calls, their results and what hangs from such may have others beside them that the last row goes on from. (goesOnFrom.ts) */
function mayBeBeside(row: i32): bool {
  while (row >= 0) {
    const flags = get(flagsColumn, row);
    if (isMessage(flags & KIND_MASK)) return (flags & (HAS_TOOL_RESULT | HAS_TOOL_USE)) != 0;
    row = at32(parents, row);
  }
  return false;
}

/** Marks the chain: in the file it stands in its order. False where it would not. (walkChain.ts) */
export function walk(start: i32, healMs: f64): bool {
  chainDepth = 0;
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
  for (let other: i32 = 0, count = <i32>rowCount(); other < count; other++) {
    if ((stateOf(other) & (HELD | IN_CHAIN)) != HELD) continue;
    const otherTime = getWide(timestampColumn, other);
    if (otherTime > time || !(newest == NONE ? otherTime >= newestTime : otherTime > newestTime)) continue;
    newest = other;
    newestTime = otherTime;
  }
  return newest;
}

/** Puts the chain into `chained`, and behind the last row of each message its rows beside the chain. Their number. */
export function addSiblings(): u32 {
  const keys = keyCount();
  const count = rowCount();
  memory.fill(lastOfKey, 0xff, (<usize>keys) << 2);
  clearLists(keys);
  for (let row: u32 = 0; row < count; row++) {
    const message = get(messageColumn, row);
    if (message != <u32>NO_ID && (stateOf(row) & IN_CHAIN) != 0) set32(lastOfKey, message, row);
  }
  for (let row: u32 = 0; row < count; row++) {
    const message = get(messageColumn, row);
    if (message == <u32>NO_ID || (stateOf(row) & (HELD | IN_CHAIN)) != HELD || at32(lastOfKey, message) == NONE)
      continue;
    addToList(message, row);
    mark(row, IN_HISTORY);
  }
  let length: u32 = 0;
  for (let row: u32 = 0; row < count; row++) {
    if ((stateOf(row) & IN_CHAIN) == 0) continue;
    set32(chained, length++, row);
    const message = get(messageColumn, row);
    if (message == <u32>NO_ID || at32(lastOfKey, message) != row) continue;
    for (let other = firstOf(message); other != NONE; other = nextOf(other)) {
      set32(chained, length++, other);
    }
  }
  return length;
}

/** Puts results of calls that have none in the history behind them, into `history`. Their number, or `UNSURE`. */
export function addResults(length: u32): i32 {
  const keys = keyCount();
  const count = rowCount();
  memory.fill(keyStates, 0, keys);
  for (let index: u32 = 0; index < length; index++) {
    const row = at32(chained, index);
    for (let tool = firstTool(row), end = endOfTools(row); tool < end; tool++) noteTool(tool);
  }
  clearLists(keys);
  for (let row: u32 = 0; row < count; row++) {
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
    const row = at32(chained, index);
    set32(history, longer++, row);
    for (let tool = firstTool(row), end = endOfTools(row); tool < end; tool++) {
      if (isResult(tool)) continue;
      const key = keyOf(tool);
      for (let found = firstOf(key); found != NONE; found = nextOf(found)) {
        set32(history, longer++, found);
      }
      clearList(key);
    }
  }
  return longer;
}

function noteTool(tool: u32): void {
  const state = keyStates + keyOf(tool);
  store<u8>(state, load<u8>(state) | (isResult(tool) ? ANSWERED : USED));
}
