const LAST_CASED = 0x1ffff;

let cased: string | null = null;

/** Every character that has another case. Takes some 20 ms, once, and only for needles that are not ASCII. */
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

/** ASCII letters that are another case of something beyond ASCII: the Kelvin sign and the long s. */
const BEYOND_ASCII: ReadonlyMap<string, string> = new Map([
  ['k', '\u212a'],
  ['s', '\u017f'],
]);

/** The characters that a regular expression with the flags `iu` takes for this one, itself among them. */
export function caseVariants(character: string): readonly string[] {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) {
    const lower = character.toLowerCase();
    const beyond = BEYOND_ASCII.get(lower);
    return [...new Set([lower, character.toUpperCase()]), ...(beyond === undefined ? [] : [beyond])];
  }
  const others = casedCharacters().match(new RegExp(`\\u{${code.toString(16)}}`, 'giu')) ?? [];
  return [...new Set([character, ...others])];
}
