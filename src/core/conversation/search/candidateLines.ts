import { readSync } from 'node:fs';

const CHUNK_BYTES = 256 * 1024;
/** Longest line that is parsed, in bytes; a longer one is counted and skipped. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const NEWLINE = 10;
const ESCAPE = Buffer.from('\\u');
const ESCAPE_BYTES = 6;
/**
 * The digits of an escape for a control character other than ESC. No pattern contains control characters, but ESC
 * starts terminal sequences, which may split a word that is displayed as one.
 */
const CONTROL = /^00(?:0|1[^bB])/;

export interface CandidateLine {
  /** 1-based. */
  readonly line: number;
  /** Bytes from the start of the file to the line. */
  readonly offset: number;
  /** Valid until the next chunk is read. */
  readonly bytes: Buffer;
}

/**
 * Reads a file in chunks and yields the lines that may contain a match. All other lines are only searched as bytes and
 * never kept, so memory is bounded by a chunk and the longest candidate. Reads synchronously, like `scanFile`.
 */
export class CandidateLines {
  readonly #file: number;
  readonly #size: number;
  readonly #pattern: BytePattern | null;
  readonly #keep: number;
  readonly #buffer: Buffer;
  /**
   * Bytes at the start of the buffer that are kept from the end of the previous chunk, because a match may span both
   * chunks.
   */
  #kept = 0;
  /** Bytes of the buffer that the previous chunk filled. */
  #filled = 0;
  /** Offset in the file of the next byte to read. */
  #at = 0;
  #line = 1;
  #lineStart = 0;
  #isCandidate = false;
  #isOver = false;
  #skippedLines = 0;

  /** `size`: number of bytes of the file to read. Without a pattern, every line is yielded. */
  constructor(file: number, size: number, pattern: BytePattern | null) {
    this.#file = file;
    this.#size = size;
    this.#pattern = pattern;
    this.#keep = Math.max(pattern?.maxBytes ?? 0, ESCAPE_BYTES) - 1;
    this.#buffer = Buffer.allocUnsafe(this.#keep + CHUNK_BYTES);
  }

  get bytesRead(): number {
    return this.#at;
  }

  /** Number of lines skipped because they are too long. */
  get skippedLines(): number {
    return this.#skippedLines;
  }

  /** The candidates that end in the next chunk; null at the end of the file. */
  next(): readonly CandidateLine[] | null {
    if (this.#isOver) return null;
    // Not moved earlier, because the lines of the previous chunk were still in use.
    this.#buffer.copyWithin(0, this.#filled - this.#kept, this.#filled);
    const wanted = Math.min(CHUNK_BYTES, this.#size - this.#at);
    const read = wanted <= 0 ? 0 : readSync(this.#file, this.#buffer, this.#kept, wanted, this.#at);
    const found: CandidateLine[] = [];
    if (read === 0) {
      this.#isOver = true;
      this.#endLine(this.#at, null, found);
      return found;
    }
    const window = this.#buffer.subarray(0, this.#kept + read);
    this.#look(window, found);
    this.#at += read;
    this.#filled = window.length;
    this.#kept = Math.min(this.#keep, window.length);
    return found;
  }

  #look(window: Buffer, found: CandidateLine[]): void {
    const base = this.#at - this.#kept;
    const marks = new Marks(window, this.#pattern);
    let at = this.#kept;
    for (let mark = marks.next(0); ;) {
      const newline = window.indexOf(NEWLINE, at);
      const end = newline < 0 ? window.length : newline;
      if (mark < end) this.#isCandidate = true;
      if (newline < 0) return;
      this.#endLine(base + newline, { window, base }, found);
      at = newline + 1;
      if (mark < at) mark = marks.next(at);
    }
  }

  /** `end`: offset in the file of the line's newline, or of the end of the file. */
  #endLine(end: number, chunk: { window: Buffer; base: number } | null, found: CandidateLine[]): void {
    const start = this.#lineStart;
    const isCandidate = (this.#isCandidate || this.#pattern === null) && end > start;
    if (isCandidate && end - start > MAX_LINE_BYTES) this.#skippedLines += 1;
    else if (isCandidate) found.push({ line: this.#line, offset: start, bytes: this.#bytesOf(start, end, chunk) });
    this.#line += 1;
    this.#lineStart = end + 1;
    this.#isCandidate = false;
  }

  #bytesOf(start: number, end: number, chunk: { window: Buffer; base: number } | null): Buffer {
    if (chunk !== null && start >= chunk.base) return chunk.window.subarray(start - chunk.base, end - chunk.base);
    const bytes = Buffer.allocUnsafe(end - start);
    let filled = 0;
    while (filled < bytes.length) {
      const read = readSync(this.#file, bytes, filled, bytes.length - filled, start + filled);
      if (read === 0) break;
      filled += read;
    }
    return bytes.subarray(0, filled);
  }
}

/** Positions in a chunk that make their line a candidate, in ascending order. */
class Marks {
  readonly #window: Buffer;
  readonly #expression: RegExp | null;
  readonly #text: string;
  #match = -1;
  #escape = -1;

  constructor(window: Buffer, pattern: BytePattern | null) {
    this.#window = window;
    this.#expression = pattern?.expression ?? null;
    this.#text = pattern === null ? '' : window.toString('latin1');
  }

  /** The first position at or after `from`; infinity if there is none. */
  next(from: number): number {
    if (this.#expression === null) return Infinity;
    if (this.#match < from) this.#match = this.#nextMatch(this.#expression, from);
    if (this.#escape < from) this.#escape = this.#nextEscape(from);
    return Math.min(this.#match, this.#escape);
  }

  #nextMatch(expression: RegExp, from: number): number {
    expression.lastIndex = from;
    return expression.exec(this.#text)?.index ?? Infinity;
  }

  /**
   * The next escape that may encode a character of the needle. Clients write hardly any escapes except for control
   * characters.
   */
  #nextEscape(from: number): number {
    let at = this.#window.indexOf(ESCAPE, from);
    while (at >= 0 && CONTROL.test(this.#text.slice(at + 2, at + ESCAPE_BYTES))) {
      at = this.#window.indexOf(ESCAPE, at + 1);
    }
    return at < 0 ? Infinity : at;
  }
}

/** Matches the bytes of every line whose texts contain a needle, except for lines with `\u` escapes. */
export interface BytePattern {
  /** Global; applied to the bytes as Latin-1, one character per byte. */
  readonly expression: RegExp;
  /** Length of the longest match, in bytes. */
  readonly maxBytes: number;
}

/** Longest part of a needle that is searched for in bytes; more would hardly exclude any further lines. */
const MAX_CHARACTERS = 40;
/**
 * Characters that JSON may or must escape (control characters, quotes, backslashes, slashes), lone surrogates, and the
 * replacement character for bytes that are not valid UTF-8.
 */
const WRITTEN_OTHERWISE = /[\p{Cc}"\\/\p{Cs}\ufffd]/u;

/** Null if any line may contain the needle, because no part of it is certain to be in the bytes unescaped. */
export function bytePattern(needle: string, isCaseSensitive: boolean): BytePattern | null {
  const run = longestRun(needle);
  if (run.length === 0) return null;
  let source = '';
  let maxBytes = 0;
  for (const character of run) {
    const forms = (isCaseSensitive ? [character] : caseVariants(character)).map((form) => Buffer.from(form));
    source += sourceOf(forms);
    maxBytes += Math.max(...forms.map(({ length }) => length));
  }
  return { expression: new RegExp(source, 'g'), maxBytes };
}

function longestRun(needle: string): readonly string[] {
  let longest: string[] = [];
  let run: string[] = [];
  for (const character of needle) {
    if (WRITTEN_OTHERWISE.test(character)) run = [];
    else run.push(character);
    if (run.length > longest.length) longest = [...run];
    if (run.length === MAX_CHARACTERS) break;
  }
  return longest;
}

/** Uses a character class if all forms are single bytes, because the engine can skip ahead with one. */
function sourceOf(forms: readonly Buffer[]): string {
  const sources = forms.map((form) => [...form].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''));
  if (forms.every(({ length }) => length === 1))
    return sources.length === 1 ? sources.join('') : `[${sources.join('')}]`;
  return `(?:${sources.join('|')})`;
}

const LAST_CASED = 0x1ffff;

let cased: string | null = null;

/**
 * Every character that has another case. Computed once, in about 20 ms, and only for needles with characters beyond
 * ASCII.
 */
function casedCharacters(): string {
  if (cased !== null) return cased;
  const found: string[] = [];
  for (let code = 0; code <= LAST_CASED; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    if (isCased(character)) found.push(character);
  }
  cased = found.join('');
  return cased;
}

function isCased(character: string): boolean {
  return character.toLowerCase() !== character || character.toUpperCase() !== character;
}

/** ASCII letters that are a case variant of a character beyond ASCII: the Kelvin sign and the long s. */
const BEYOND_ASCII: ReadonlyMap<string, string> = new Map([
  ['k', '\u212a'],
  ['s', '\u017f'],
]);

/** The characters that a regular expression with the flags `iu` treats as equal to this one, including itself. */
function caseVariants(character: string): readonly string[] {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) {
    const lower = character.toLowerCase();
    const beyond = BEYOND_ASCII.get(lower);
    return [...new Set([lower, character.toUpperCase()]), ...(beyond === undefined ? [] : [beyond])];
  }
  const others = casedCharacters().match(new RegExp(`\\u{${code.toString(16)}}`, 'giu')) ?? [];
  return [...new Set([character, ...others])];
}
