/** A quantifier that makes the preceding token optional. */
const OPTIONAL = /^(?:[*?]|\{0*,|\{0*\}|\{0+,)/;
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;

/**
 * The longest literal that every match of a regular expression contains, as far as it is easy to determine: a run of
 * characters outside groups and classes. Empty if there is none, or if the expression has alternatives.
 */
export function requiredLiteral(source: string): string {
  let longest = '';
  let run = '';
  const end = (): void => {
    if (run.length > longest.length) longest = run;
    run = '';
  };
  let at = 0;
  while (at < source.length) {
    const token = readToken(source, at);
    if (token === null || source[at] === '|') return '';
    at += token.length;
    const after = source.slice(at, at + MAX_TOKEN);
    const quantifier = QUANTIFIER.exec(after)?.[0] ?? '';
    at += quantifier.length;
    if (token.literal === null || OPTIONAL.test(quantifier)) {
      end();
      continue;
    }
    run += token.literal;
    if (quantifier !== '') end();
  }
  end();
  return longest;
}

/** Maximum length of a quantifier that is recognized, in UTF-16 units. */
const MAX_TOKEN = 40;

interface Token {
  readonly length: number;
  /** The character that it matches; null if it can match several characters or none. */
  readonly literal: string | null;
}

/** Null if the expression cannot be parsed. */
function readToken(source: string, at: number): Token | null {
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
  switch (character) {
    case '(':
      return skipGroup(source, at);
    case '[':
      return skipClass(source, at);
    case '\\':
      return readEscape(source, at);
    case '.':
    case '^':
    case '$':
      return { length: 1, literal: null };
    case ')':
    case '{':
    case '}':
    case ']':
      // Literals only without the `u` flag; the distinction is not worth making.
      return { length: 1, literal: null };
    default:
      return { length: character.length, literal: character };
  }
}

/**
 * An escaped punctuation character is a literal. Other escapes are not, and those that may be longer than two
 * characters return null.
 */
function readEscape(source: string, at: number): Token | null {
  const escaped = source[at + 1];
  if (escaped === undefined) return null;
  if (/[^\p{L}\p{N}_\s]/u.test(escaped)) return { length: 2, literal: escaped };
  return /[dDwWsSbBfnrtv]/.test(escaped) ? { length: 2, literal: null } : null;
}

function skipClass(source: string, at: number): Token | null {
  for (let end = at + 1; end < source.length; end++) {
    if (source[end] === '\\') end++;
    else if (source[end] === ']') return { length: end + 1 - at, literal: null };
  }
  return null;
}

function skipGroup(source: string, at: number): Token | null {
  let depth = 0;
  for (let end = at; end < source.length; end++) {
    const character = source[end];
    if (character === '\\') end++;
    else if (character === '[') {
      const token = skipClass(source, end);
      if (token === null) return null;
      end += token.length - 1;
    } else if (character === '(') depth++;
    else if (character === ')' && --depth === 0) return { length: end + 1 - at, literal: null };
  }
  return null;
}
