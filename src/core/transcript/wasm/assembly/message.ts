import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json';
import { forgetBackslash, sawBackslash, skipColon, skipSpace, skipString, skipValue } from './json';
import { createGuesses, guessName, guessedCode, learnName } from './guesses';
import { codeOf, createNames } from './names';
import { BLANK, ODD, TEXT, judgeText } from './text';
import { readUsage } from './usage';

// The message of a user or assistant row, as `readMessageContent` reads it. Every function that reads returns the address after
// what it read, or 0 if JSON.parse has to read the row.

/** Codes of the fields of a message. */
const ID: u32 = 1;
const CONTENT: u32 = 2;
const MODEL: u32 = 3;
const USAGE: u32 = 4;

/** Codes of the fields of a content block. */
const BLOCK_TYPE: u32 = 1;
const BLOCK_TEXT: u32 = 2;
const BLOCK_ID: u32 = 3;
const BLOCK_CALL: u32 = 4;

/** Codes of the types of a content block; 0 for all others. */
const TYPE_TEXT: u32 = 1;
const TYPE_THINKING: u32 = 2;
const TYPE_TOOL_USE: u32 = 3;
const TYPE_TOOL_RESULT: u32 = 4;
/** A call that the API runs itself: left to JSON.parse, like its result. */
const TYPE_SERVER_CALL: u32 = 5;
const TYPE_REDACTED: u32 = 6;

/** Limit of the calls and of the results of one row; a row with more is left to JSON.parse. */
const MAX_TOOLS: u32 = 256;

export const messageFields = createNames();
export const blockFields = createNames();
export const blockTypes = createNames();
/** The first bytes of prompts that the client gives itself. */
export const oddPrompts = createNames();
const PROMPT_START_BYTES: u32 = 4;

const messageGuesses = createGuesses();
const blockGuesses = createGuesses();

export let idAt: usize = 0;
/** Address of the content if it is a string, or of the text of the first block; 0 if there is none. */
let firstTextAt: usize = 0;
/** Entries of the content. */
let blocks: u32 = 0;
export let idLength: u32 = 0;
export let modelAt: usize = 0;
export let modelLength: u32 = 0;
export let hasUsage: bool = false;
/** `content` is a string or an array. */
export let isUsable: bool = false;
/** `content` is a string. */
export let isText: bool = false;
export let hasText: bool = false;
/** The message holds text, blank or not, that a person may have typed. */
export let mayHoldPrompt: bool = false;
/** Blocks that are neither text nor thinking, calls or results. */
export let others: u32 = 0;
/** Blocks of redacted thinking. */
export let redacted: u32 = 0;
export let toolUses: u32 = 0;
export let toolResults: u32 = 0;
/** Address and length of each call's id. */
export const useIds = memory.data(2048, 16);
/** Address and length of the id of each result's call. */
export const resultIds = memory.data(2048, 16);

/** Fields that have occurred: a second field with the same name is left to JSON.parse. */
let seen: u32 = 0;

/** Whether the model is the one that the client names in replies of its own. */
export function isSynthetic(): bool {
  if (modelAt == 0 || modelLength != 11) return false;
  // "<synthet" and "nthetic>" overlap.
  return load<u64>(modelAt) == 0x746568746e79733c && load<u64>(modelAt, 3) == 0x3e6369746568746e;
}

/** Whether the content is an empty list. */
export function isEmptyList(): bool {
  return isUsable && !isText && blocks == 0;
}

/** Whether the message may say that a prompt was refused because the history is too long, which JSON.parse finds out. */
export function mayReportLength(): bool {
  if (firstTextAt == 0) return false;
  const bytes = v128.load(firstTextAt);
  if (v128.any_true(i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH)))) return true;
  const start = load<u64>(firstTextAt);
  // "Prompt i" and "Autocomp".
  if (start == 0x692074706d6f7250 || start == 0x706d6f636f747541) return true;
  // "API Error: 400".
  return start == 0x6f72724520495041 && load<u64>(firstTextAt, 6) == 0x303034203a726f72;
}

/** Whether a meta row may be a prompt that the client gives itself, which JSON.parse finds out. */
export function mayBeHiddenPrompt(): bool {
  if (firstTextAt == 0) return false;
  return codeOf(oddPrompts, firstTextAt, PROMPT_START_BYTES) != 0 || holdsBackslash(firstTextAt, PROMPT_START_BYTES);
}

export function clearMessage(): void {
  idAt = 0;
  firstTextAt = 0;
  blocks = 0;
  modelAt = 0;
  hasUsage = false;
  isUsable = false;
  isText = false;
  hasText = false;
  mayHoldPrompt = false;
  others = 0;
  redacted = 0;
  toolUses = 0;
  toolResults = 0;
  seen = 0;
}

/** `at` is the opening brace. */
export function readMessage(at: usize): usize {
  at = skipSpace(at + 1);
  if (load<u8>(at) == CLOSE_BRACE) return at + 1;
  let place: u32 = 0;
  while (true) {
    if (load<u8>(at) != QUOTE) return 0;
    const name = at + 1;
    let field: u32;
    at = guessName(messageGuesses, place++, name);
    if (at != 0) {
      field = guessedCode;
      at = skipSpace(at);
    } else {
      forgetBackslash();
      at = skipString(name);
      if (at == 0 || sawBackslash) return 0;
      field = learnName(messageGuesses, place - 1, messageFields, name, <u32>(at - 1 - name));
      at = skipColon(at);
      if (at == 0) return 0;
    }
    at = field == 0 ? skipValue(at) : readField(field, at);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte != COMMA) return byte == CLOSE_BRACE ? at + 1 : 0;
    at = skipSpace(at + 1);
  }
}

function readField(field: u32, at: usize): usize {
  if ((seen & (1 << field)) != 0) return 0;
  seen |= 1 << field;
  const byte = <u32>load<u8>(at);
  if (field == CONTENT) {
    if (byte == OPEN_BRACKET) return readContent(at);
    if (byte == QUOTE) return readContentText(at);
  } else if (field == USAGE) {
    if (byte == OPEN_BRACE) {
      hasUsage = true;
      return readUsage(at);
    }
  } else if (byte == QUOTE) {
    const start = at + 1;
    forgetBackslash();
    at = skipString(start);
    if (at == 0 || sawBackslash) return 0;
    const length = <u32>(at - 1 - start);
    if (field == ID) {
      idAt = start;
      idLength = length;
    } else {
      modelAt = start;
      modelLength = length;
    }
    return at;
  }
  return skipValue(at);
}

function readContentText(at: usize): usize {
  isUsable = true;
  isText = true;
  firstTextAt = at + 1;
  mayHoldPrompt = true;
  const judged = judgeText(at + 1);
  if (judged == ODD) return 0;
  hasText = judged == TEXT;
  return skipString(at + 1);
}

function readContent(at: usize): usize {
  isUsable = true;
  at = skipSpace(at + 1);
  if (load<u8>(at) == CLOSE_BRACKET) return at + 1;
  while (true) {
    // Whether the row is usable depends on the other blocks then.
    if (load<u8>(at) != OPEN_BRACE) return 0;
    at = readBlock(at);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte != COMMA) return byte == CLOSE_BRACKET ? at + 1 : 0;
    at = skipSpace(at + 1);
  }
}

/** Values of the block's fields: 0 if the field is missing or not a string. */
let typeAt: usize = 0;
let typeLength: u32 = 0;
let textAt: usize = 0;
let blockIdAt: usize = 0;
let blockIdLength: u32 = 0;
let callAt: usize = 0;
let callLength: u32 = 0;

function readBlock(at: usize): usize {
  typeAt = 0;
  textAt = 0;
  blockIdAt = 0;
  callAt = 0;
  at = skipSpace(at + 1);
  if (load<u8>(at) == CLOSE_BRACE) return finishBlock(at + 1);
  let place: u32 = 0;
  while (true) {
    if (load<u8>(at) != QUOTE) return 0;
    const name = at + 1;
    let field: u32;
    at = guessName(blockGuesses, place++, name);
    if (at != 0) {
      field = guessedCode;
      at = skipSpace(at);
    } else {
      forgetBackslash();
      at = skipString(name);
      if (at == 0 || sawBackslash) return 0;
      field = learnName(blockGuesses, place - 1, blockFields, name, <u32>(at - 1 - name));
      at = skipColon(at);
      if (at == 0) return 0;
    }
    const start = load<u8>(at) == QUOTE ? at + 1 : 0;
    at = start != 0 ? skipString(start) : skipValue(at);
    if (at == 0) return 0;
    // If a field name occurs twice, the last one counts.
    if (field != 0) noteField(field, start, start == 0 ? 0 : <u32>(at - 1 - start));
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte != COMMA) return byte == CLOSE_BRACE ? finishBlock(at + 1) : 0;
    at = skipSpace(at + 1);
  }
}

function noteField(field: u32, at: usize, length: u32): void {
  if (field == BLOCK_TYPE) {
    typeAt = at;
    typeLength = length;
  } else if (field == BLOCK_TEXT) textAt = at;
  else if (field == BLOCK_ID) {
    blockIdAt = at;
    blockIdLength = length;
  } else {
    callAt = at;
    callLength = length;
  }
}

/** Returns `at`, or 0 if the block is left to JSON.parse. */
function finishBlock(at: usize): usize {
  if (textAt != 0) mayHoldPrompt = true;
  if (blocks++ == 0) firstTextAt = textAt;
  if (typeAt == 0) return 0;
  const type = codeOf(blockTypes, typeAt, typeLength);
  if (type == TYPE_THINKING) return at;
  if (type == TYPE_REDACTED) {
    redacted++;
    return at;
  }
  if (type == TYPE_TEXT) {
    const judged = textAt == 0 ? BLANK : judgeText(textAt);
    if (judged == TEXT) hasText = true;
    return judged == ODD ? 0 : at;
  }
  if (type == TYPE_TOOL_USE) {
    if (blockIdAt == 0 || toolUses == MAX_TOOLS) return 0;
    noteTool(useIds, toolUses++, blockIdAt, blockIdLength);
    return at;
  }
  if (type == TYPE_TOOL_RESULT) {
    if (callAt == 0 || toolResults == MAX_TOOLS) return 0;
    noteTool(resultIds, toolResults++, callAt, callLength);
    return at;
  }
  // The name may be that of a known type, written with escapes.
  if (type == TYPE_SERVER_CALL || isServerResult(typeAt, typeLength) || holdsBackslash(typeAt, typeLength)) return 0;
  others++;
  return at;
}

function noteTool(list: usize, index: u32, at: usize, length: u32): void {
  store<u32>(list + (index << 3), <u32>at);
  store<u32>(list + (index << 3), length, 4);
}

/** Whether the name ends with "_tool_result". */
function isServerResult(at: usize, length: u32): bool {
  if (length < 12) return false;
  const end = at + length;
  return load<u64>(end - 12) == 0x65725f6c6f6f745f && load<u32>(end - 4) == 0x746c7573;
}

function holdsBackslash(at: usize, length: u32): bool {
  for (let index: u32 = 0; index < length; index++) if (load<u8>(at + index) == 0x5c) return true;
  return false;
}
