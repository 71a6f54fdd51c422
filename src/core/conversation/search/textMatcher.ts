import { type Context, createContext, Script } from 'node:vm';
import type { SearchQuery } from '../../../protocol/channels/search';
import { bytePattern, type BytePattern } from './candidateLines';
import { requiredLiteral } from './requiredLiteral';

/** The first hit in a row. */
export interface TextHit {
  readonly text: string;
  /** UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

export interface TextMatcher {
  /** A pattern that the bytes of every line with a hit match; null if any line may have a hit. */
  readonly pattern: BytePattern | null;
  /** The first hit in each row's texts; null for a row without one. */
  find(rows: readonly (readonly string[])[]): readonly (TextHit | null)[];
  /** Number of texts that were skipped or only partly searched, because they are too long or take too long. */
  readonly skippedTexts: number;
  /** Whether so many rows took too long that the search should be abandoned. */
  readonly isTooSlow: boolean;
}

export type MatcherOutcome =
  | { readonly kind: 'matcher'; readonly matcher: TextMatcher }
  /** One sentence for people. */
  | { readonly kind: 'problem'; readonly problem: string };

/** Never throws. */
export function createMatcher({ text, isRegExp, isCaseSensitive }: SearchQuery): MatcherOutcome {
  if (text === '') return { kind: 'problem', problem: 'There is no text to search for.' };
  try {
    return {
      kind: 'matcher',
      matcher: isRegExp ? expressionMatcher(text, isCaseSensitive) : literalMatcher(text, isCaseSensitive),
    };
  } catch (error) {
    return { kind: 'problem', problem: `This is no regular expression: ${whyInvalid(error)}.` };
  }
}

/** The part of the engine's message after the expression, which may be long. */
function whyInvalid(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(message.lastIndexOf(': ') + 1).trim();
}

function literalMatcher(text: string, isCaseSensitive: boolean): TextMatcher {
  const expression = new RegExp(escapeText(text), isCaseSensitive ? 'u' : 'iu');
  return {
    pattern: bytePattern(text, isCaseSensitive),
    find: (rows) => rows.map((texts) => firstHit(texts, expression)),
    skippedTexts: 0,
    isTooSlow: false,
  };
}

function firstHit(texts: readonly string[], expression: RegExp): TextHit | null {
  for (const text of texts) {
    for (const { start, end } of hitsIn(text, expression)) return { text, start, end };
  }
  return null;
}

/**
 * Yields the matches in a text that are not empty. `expression` must be global if it can match an empty text, or if all
 * matches are wanted.
 */
export function* hitsIn(text: string, expression: RegExp): Generator<Omit<TextHit, 'text'>, void, undefined> {
  expression.lastIndex = 0;
  for (let found = expression.exec(text); found !== null; found = expression.exec(text)) {
    if (found[0] !== '') yield { start: found.index, end: found.index + found[0].length };
    // With the `u` flag, a match that would start inside a surrogate pair starts before it.
    else expression.lastIndex += (text.codePointAt(found.index) ?? 0) > 0xffff ? 2 : 1;
    if (expression.lastIndex > text.length) break;
  }
}

function expressionMatcher(source: string, isCaseSensitive: boolean): TextMatcher {
  const literal = requiredLiteral(source);
  const expression = parseExpression(source, isCaseSensitive ? 'gm' : 'gim');
  const rows = new TimedRows<TextHit | null>((texts) => firstHit(texts, expression), null);
  return {
    pattern: literal === '' ? null : bytePattern(literal, isCaseSensitive),
    find: (texts) => rows.answers(texts),
    get skippedTexts() {
      return rows.skippedTexts;
    },
    get isTooSlow() {
      return rows.isTooSlow;
    },
  };
}

/** Escapes a text so that an expression matches it literally, also with the `u` flag. */
export function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** Falls back to no `u` flag, which forbids the unnecessary escapes that people write. */
export function parseExpression(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch (error) {
    try {
      return new RegExp(source, flags);
    } catch {
      throw error;
    }
  }
}

/** Longest prefix of a text that a user's expression is applied to, in UTF-16 units. */
const MAX_TEXT_UNITS = 1024 * 1024;
/** Time limit for applying an expression to a group of rows. */
const MAX_WORK_MS = 100;
/** Number of rows that may exceed the time limit before the search is abandoned. */
const MAX_SLOW_ROWS = 10;
/** UTF-16 units per millisecond; a good expression processes many times as many. */
const FAIR_UNITS_A_MS = 4096;
/** Total time in excess of that rate, over all rows, before the search is abandoned. */
const MAX_EXCESS_MS = 2000;

/**
 * Applies a user's expression to the texts of rows. It may take practically forever on a text of any length. Only a
 * script with a time limit can be stopped during a match, and starting one takes a tenth of a millisecond. Therefore
 * the script is given many rows at once, and one row at a time if that took too long.
 */
export class TimedRows<T> {
  readonly #script = new Script('look()');
  readonly #context: Context;
  readonly #nothing: T;
  #rows: readonly (readonly string[])[] = [];
  #answers: T[] = [];
  #slowRows = 0;
  #excessMs = 0;
  #longTexts = 0;

  /** `nothing` is the answer for a row that takes too long. */
  constructor(look: (texts: readonly string[]) => T, nothing: T) {
    this.#nothing = nothing;
    this.#context = createContext({
      look: () => {
        for (const texts of this.#rows) this.#answers.push(look(texts));
      },
    });
  }

  /** Number of texts that were skipped or only partly searched, because they are too long or take too long. */
  get skippedTexts(): number {
    return this.#slowRows + this.#longTexts;
  }

  /** Number of rows on which the expression took too long. */
  get slowRows(): number {
    return this.#slowRows;
  }

  /** Whether so many rows, or all rows together, took so long that the search should be abandoned. */
  get isTooSlow(): boolean {
    return this.#slowRows >= MAX_SLOW_ROWS || this.#excessMs >= MAX_EXCESS_MS;
  }

  /** The result of `look` for the texts of each row. */
  answers(rows: readonly (readonly string[])[]): readonly T[] {
    if (rows.length === 0) return [];
    const bounded = rows.map((texts) => texts.map((text) => this.#bound(text)));
    if (this.#run(bounded)) return this.#answers;
    return bounded.map((texts) => {
      if (this.isTooSlow) return this.#nothing;
      if (this.#run([texts])) return this.#answers[0] ?? this.#nothing;
      this.#slowRows++;
      return this.#nothing;
    });
  }

  /** Returns false if it took too long. */
  #run(rows: readonly (readonly string[])[]): boolean {
    this.#rows = rows;
    this.#answers = [];
    const begunMs = performance.now();
    try {
      this.#script.runInContext(this.#context, { timeout: MAX_WORK_MS });
      return true;
    } catch {
      // The expression is too slow, or its recursion overflows the engine's stack.
      return false;
    } finally {
      const units = rows.reduce((sum, texts) => texts.reduce((all, { length }) => all + length, sum), 0);
      this.#excessMs += Math.max(0, performance.now() - begunMs - 1 - units / FAIR_UNITS_A_MS);
      this.#rows = [];
    }
  }

  #bound(text: string): string {
    if (text.length <= MAX_TEXT_UNITS) return text;
    this.#longTexts++;
    return text.slice(0, MAX_TEXT_UNITS);
  }
}
