import {
  API_ERROR,
  COUNTED,
  HAS_TEXT,
  HAS_TOOL_RESULT,
  HAS_TOOL_USE,
  HIDDEN,
  KIND_MASK,
  KIND_USER,
  NO_RESPONSE,
} from './bits';
import { clearColumn, createColumn, get, push } from './columns';
import { NO_ID } from './ids';
import { keyCount } from './keys';
import { allocate } from './memory';
import { isMessage } from './plainGraph';
import { history } from './plainHistory';
import { KEPT, MAX_KEYS, NONE, at32, mark, stateOf } from './plainTables';
import { endOfTools, firstTool, isResult, keyOf } from './plainTools';
import { flagsColumn, lineColumn, messageColumn, rowCount } from './rows';

// What of a plain transcript's history reaches the request, and what is said of it. (requestRows.ts)

/** States of a key: calls and results of rows that are sent. */
const CALLED: u8 = 1;
const ANSWERED: u8 = 2;
/** The client answers the call itself. */
const OPEN: u8 = 4;

const keyStates = allocate(<usize>MAX_KEYS);

/** Counted rows that reach the request. */
export let loads: u32 = 0;
/** Rows that count. */
export let counted: u32 = 0;
/** User and assistant rows. */
export let messageCount: u32 = 0;
/** Lines of the counted rows that are not loaded. */
export const missingLines = createColumn();

/** Marks the rows of `history`, which holds `length`, whose content reaches the request. (requestRows.ts) */
export function keepRequest(length: u32): void {
  memory.fill(keyStates, 0, keyCount());
  for (let index: u32 = 0; index < length; index++) {
    const row = at32(history, index);
    if (!isSent(row)) continue;
    for (let tool = firstTool(row), end = endOfTools(row); tool < end; tool++) noteTool(tool);
  }
  const hasOpen = findOpenCalls(length);
  let tail: i32 = NONE;
  for (let index: u32 = 0; index < length; index++) {
    const row = at32(history, index);
    if (!isSent(row)) continue;
    tail = row;
    if (isPaired(row)) mark(row, KEPT);
  }
  const endsOnPrompt = tail != NONE && (get(flagsColumn, tail) & KIND_MASK) == KIND_USER;
  if (!endsOnPrompt && !hasOpen) return;
  for (let row: u32 = 0, rows = rowCount(); row < rows; row++)
    if ((get(flagsColumn, row) & NO_RESPONSE) != 0) mark(row, KEPT);
}

function noteTool(tool: u32): void {
  const state = keyStates + keyOf(tool);
  store<u8>(state, load<u8>(state) | (isResult(tool) ? ANSWERED : CALLED));
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
    if (isResult(tool) ? !hasUse && (state & CALLED) != 0 : (state & (ANSWERED | OPEN)) != 0) return true;
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
    const row = at32(history, index);
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
      if (isResult(tool) || (load<u8>(state) & ANSWERED) != 0) continue;
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

export function countRows(): void {
  loads = 0;
  counted = 0;
  messageCount = 0;
  clearColumn(missingLines);
  for (let row: u32 = 0, rows = rowCount(); row < rows; row++) {
    const flags = get(flagsColumn, row);
    if (isMessage(flags & KIND_MASK) && (flags & HIDDEN) == 0) messageCount++;
    if ((flags & COUNTED) == 0) continue;
    counted++;
    if ((stateOf(row) & KEPT) != 0) loads++;
    else push(missingLines, get(lineColumn, row));
  }
}
