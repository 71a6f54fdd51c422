const BASE64 = /[A-Za-z0-9+/=]/;
/** White space, and what diffs and listings put before a line. */
const BETWEEN = /[\s|>→]/;
/** Shorter runs of characters before the last line of a key are words. */
const MIN_LINE = 16;

/**
 * Where the rest of a private key begins whose end is at `end`: an excerpt of a file may have lost the beginning of the key.
 * Goes back over lines of base64, parted by line breaks, also escaped ones.
 */
export function privateKeyStart(text: string, end: number): number {
  let start = end;
  for (let isLast = true; ; isLast = false) {
    const lineEnd = skipBetween(text, start);
    let from = lineEnd;
    while (from > 0 && BASE64.test(text.charAt(from - 1))) from--;
    // The `n` of an escaped line break is taken for base64.
    if (from > 0 && text[from - 1] === '\\') from++;
    const line = text.slice(from, lineEnd);
    const isLineNumber = line.length > 0 && line.length < 7 && /^\d+$/.test(line);
    if (line.length === 0 || (line.length < MIN_LINE && !isLast && !isLineNumber)) return start;
    start = from;
  }
}

function skipBetween(text: string, end: number): number {
  let at = end;
  for (;;) {
    if (at > 0 && BETWEEN.test(text.charAt(at - 1))) at--;
    else if (at > 1 && text[at - 2] === '\\' && /[nrt]/.test(text.charAt(at - 1))) at -= 2;
    else return at;
  }
}
