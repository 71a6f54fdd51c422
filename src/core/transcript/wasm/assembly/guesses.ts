import { COLON } from './json';
import { allocate } from './memory';
import { codeOf, Names } from './names';

// Rows of one client have their fields in the same order, so a place most likely has the same field name as in the previous
// rows, and one comparison confirms it. There are two guesses per place, because rows of two types often alternate.

/** Number of places of an object for which there are guesses. */
const PLACES: u32 = 32;
/** Bytes of one guess: the text of the name up to the value, a mask of the bytes that count, their number, the code. */
const GUESS_BYTES: u32 = 32;
const MASK: u32 = 16;
const LENGTH: u32 = 20;
const CODE: u32 = 24;
/** Maximum length of the name with its closing quote and the colon. */
const MAX_TEXT: u32 = 16;

export type Guesses = usize;

export function createGuesses(): Guesses {
  const guesses = allocate(PLACES * 2 * GUESS_BYTES);
  // No comparison yields all 32 bits, so this matches nothing.
  memory.fill(guesses, 0xff, PLACES * 2 * GUESS_BYTES);
  return guesses;
}

/** Code of the name in the last guess that matched. */
export let guessedCode: u32 = 0;

/** Compares the name at `at`, the address after its opening quote. Returns the address after the colon, or 0. */
export function guessName(guesses: Guesses, place: u32, at: usize): usize {
  if (place >= PLACES) return 0;
  const bytes = v128.load(at);
  let guess = guesses + place * 2 * GUESS_BYTES;
  if (!matches(guess, bytes)) {
    guess += GUESS_BYTES;
    if (!matches(guess, bytes)) return 0;
  }
  guessedCode = load<u32>(guess, CODE);
  return at + load<u32>(guess, LENGTH);
}

function matches(guess: usize, bytes: v128): bool {
  const mask = load<u32>(guess, MASK);
  return ((<u32>i8x16.bitmask(i8x16.eq(bytes, v128.load(guess)))) & mask) == mask;
}

/** Code of the name, or 0. Also makes the name the first guess for this place. The name has no escapes. */
export function learnName(guesses: Guesses, place: u32, names: Names, at: usize, length: u32): u32 {
  const code = codeOf(names, at, length);
  if (place >= PLACES || length + 2 > MAX_TEXT || load<u8>(at + length, 1) != COLON) return code;
  const guess = guesses + place * 2 * GUESS_BYTES;
  memory.copy(guess + GUESS_BYTES, guess, GUESS_BYTES);
  v128.store(guess, v128.load(at));
  store<u32>(guess, (1 << (length + 2)) - 1, MASK);
  store<u32>(guess, length + 2, LENGTH);
  store<u32>(guess, code, CODE);
  return code;
}
