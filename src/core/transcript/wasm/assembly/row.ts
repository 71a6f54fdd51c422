import { KIND_ASSISTANT, KIND_USER } from './bits';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  forgetBackslash,
  isNothing,
  isNull,
  isTrue,
} from './json';
import { sawBackslash, skipColon, skipSpace, skipString, skipValue } from './json';
import { clearAttachment, readAttachment } from './attachment';
import { clearMessage, readMessage } from './message';
import { createGuesses, guessName, guessedCode, learnName } from './guesses';
import { codeOf, createNames } from './names';

// One row, as `readChainRow` reads it. If a field name occurs twice, the last one counts, as with JSON.parse.

/** Codes of the fields of a row. */
const TYPE: u32 = 1;
const UUID: u32 = 2;
const PARENT: u32 = 3;
const TIMESTAMP: u32 = 4;
const MESSAGE: u32 = 5;
const IS_SIDECHAIN: u32 = 6;
const IS_META: u32 = 7;
const IS_API_ERROR: u32 = 8;
const FORKED_FROM: u32 = 9;
const TOOL_SOURCE: u32 = 10;
const SUBTYPE: u32 = 11;
const DATA: u32 = 12;
/** The first of three fields: working folder, git branch and version of the client. */
const CONTEXT: u32 = 13;
export const CONTEXT_FIELDS: u32 = 3;
/** The three fields of rows that name the leaf. */
export const LEAF: u32 = 16;
export const LAST_PROMPT: u32 = 17;
const EXPLICIT: u32 = 18;
const IS_VIRTUAL: u32 = 19;
const ATTACHMENT: u32 = 20;
/** The texts of an attachment that is sent. `OTHER`: there are some. */
export const RENDERED: u32 = 21;
/** For whom they are. */
const RENDERED_ROLE: u32 = 22;
const FIELDS: u32 = 23;
/** Fields that are rare: rows in which one of them is text or true are left to JSON.parse. */
const RARE: u32 = 23;

/** `"content`, the two parts of `system`, and `user`, as they are in memory. */
const QUOTED_CONTENT: u64 = 0x746e65746e6f6322;
const SYST: u32 = 0x74737973;
const EM: u16 = 0x6d65;
const USER: u32 = 0x72657375;

/** For whom texts are. */
export const NOBODY: u32 = 0;
export const SYSTEM: u32 = 1;
export const PERSON: u32 = 2;

/** Forms of a value. */
export const ABSENT: u32 = 0;
export const NOTHING: u32 = 1;
export const TRUE: u32 = 2;
export const STRING: u32 = 3;
export const OTHER: u32 = 4;

/** Code of a type whose rows hold a title. */
export const TITLE_TYPE: u32 = 13;
/** Code of the type whose rows name the leaf. */
export const LEAF_TYPE: u32 = 14;
/** Code of a type whose rows hold nothing that is stored here. */
export const PLAIN_TYPE: u32 = 15;

export const rowFields = createNames();
/** Types of rows. Chain rows have the codes of their kinds; types that JSON.parse has to read have no code. */
export const rowTypes = createNames();
/** Subtypes of system rows: that of outputs of commands has the code `COMMAND_OUTPUT`, and JSON.parse has to read all others. */
export const systemSubtypes = createNames();
/** Types of the `data` of progress rows that JSON.parse has to read. */
export const oddDataTypes = createNames();
/** The only field of `data` that is read. */
export const dataFields = createNames();

const rowGuesses = createGuesses();

/** Form, address of the text, its length, and address of the value, of each field. */
const values = memory.data(368, 16);
/** Code of the row's type. */
export let rowType: u32 = 0;
/** Whether `message` was read. */
let hasMessage: bool = false;
/** Whether it is an object. */
let isMessageObject: bool = false;
/** Whether the row's `data` or `subtype` may be one that JSON.parse has to read. */
let hasOddData: bool = false;
let hasOddSubtype: bool = false;
let isCommand: bool = false;
const COMMAND_OUTPUT: u32 = 2;
/** Whether a field that is noted occurs twice. */
export let hasRepeatedField: bool = false;

export function formOf(field: u32): u32 {
  return load<u8>(values + (field << 4));
}

export function textOf(field: u32): usize {
  return load<usize>(values + (field << 4), 4);
}

export function lengthOfText(field: u32): u32 {
  return load<u32>(values + (field << 4), 8);
}

/** Address of the value, with its quotes; 0 if it was not read. */
export function placeOf(field: u32): usize {
  return load<usize>(values + (field << 4), 12);
}

/** Reads the row whose opening brace is at `at`. Returns the address of its newline, or 0 if it is left to JSON.parse. */
export function readRow(at: usize): usize {
  for (let field: u32 = 0; field < FIELDS; field++) v128.store(values + (field << 4), i64x2.splat(0));
  clearMessage();
  clearAttachment();
  rowType = 0;
  hasMessage = false;
  isMessageObject = false;
  hasOddData = false;
  hasOddSubtype = false;
  isCommand = false;
  hasRepeatedField = false;
  at = skipSpace(at + 1);
  let place: u32 = 0;
  while (true) {
    if (load<u8>(at) != QUOTE) return 0;
    const name = at + 1;
    let field: u32;
    at = guessName(rowGuesses, place++, name);
    if (at != 0) {
      field = guessedCode;
      at = skipSpace(at);
    } else {
      forgetBackslash();
      at = skipString(name);
      if (at == 0 || sawBackslash) return 0;
      field = learnName(rowGuesses, place - 1, rowFields, name, <u32>(at - 1 - name));
      at = skipColon(at);
      if (at == 0) return 0;
    }
    at = field == 0 ? skipValue(at) : readField(field, at);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte == CLOSE_BRACE) break;
    if (byte != COMMA) return 0;
    at = skipSpace(at + 1);
  }
  at = skipSpace(at + 1);
  return load<u8>(at) == NEWLINE && isPlain() ? at : 0;
}

function readField(field: u32, at: usize): usize {
  if (field == MESSAGE) {
    if (hasMessage) return 0;
    hasMessage = true;
    isMessageObject = load<u8>(at) == OPEN_BRACE;
    return isMessageObject ? readMessage(at) : skipValue(at);
  }
  const byte = <u32>load<u8>(at);
  if (field == RARE) return byte == QUOTE || isTrue(at) ? 0 : skipValue(at);
  if (field == ATTACHMENT) {
    clearAttachment();
    return byte == OPEN_BRACE ? readAttachment(at) : skipValue(at);
  }
  if (field == RENDERED) {
    const isList = byte == OPEN_BRACKET && load<u8>(skipSpace(at + 1)) != CLOSE_BRACKET;
    note(field, at, isList ? OTHER : NOTHING, 0, 0);
    return isList ? skipTexts(at) : skipValue(at);
  }
  if (byte == QUOTE) {
    const end = skipString(at + 1);
    note(field, at, STRING, at + 1, <u32>(end - 2 - at));
    return end;
  }
  if (field == DATA && byte == OPEN_BRACE) return readData(at);
  // A sidechain flag that is null does not count as false. (src/core/providers/claude/loader/walk.ts)
  const isNone = isNothing(at) && !(field == IS_SIDECHAIN && isNull(at));
  note(field, at, isTrue(at) ? TRUE : isNone ? NOTHING : OTHER, 0, 0);
  return skipValue(at);
}

function note(field: u32, place: usize, form: u32, at: usize, length: u32): void {
  const value = values + (field << 4);
  if (load<u8>(value) != ABSENT) hasRepeatedField = true;
  store<u8>(value, form);
  store<usize>(value, at, 4);
  store<u32>(value, length, 8);
  store<usize>(value, place, 12);
}

/** A list of objects that hold nothing but `content`, a text. Whether the client takes any other is left to JSON.parse. */
function skipTexts(at: usize): usize {
  do {
    at = skipSpace(at + 1);
    if (load<u8>(at) != OPEN_BRACE) return 0;
    at = skipSpace(at + 1);
    if (load<u64>(at) != QUOTED_CONTENT || load<u8>(at, 8) != QUOTE) return 0;
    at = skipColon(at + 9);
    if (at == 0 || load<u8>(at) != QUOTE || load<u8>(at, 1) == QUOTE) return 0;
    at = skipString(at + 1);
    if (at == 0) return 0;
    at = skipSpace(at);
    if (load<u8>(at) != CLOSE_BRACE) return 0;
    at = skipSpace(at + 1);
  } while (load<u8>(at) == COMMA);
  return load<u8>(at) == CLOSE_BRACKET ? at + 1 : 0;
}

/** For whom the texts of an attachment are said to be; `NOBODY` for anything else. */
export function roleOfTexts(): u32 {
  if (formOf(RENDERED_ROLE) != STRING) return NOBODY;
  const at = textOf(RENDERED_ROLE);
  const length = lengthOfText(RENDERED_ROLE);
  if (length == 6 && load<u32>(at) == SYST && load<u16>(at, 4) == EM) return SYSTEM;
  return length == 4 && load<u32>(at) == USER ? PERSON : NOBODY;
}

/** Reads `data` only to find out whether its type is an odd one. */
function readData(at: usize): usize {
  at = skipSpace(at + 1);
  if (load<u8>(at) == CLOSE_BRACE) return at + 1;
  while (true) {
    if (load<u8>(at) != QUOTE) return 0;
    const name = at + 1;
    forgetBackslash();
    at = skipString(name);
    if (at == 0) return 0;
    const isType = sawBackslash || codeOf(dataFields, name, <u32>(at - 1 - name)) != 0;
    at = skipColon(at);
    if (at == 0) return 0;
    const start = at + 1;
    const isText = load<u8>(at) == QUOTE;
    forgetBackslash();
    at = skipValue(at);
    if (at == 0) return 0;
    if (isType && isText && (sawBackslash || codeOf(oddDataTypes, start, <u32>(at - 1 - start)) != 0))
      hasOddData = true;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte != COMMA) return byte == CLOSE_BRACE ? at + 1 : 0;
    at = skipSpace(at + 1);
  }
}

/** Whether the row's type is known, and everything in it has a form that is understood here. */
function isPlain(): bool {
  if (formOf(TYPE) != STRING) return false;
  rowType = codeOf(rowTypes, textOf(TYPE), lengthOfText(TYPE));
  if (rowType == 0) return false;
  if ((rowType == KIND_USER || rowType == KIND_ASSISTANT) && !isMessageObject) return false;
  // A row that is not part of the tree is stored if it has a uuid.
  if (rowType == PLAIN_TYPE || rowType == TITLE_TYPE) return formOf(UUID) != STRING;
  if (rowType == LEAF_TYPE) return formOf(UUID) != STRING && formOf(EXPLICIT) <= NOTHING;
  if (formOf(SUBTYPE) == STRING) {
    const code = codeOf(systemSubtypes, textOf(SUBTYPE), lengthOfText(SUBTYPE));
    isCommand = code == COMMAND_OUTPUT;
    hasOddSubtype = (code != 0 && !isCommand) || holdsBackslash(SUBTYPE);
  }
  if (formOf(RENDERED_ROLE) == STRING && holdsBackslash(RENDERED_ROLE)) return false;
  // Rare values of these fields are left to JSON.parse.
  if (formOf(IS_VIRTUAL) == TRUE || formOf(UUID) == TRUE || formOf(UUID) == OTHER) return false;
  const sidechain = formOf(IS_SIDECHAIN);
  return (sidechain == TRUE || sidechain == NOTHING) && isPlainFlag(IS_META) && isPlainFlag(IS_API_ERROR);
}

function isPlainFlag(field: u32): bool {
  return formOf(field) <= TRUE;
}

function holdsBackslash(field: u32): bool {
  const at = textOf(field);
  for (let index: u32 = 0, end = lengthOfText(field); index < end; index++) {
    if (load<u8>(at + index) == 0x5c) return true;
  }
  return false;
}

export function isOddSystemRow(): bool {
  return hasOddSubtype;
}

export function isCommandOutput(): bool {
  return isCommand;
}

export function isOddProgressRow(): bool {
  return hasOddData;
}

export { CONTEXT, FORKED_FROM, IS_API_ERROR, IS_META, IS_SIDECHAIN, PARENT, TIMESTAMP, TOOL_SOURCE, TYPE, UUID };
