import { type Context, createContext, Script } from 'node:vm';
import type { SearchQuery } from '../../../protocol/channels/search';
import { bytePattern, type BytePattern } from './candidateLines';
import { requiredLiteral } from './requiredLiteral';

/** Where the first hit in a row is. */
export interface TextHit {
  readonly text: string;
  /** UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

export interface TextMatcher {
  /** What the bytes of a line with a hit must hold; null: any line may have one. */
  readonly pattern: BytePattern | null;
  /** The first hit in each row's texts; null for a row without. */
  find(rows: readonly (readonly string[])[]): readonly (TextHit | null)[];
  /** Texts that were not, or not wholly, looked through, because they are too long or take too long. */
  readonly passedOver: number;
  /** So many rows took too long that there is no sense in going on. */
  readonly isHopeless: boolean;
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

/** What the engine says behind the expression itself, which may be long. */
function whyInvalid(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(message.lastIndexOf(': ') + 1).trim();
}

function literalMatcher(text: string, isCaseSensitive: boolean): TextMatcher {
  const expression = new RegExp(escapeText(text), isCaseSensitive ? 'u' : 'iu');
  return {
    pattern: bytePattern(text, isCaseSensitive),
    find: (rows) => rows.map((texts) => firstHit(texts, expression)),
    passedOver: 0,
    isHopeless: false,
  };
}

function firstHit(texts: readonly string[], expression: RegExp): TextHit | null {
  for (const text of texts) {
    for (const { start, end } of hitsIn(text, expression)) return { text, start, end };
  }
  return null;
}

/** The hits in a text, none of them empty. `expression` is global where it may match nothing, or where all are wanted. */
export function* hitsIn(text: string, expression: RegExp): Generator<Omit<TextHit, 'text'>, void, undefined> {
  expression.lastIndex = 0;
  for (let found = expression.exec(text); found !== null; found = expression.exec(text)) {
    if (found[0] !== '') yield { start: found.index, end: found.index + found[0].length };
    // With the flag `u`, one that is to begin within a character begins before it.
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
    get passedOver() {
      return rows.passedOver;
    },
    get isHopeless() {
      return rows.isHopeless;
    },
  };
}

/** A text as an expression that finds just that. Good with the flag `u`. */
export function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

/** People escape what needs no escape, which `u` forbids. */
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

/** Longest beginning of a text that a person's expression is tried on, in UTF-16 units. */
const MAX_TEXT_UNITS = 1024 * 1024;
/** Longest that an expression may take for some rows at once. */
const MAX_WORK_MS = 100;
/** Rows that may take longer before there is no sense in going on. */
const MAX_SLOW_ROWS = 10;
/** A good expression looks through many times as much in a millisecond, in UTF-16 units. */
const FAIR_UNITS_A_MS = 4096;
/** So much longer than that, over all rows, before there is no sense in going on. */
const MAX_EXCESS_MS = 2000;

/**
 * Tries a person's expression on the texts of rows. It may take for ever on some text, whatever its length. Only a script
 * with a time limit can be stopped in the middle of a match, and starting one takes a tenth of a millisecond: so it is
 * given many rows at once, and one by one where that took too long.
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

  /** Texts that were not, or not wholly, looked through, because they are too long or take too long. */
  get passedOver(): number {
    return this.#slowRows + this.#longTexts;
  }

  /** Rows on which the expression took too long. */
  get slowRows(): number {
    return this.#slowRows;
  }

  /** So many rows took too long, or all of them together, that there is no sense in going on. */
  get isHopeless(): boolean {
    return this.#slowRows >= MAX_SLOW_ROWS || this.#excessMs >= MAX_EXCESS_MS;
  }

  /** What `look` says of the texts of each row. */
  answers(rows: readonly (readonly string[])[]): readonly T[] {
    if (rows.length === 0) return [];
    const bounded = rows.map((texts) => texts.map((text) => this.#bound(text)));
    if (this.#run(bounded)) return this.#answers;
    return bounded.map((texts) => {
      if (this.isHopeless) return this.#nothing;
      if (this.#run([texts])) return this.#answers[0] ?? this.#nothing;
      this.#slowRows++;
      return this.#nothing;
    });
  }

  /** False when it took too long. */
  #run(rows: readonly (readonly string[])[]): boolean {
    this.#rows = rows;
    this.#answers = [];
    const begunMs = performance.now();
    try {
      this.#script.runInContext(this.#context, { timeout: MAX_WORK_MS });
      return true;
    } catch {
      // Too slow, or too deep for the engine's stack: both are the expression's doing.
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
