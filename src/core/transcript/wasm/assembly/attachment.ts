import { CLOSE_BRACE, COMMA, OPEN_BRACE, QUOTE, forgetBackslash, sawBackslash } from './json';
import { skipColon, skipSpace, skipString, skipValue } from './json';
import { createGuesses, guessName, guessedCode, learnName } from './guesses';
import { codeOf, createNames } from './names';

// What an attachment says about the model of the session, as `readModel` reads it, and whether the client sends it. If a field name occurs twice, the last one counts, as with JSON.parse. Every function that reads returns the address
// after what it read, or 0 if JSON.parse has to read the row.

/** Codes of the fields of an attachment; the other field is its identity. */
const TYPE: u32 = 1;
/** Code of the type whose identity counts. */
const ABOUT_MODEL: u32 = 1;
/** Code of types that are never sent. */
const UNSENT: u32 = 3;
/** Code of the type that is always sent, and for the user. */
const FOR_USER: u32 = 4;
/** Code of types that are sent only with texts in the row. */
const WRITTEN: u32 = 5;

export const attachmentFields = createNames();
/** Types of attachments that are always sent, or never: of one of them, the identity counts. */
export const attachmentTypes = createNames();
/** The only field of an identity that is read. */
export const identityFields = createNames();

const guesses = createGuesses();

/** Code of the type; 0 for any other. */
let type: u32 = 0;
let hasType: bool = false;
let nameAt: usize = 0;
let nameLength: u32 = 0;

export function clearAttachment(): void {
  type = 0;
  hasType = false;
  nameAt = 0;
}

/** Address of the model's name; 0 if there is none. */
export function announcedAt(): usize {
  return type == ABOUT_MODEL ? nameAt : 0;
}

/** Whether the client sends the attachment. */
export function isSentAttachment(hasTexts: bool): bool {
  return hasType && type != UNSENT && (hasTexts || (type != 0 && type != WRITTEN));
}

/** Whether the texts of the type are for the system if the row does not say for whom they are. */
export function isUsuallyForSystem(): bool {
  return type != 0 && type != FOR_USER;
}

export function announcedLength(): u32 {
  return nameLength;
}

/** `at` is the opening brace. */
export function readAttachment(at: usize): usize {
  at = skipSpace(at + 1);
  if (load<u8>(at) == CLOSE_BRACE) return at + 1;
  let place: u32 = 0;
  while (true) {
    if (load<u8>(at) != QUOTE) return 0;
    const name = at + 1;
    let field: u32;
    at = guessName(guesses, place++, name);
    if (at != 0) {
      field = guessedCode;
      at = skipSpace(at);
    } else {
      forgetBackslash();
      at = skipString(name);
      if (at == 0 || sawBackslash) return 0;
      field = learnName(guesses, place - 1, attachmentFields, name, <u32>(at - 1 - name));
      at = skipColon(at);
      if (at == 0) return 0;
    }
    at = field == 0 ? skipValue(at) : field == TYPE ? readType(at) : readIdentity(at);
    if (at == 0) return 0;
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte != COMMA) return byte == CLOSE_BRACE ? at + 1 : 0;
    at = skipSpace(at + 1);
  }
}

function readType(at: usize): usize {
  const start = at + 1;
  const isText = load<u8>(at) == QUOTE;
  forgetBackslash();
  at = skipValue(at);
  if (at == 0 || (isText && sawBackslash)) return 0;
  hasType = isText;
  type = isText ? codeOf(attachmentTypes, start, <u32>(at - 1 - start)) : 0;
  return at;
}

function readIdentity(at: usize): usize {
  nameAt = 0;
  if (load<u8>(at) != OPEN_BRACE) return skipValue(at);
  at = skipSpace(at + 1);
  if (load<u8>(at) == CLOSE_BRACE) return at + 1;
  while (true) {
    if (load<u8>(at) != QUOTE) return 0;
    const name = at + 1;
    forgetBackslash();
    at = skipString(name);
    if (at == 0 || sawBackslash) return 0;
    const isName = codeOf(identityFields, name, <u32>(at - 1 - name)) != 0;
    at = skipColon(at);
    if (at == 0) return 0;
    const start = load<u8>(at) == QUOTE ? at + 1 : 0;
    at = skipValue(at);
    if (at == 0 || (isName && sawBackslash)) return 0;
    if (isName) {
      nameAt = start;
      nameLength = start == 0 ? 0 : <u32>(at - 1 - start);
    }
    at = skipSpace(at);
    const byte = <u32>load<u8>(at);
    if (byte != COMMA) return byte == CLOSE_BRACE ? at + 1 : 0;
    at = skipSpace(at + 1);
  }
}
