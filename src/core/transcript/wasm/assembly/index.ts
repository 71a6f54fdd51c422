import { API_ERROR, COUNTED, FORKED, HAS_TEXT, HAS_TOOL_RESULT, HAS_TOOL_USE, META, REDACTED, USABLE } from './bits';
import { KIND_ASSISTANT, KIND_ATTACHMENT, KIND_PROGRESS, KIND_SPECIFIC, KIND_SYSTEM, KIND_USER } from './bits';
import { PARENT_NULL, PARENT_TEXT, SIDECHAIN, TOOL_SOURCE as HAS_TOOL_SOURCE } from './bits';
import { announcedAt, announcedLength, isSentAttachment, isUsuallyForSystem } from './attachment';
import { proveLeaf, provePlain, proveRow, startBytes } from './bytes';
import { lengthOf, push } from './columns';
import { NO_ID, clearIds, internUuid, readUuid } from './ids';
import { NEWLINE, OPEN_BRACE } from './json';
import { clearKeys, internKey } from './keys';
import { MAX_LATEST, MODEL, PROMPT, forgetLatest, noteLatest, noteLeaf } from './latest';
import * as message from './message';
import { clearModels, internModel } from './models';
import { rowHash } from './rowHash';
import * as fields from './row';
import { clearRows, hasHashes, pushRow, rowCount, sourceColumn, toolColumn } from './rows';
import { readTimestamp } from './timestamp';
import { addUsage, clearUsage, contextTokens } from './usage';

// Scans whole lines in one pass. Rows in the form that every client writes are read here. At any other row the scan stops, and
// TypeScript reads that row with JSON.parse.

/** Longest name of a model; a row with a longer one is left to JSON.parse. */
const MAX_MODEL_BYTES: u32 = 200;

/** Number of lines so far, including empty ones. */
export let lines: u32 = 0;
/** Number of empty lines among them that were not left to TypeScript. */
export let blankLines: u32 = 0;
/** Latest time of a message among the rows read here; NaN if none has one. */
export let latestMessageMs: f64 = NaN;
/**
 * Address and size of the last scanned row if it may contain the session's title or the session from which it was forked. The
 * length is 0 otherwise.
 */
export let promptAt: usize = 0;
export let promptLength: u32 = 0;
/** No row has given the session its title so far. */
let wantsPrompt: bool = true;
/** No row has named the session from which this one was forked so far. */
let wantsFork: bool = true;
let wantsUsage: bool = false;

const useKeys = memory.data(1024, 16);
const resultKeys = memory.data(1024, 16);

export function start(withUsage: bool, withHashes: bool, withBytes: bool): void {
  lines = 0;
  blankLines = 0;
  latestMessageMs = NaN;
  wantsPrompt = true;
  wantsFork = true;
  wantsUsage = withUsage;
  clearRows(withHashes);
  clearIds();
  clearKeys();
  clearUsage();
  clearModels();
  forgetLatest();
  startBytes(withBytes);
}

export function stopWantingPrompt(): void {
  wantsPrompt = false;
}

export function stopWantingFork(): void {
  wantsFork = false;
}

/** Counts a line that TypeScript reads; returns its number. */
export function takeLine(): u32 {
  return ++lines;
}

/**
 * Scans `length` bytes of whole lines. The last byte is a newline, and at least 64 bytes after it are readable. Returns the
 * number of bytes that were scanned. If it is less than `length`, TypeScript must read the line that starts there, unless
 * `promptLength` is not 0: then TypeScript must only parse the last scanned row again.
 */
export function scan(at: usize, length: u32, fileOffset: f64): u32 {
  const base = at;
  const end = at + length;
  promptLength = 0;
  while (at < end) {
    if (load<u8>(at) == NEWLINE) {
      lines++;
      blankLines++;
      at++;
      continue;
    }
    if (load<u8>(at) != OPEN_BRACE) break;
    const newline = fields.readRow(at);
    if (newline == 0) break;
    if (fields.rowType == fields.PLAIN_TYPE) {
      provePlain();
      lines++;
    } else if (fields.rowType == fields.TITLE_TYPE) {
      provePlain();
      lines++;
      parseAgain(at, newline);
    } else if (fields.rowType == fields.LEAF_TYPE) {
      if (!keepLeaf(at, newline)) break;
    } else if (!keep(at, newline, fileOffset + <f64>(at - base))) break;
    at = newline + 1;
    if (promptLength != 0) break;
  }
  return <u32>(at - base);
}

/** Notes the leaf and the title in a row; false if the row is left to JSON.parse. */
function keepLeaf(start: usize, newline: usize): bool {
  if (fields.lengthOfText(fields.LAST_PROMPT) > MAX_LATEST) return false;
  const isNamed = fields.formOf(fields.LEAF) == fields.STRING;
  if (isNamed && !readUuid(fields.textOf(fields.LEAF), fields.lengthOfText(fields.LEAF))) return false;
  lines++;
  const leaf = isNamed ? internUuid() : NO_ID;
  if (isNamed) noteLeaf(lines, rowCount(), leaf);
  proveLeaf(start, newline, lines, leaf);
  const at = fields.textOf(fields.LAST_PROMPT);
  if (at != 0) noteLatest(PROMPT, at, fields.lengthOfText(fields.LAST_PROMPT));
  return true;
}

/** Stores the row that was read; false if it is left to JSON.parse, which then interns the same ids and keys again. */
function keep(at: usize, newline: usize, offset: f64): bool {
  const kind = fields.rowType;
  const isMessage = kind == KIND_USER || kind == KIND_ASSISTANT;
  const isMeta = fields.formOf(fields.IS_META) == fields.TRUE;
  let flags = kind;
  if (isMeta) flags |= META;
  if (fields.formOf(fields.IS_SIDECHAIN) == fields.TRUE) flags |= SIDECHAIN;
  if (fields.formOf(fields.FORKED_FROM) != fields.ABSENT) flags |= FORKED;
  if (kind == KIND_SYSTEM) {
    if (fields.isOddSystemRow()) return false;
    if (fields.isCommandOutput()) flags |= KIND_SPECIFIC;
  }
  if (kind == KIND_ATTACHMENT) {
    const role = fields.roleOfTexts();
    if (!isSentAttachment(fields.formOf(fields.RENDERED) == fields.OTHER)) flags |= KIND_SPECIFIC;
    else if (role == fields.SYSTEM || (role == fields.NOBODY && isUsuallyForSystem())) flags |= USABLE;
  }
  if (kind == KIND_PROGRESS && fields.isOddProgressRow()) return false;
  const isReply = kind == KIND_ASSISTANT;
  const modelAt = isReply ? message.modelAt : kind == KIND_ATTACHMENT ? announcedAt() : 0;
  const modelLength = isReply ? message.modelLength : announcedLength();
  if (!isPlainModel(modelAt, modelLength)) return false;
  if (isMessage) {
    // Contents that some clients cannot read are left to JSON.parse.
    if (!isPlainContext() || !message.isUsable) return false;
    if (isReply && (message.isText || message.isEmptyList())) return false;
    if (kind == KIND_USER && (message.toolUses > 0 || (isMeta && message.mayBeHiddenPrompt()))) return false;
    if (isReply && isApiError() && message.isSynthetic()) {
      if (message.mayReportLength()) return false;
      flags |= API_ERROR;
    }
    flags |= contentFlags(isMeta);
  }

  const time = readTime();
  if (isNaN(time) && fields.formOf(fields.TIMESTAMP) != fields.ABSENT) return false;
  let parent = NO_ID;
  const parentForm = fields.formOf(fields.PARENT);
  if (parentForm == fields.STRING) {
    if (!readUuid(fields.textOf(fields.PARENT), fields.lengthOfText(fields.PARENT))) return false;
    parent = internUuid();
    flags |= PARENT_TEXT;
  } else if (parentForm == fields.NOTHING) flags |= PARENT_NULL;
  else if (parentForm != fields.ABSENT) return false;
  let uuid = NO_ID;
  if (fields.formOf(fields.UUID) == fields.STRING) {
    if (!readUuid(fields.textOf(fields.UUID), fields.lengthOfText(fields.UUID))) return false;
    uuid = internUuid();
  }
  let messageKey = NO_ID;
  if (kind == KIND_ASSISTANT && message.idAt != 0 && message.idLength != 0) {
    messageKey = internKey(message.idAt, message.idLength);
    if (messageKey < 0) return false;
  }
  if (
    isMessage &&
    !(
      internTools(message.useIds, message.toolUses, useKeys) &&
      internTools(message.resultIds, message.toolResults, resultKeys)
    )
  ) {
    return false;
  }
  let source = NO_ID;
  if (fields.formOf(fields.TOOL_SOURCE) == fields.STRING) {
    if (!readUuid(fields.textOf(fields.TOOL_SOURCE), fields.lengthOfText(fields.TOOL_SOURCE))) return false;
    source = internUuid();
    flags |= HAS_TOOL_SOURCE;
  }

  proveRow(at, newline);
  const hash = hasHashes ? rowHash(at, <u32>(newline - at)) : 0;
  const toolStart = lengthOf(toolColumn);
  if (isMessage) {
    for (let use: u32 = 0; use < message.toolUses; use++) push(toolColumn, load<u32>(useKeys + (use << 2)) * 2);
    for (let result: u32 = 0; result < message.toolResults; result++) {
      push(toolColumn, load<u32>(resultKeys + (result << 2)) * 2 + 1);
    }
  }
  const context = isReply && message.hasUsage ? contextTokens() : 0;
  const model = modelAt != 0 && modelLength != 0 ? internModel(modelAt, modelLength) : -1;
  const row = pushRow(++lines, flags, uuid, parent, time, messageKey, hash, toolStart, offset, context, model);
  if (source != NO_ID && source != parent) {
    push(sourceColumn, row);
    push(sourceColumn, source);
  }
  if (isMessage) noteContext(kind, time);
  const isPrompt = kind == KIND_USER && wantsPrompt && message.mayHoldPrompt && !isMeta && (flags & SIDECHAIN) == 0;
  if (isPrompt || (wantsFork && (flags & FORKED) != 0)) {
    parseAgain(at, newline);
  }
  if (wantsUsage && isReply && message.hasUsage) addUsage(row, messageKey, model);
  return true;
}

/** Leaves the title in a row, or the session that it was copied from, to TypeScript. */
function parseAgain(at: usize, newline: usize): void {
  promptAt = at;
  promptLength = <u32>(newline - at);
}

function contentFlags(isMeta: bool): u32 {
  let flags: u32 = 0;
  if (message.isUsable) flags |= USABLE;
  if (message.hasText) flags |= HAS_TEXT;
  if (message.toolUses > 0) flags |= HAS_TOOL_USE;
  if (message.toolResults > 0) flags |= HAS_TOOL_RESULT;
  const hasMore = message.hasText || message.others + message.toolUses + message.toolResults > 0;
  const isRedacted = !hasMore && message.redacted > 0;
  if (isRedacted) flags |= REDACTED;
  return (hasMore || isRedacted) && !isMeta ? flags | COUNTED : flags;
}

/** NaN if there is no time, or none in the usual form. */
function readTime(): f64 {
  if (fields.formOf(fields.TIMESTAMP) != fields.STRING) return NaN;
  return readTimestamp(fields.textOf(fields.TIMESTAMP), fields.lengthOfText(fields.TIMESTAMP));
}

/** Writes the keys of `count` ids to `keys`; false if one of them is left to JSON.parse. */
function internTools(ids: usize, count: u32, keys: usize): bool {
  for (let index: u32 = 0; index < count; index++) {
    const key = internKey(load<u32>(ids + (index << 3)), load<u32>(ids + (index << 3), 4));
    if (key < 0) return false;
    store<u32>(keys + (index << 2), key);
  }
  return true;
}

function isPlainContext(): bool {
  for (let field: u32 = 0; field < fields.CONTEXT_FIELDS; field++) {
    if (fields.lengthOfText(fields.CONTEXT + field) > MAX_LATEST) return false;
  }
  return true;
}

function isPlainModel(at: usize, length: u32): bool {
  if (at == 0 || length == 0) return true;
  // A name that may be blank is left to TypeScript.
  const first = <u32>load<u8>(at);
  return length <= MAX_MODEL_BYTES && first > 0x20 && first < 0x80;
}

function isApiError(): bool {
  return fields.formOf(fields.IS_API_ERROR) == fields.TRUE;
}

function noteContext(kind: u32, time: f64): void {
  for (let field: u32 = 0; field < fields.CONTEXT_FIELDS; field++) {
    const at = fields.textOf(fields.CONTEXT + field);
    if (at != 0) noteLatest(field, at, fields.lengthOfText(fields.CONTEXT + field));
  }
  if (kind == KIND_ASSISTANT && !isApiError() && message.modelAt != 0) {
    noteLatest(MODEL, message.modelAt, message.modelLength);
  }
  if (!isNaN(time) && !(time <= latestMessageMs)) latestMessageMs = time;
}

// Exports for TypeScript, which stores the rows that it reads itself and reads the tables.
export { addName } from './names';
export { bytesAgree, leafColumn } from './bytes';
export { push, addressOf } from './columns';
export { allocate, extend, release, heapBytes } from './memory';
export { setUuid, internUuid, idWords, idCount } from './ids';
export { internHashes, keyHashes, keyCount } from './keys';
export { internModel, modelNames } from './models';
export { latestChanges, latestText, latestLength, forgetLatest, leafId, leafLine, leafRowsBefore } from './latest';
export { attachmentFields, attachmentTypes, identityFields } from './attachment';
export { blockFields, blockTypes, messageFields, oddPrompts } from './message';
export { proveStraight, straightDepth, straightLeaf, straightRoot } from './straight';
export { dataFields, oddDataTypes, systemSubtypes, rowFields, rowTypes } from './row';
export { addUsage, counts, usageDetails, usageEntries, usageFields } from './usage';
export * from './bits';
export * from './rows';
