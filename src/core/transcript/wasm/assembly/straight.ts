import {
  API_ERROR,
  COMPACT_BOUNDARY,
  HAS_TOOL_RESULT,
  KIND_ASSISTANT,
  KIND_MASK,
  KIND_PROGRESS,
  KIND_SYSTEM,
  KIND_USER,
} from './bits';
import { HAS_SERVER_CALL, NO_RESPONSE, NUL_PREFIXED, PARENT_MASK, PARENT_TEXT, SIDECHAIN, USABLE } from './bits';
import { FILE_SNAPSHOT, KIND_SPECIFIC, ODD_MESSAGE, NUMERIC_TIME, ODD_CONTENT, REDACTED, VIRTUAL } from './bits';
import { get, getWide, lengthOf } from './columns';
import { NO_ID, idCount } from './ids';
import { keyCount } from './keys';
import { createBlock } from './memory';
import { flagsColumn, isOrderly, messageColumn, parentColumn, rowCount, toolColumn, toolStartColumn } from './rows';
import { timestampColumn, uuidColumn } from './rows';

// A transcript is straight if nothing from its last root on can be left out of the history. These conditions prove it:
//
// - The client sees every row. Each row has its own uuid, and its parent, if it has one, precedes it.
// - From the last row without a parent on, no row is a subagent's, an API error, a second compaction, a call of the API's own
//   tools, redacted thinking, a copy of files, or a message that is not sent, has no content, or that some client cannot read. The last row and
//   the last message above it have a time, and descend from that root. Each row that is not on the path between them belongs to a message that has a row on
//   the path, or is the result of a call and has a row of such a message, the one with the call, as its parent.
// - Each call from the root on has one result, which follows it before any prompt, companion, output of a command, attachment that is
//   not sent, or row of another message. The rows of a message follow each other, but for notes and the results of its calls. No id of a message or a call from there on occurs before the
//   root, and no row holds the client's own reply to a prompt without a response.
// - The newest `last-prompt`, if there is one after the last compaction, names a row on the path.
// - In a file that the client's reader for large files reads, which drops rows: no line is faulty, the last row is the end of
//   the path, each other row that is not on it and is no `progress` row is a tool result, and no row that is not on the path
//   has a parent before the root. Then the reader drops no row from the root on, or only `progress` rows.
//   (docs/format.md, "Files over 5 MiB")
//
// So the proof holds for the rules of each client that recovers parallel calls, and in large files for those whose reader keeps
// such results and drops nothing at an odd link. (`keepsLargeStraight` in src/core/providers/claude/loader/loadTranscript.ts)
//
// `progress` rows are not part of a history and are ignored. Everything else is left to the loader, which also derives the
// verdict on a straight transcript. (src/core/providers/claude/loader/loadTranscript.ts)

const UNUSUAL: u32 =
  API_ERROR |
  NUL_PREFIXED |
  SIDECHAIN |
  VIRTUAL |
  HAS_SERVER_CALL |
  FILE_SNAPSHOT |
  NUMERIC_TIME |
  ODD_MESSAGE |
  ODD_CONTENT |
  REDACTED;

/** States of a key, which is the id of a call or of a message. */
const CALLED: u8 = 1;
const ANSWERED: u8 = 2;
const ON_PATH: u8 = 4;

const rowOfId = createBlock();
const isOnPath = createBlock();
const keyStates = createBlock();

/** The last row without a parent. */
export let straightRoot: u32 = 0;
/** The last row of the history. */
export let straightLeaf: u32 = 0;
/** Number of rows of the history on the path from the leaf to the root. */
export let straightDepth: u32 = 0;

/**
 * `named`: the row that the newest `last-prompt` names, or `NO_ID` if a compaction follows it.
 * `isLarge`: the reader for large files reads the file.
 */
export function proveStraight(named: i32, isLarge: bool): bool {
  const rows = rowCount();
  if (rows == 0 || !isOrderly() || idCount() != rows) return false;
  rowOfId.makeRoom((<usize>rows) << 2);
  isOnPath.makeRoom(rows);
  keyStates.makeRoom(keyCount());
  for (let row: u32 = 0; row < rows; row++) store<u32>(rowOfId.at + (get(uuidColumn, row) << 2), row);
  straightRoot = rows - 1;
  while (straightRoot > 0 && hasParent(straightRoot)) straightRoot--;
  straightLeaf = rows - 1;
  while (straightLeaf > straightRoot && kindOf(straightLeaf) == KIND_PROGRESS) straightLeaf--;
  if (hasParent(straightRoot) || kindOf(straightRoot) == KIND_PROGRESS) return false;
  if (isLarge && straightLeaf != rows - 1) return false;
  if (isNaN(getWide(timestampColumn, straightLeaf))) return false;
  const firstKey = firstKeyAfterRoot();
  if (firstKey < 0) return false;
  memory.fill(isOnPath.at, 0, rows);
  memory.fill(keyStates.at + firstKey, 0, keyCount() - firstKey);
  if (!markPath(firstKey) || (named != NO_ID && load<u8>(isOnPath.at + rowOf(named)) == 0)) return false;
  return isWhole(firstKey, isLarge);
}

/** Marks the rows from the leaf up to the root, and their messages. */
function markPath(firstKey: i32): bool {
  straightDepth = 0;
  let hasMessage = false;
  let row = straightLeaf;
  while (row >= straightRoot) {
    store<u8>(isOnPath.at + row, 1);
    if (kindOf(row) != KIND_PROGRESS) straightDepth++;
    if (isMessage(row) && !hasMessage) {
      if (isNaN(getWide(timestampColumn, row))) return false;
      hasMessage = true;
    }
    const message = <i32>get(messageColumn, row);
    if (message >= firstKey) store<u8>(keyStates.at + message, ON_PATH);
    if (row == straightRoot) return hasMessage;
    row = rowOf(get(parentColumn, row));
  }
  return false;
}

/**
 * Ids of messages and calls are numbered in file order; -1 if a row before the root is the client's own reply, or one that
 * old clients cannot read.
 */
function firstKeyAfterRoot(): i32 {
  let first = 0;
  for (let row: u32 = 0; row < straightRoot; row++) {
    if ((get(flagsColumn, row) & (NO_RESPONSE | ODD_MESSAGE)) != 0) return -1;
    first = max(first, <i32>get(messageColumn, row) + 1);
  }
  for (let tool: u32 = 0, end = firstTool(straightRoot); tool < end; tool++) {
    first = max(first, <i32>(get(toolColumn, tool) >> 1) + 1);
  }
  return first;
}

function isWhole(firstKey: i32, isLarge: bool): bool {
  const rows = rowCount();
  let open = 0;
  let current: i32 = NO_ID;
  let newest: i32 = NO_ID;
  for (let row = straightRoot; row < rows; row++) {
    const flags = get(flagsColumn, row);
    const isAside = load<u8>(isOnPath.at + row) == 0;
    if (isLarge && isAside && rowOf(get(parentColumn, row)) < straightRoot) return false;
    if ((flags & KIND_MASK) == KIND_PROGRESS) continue;
    if ((flags & (UNUSUAL | NO_RESPONSE)) != 0 || (isMessage(row) && (flags & USABLE) == 0)) return false;
    if ((flags & COMPACT_BOUNDARY) != 0 && row != straightRoot) return false;
    // A reply of text alone is unusual, and so is any other such row beside an open call.
    if ((flags & KIND_SPECIFIC) != 0 && (open != 0 || (flags & KIND_MASK) == KIND_ASSISTANT)) return false;
    const message = <i32>get(messageColumn, row);
    if (message != NO_ID && message < firstKey) return false;
    const isResult = (flags & KIND_MASK) == KIND_USER && (flags & HAS_TOOL_RESULT) != 0;
    const isOfPathMessage = message != NO_ID && (load<u8>(keyStates.at + message) & ON_PATH) != 0;
    if (isAside && !(isOfPathMessage && !isLarge) && !(isResult && isChildOf(current, row))) return false;
    if ((flags & KIND_MASK) == KIND_ASSISTANT && (message == NO_ID || message != current)) {
      if (open != 0 || (message != NO_ID && message <= newest)) return false;
      current = message;
      newest = max(newest, message);
    } else if ((flags & KIND_MASK) == KIND_USER && !isResult) {
      if (open != 0) return false;
      // The message does not go on behind it.
      current = NO_ID;
    } else if ((flags & KIND_MASK) == KIND_SYSTEM && (flags & KIND_SPECIFIC) != 0) current = NO_ID;
    for (let tool = firstTool(row), end = firstTool(row + 1); tool < end; tool++) {
      const key = <i32>(get(toolColumn, tool) >> 1);
      const isAnswer = (get(toolColumn, tool) & 1) != 0;
      if (key < firstKey || load<u8>(keyStates.at + key) != (isAnswer ? CALLED : 0)) return false;
      if (isAnswer && !isResult) return false;
      store<u8>(keyStates.at + key, isAnswer ? ANSWERED : CALLED);
      open += isAnswer ? -1 : 1;
    }
  }
  return open == 0;
}

/**
 * Whether the row's parent belongs to the message, which has the call of the row: every client finds a result there, and puts it
 * beside the call.
 */
function isChildOf(message: i32, row: u32): bool {
  const parent = hasParent(row) ? rowOf(get(parentColumn, row)) : 0;
  if (message == NO_ID || parent < straightRoot) return false;
  return <i32>get(messageColumn, parent) == message && (load<u8>(keyStates.at + message) & ON_PATH) != 0;
}

function rowOf(id: u32): u32 {
  return load<u32>(rowOfId.at + (id << 2));
}

function firstTool(row: u32): u32 {
  return row < lengthOf(toolStartColumn) ? get(toolStartColumn, row) : lengthOf(toolColumn);
}

function kindOf(row: u32): u32 {
  return get(flagsColumn, row) & KIND_MASK;
}

function isMessage(row: u32): bool {
  return kindOf(row) == KIND_USER || kindOf(row) == KIND_ASSISTANT;
}

function hasParent(row: u32): bool {
  return (get(flagsColumn, row) & PARENT_MASK) == PARENT_TEXT;
}
