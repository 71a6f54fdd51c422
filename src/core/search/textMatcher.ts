import type { SearchQuery } from '../../shared/api/search';
import { bytePattern, type BytePattern } from './bytePattern';
import { requiredLiteral } from './requiredLiteral';
import { TimedRows } from './timedRows';

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
  const expression = personsExpression(source, isCaseSensitive ? 'gm' : 'gim');
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
export function personsExpression(source: string, flags: string): RegExp {
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
