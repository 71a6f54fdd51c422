import { createContext, Script, type Context } from 'node:vm';
import type { SearchQuery } from '../../shared/api/search';
import { bytePattern, type BytePattern } from './bytePattern';
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
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const expression = new RegExp(escaped, isCaseSensitive ? 'u' : 'iu');
  return {
    pattern: bytePattern(text, isCaseSensitive),
    find: (rows) => rows.map((texts) => firstHit(texts, expression)),
    passedOver: 0,
    isHopeless: false,
  };
}

function firstHit(texts: readonly string[], expression: RegExp): TextHit | null {
  for (const text of texts) {
    expression.lastIndex = 0;
    for (let found = expression.exec(text); found !== null; found = expression.exec(text)) {
      if (found[0] !== '') return { text, start: found.index, end: found.index + found[0].length };
      // Only a global one, of a person, matches nothing.
      expression.lastIndex += (text.codePointAt(found.index) ?? 0) > 0xffff ? 2 : 1;
      if (expression.lastIndex > text.length) break;
    }
  }
  return null;
}

/** Longest beginning of a text that a person's expression is tried on, in UTF-16 units. */
const MAX_TEXT_LENGTH = 1024 * 1024;
/** Longest that an expression may take for some rows at once. */
const MAX_WORK_MS = 100;
/** Rows that may take longer before the search gives up. */
const MAX_SLOW_ROWS = 10;

function expressionMatcher(source: string, isCaseSensitive: boolean): TextMatcher {
  const literal = requiredLiteral(source);
  return new ExpressionMatcher(
    personsExpression(source, isCaseSensitive ? 'gm' : 'gim'),
    literal === '' ? null : bytePattern(literal, isCaseSensitive),
  );
}

/** People escape what needs no escape, which `u` forbids. */
function personsExpression(source: string, flags: string): RegExp {
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

/**
 * A person's expression may take for ever on some text, whatever its length. Only a script with a time limit can be
 * stopped in the middle of a match, and starting one takes a tenth of a millisecond: so it is given many rows at once,
 * and one by one where that took too long.
 */
class ExpressionMatcher implements TextMatcher {
  readonly #expression: RegExp;
  readonly #script = new Script('find()');
  readonly #context: Context;
  #rows: readonly (readonly string[])[] = [];
  #hits: (TextHit | null)[] = [];
  #slowRows = 0;
  #longTexts = 0;

  constructor(
    expression: RegExp,
    readonly pattern: BytePattern | null,
  ) {
    this.#expression = expression;
    this.#context = createContext({
      find: () => {
        for (const texts of this.#rows) this.#hits.push(firstHit(texts, this.#expression));
      },
    });
  }

  get passedOver(): number {
    return this.#slowRows + this.#longTexts;
  }

  get isHopeless(): boolean {
    return this.#slowRows >= MAX_SLOW_ROWS;
  }

  find(rows: readonly (readonly string[])[]): readonly (TextHit | null)[] {
    const bounded = rows.map((texts) => texts.map((text) => this.#bound(text)));
    if (this.#run(bounded)) return this.#hits;
    return bounded.map((texts) => {
      if (this.isHopeless) return null;
      if (this.#run([texts])) return this.#hits[0] ?? null;
      this.#slowRows += 1;
      return null;
    });
  }

  /** False when it took too long. */
  #run(rows: readonly (readonly string[])[]): boolean {
    this.#rows = rows;
    this.#hits = [];
    try {
      this.#script.runInContext(this.#context, { timeout: MAX_WORK_MS });
      return true;
    } catch {
      // Too slow, or too deep for the engine's stack: both are the expression's doing.
      return false;
    } finally {
      this.#rows = [];
    }
  }

  #bound(text: string): string {
    if (text.length <= MAX_TEXT_LENGTH) return text;
    this.#longTexts += 1;
    return text.slice(0, MAX_TEXT_LENGTH);
  }
}
