/** Deepest value that is looked into: none of the contract is deeper. */
const MAX_DEPTH = 12;

/** All texts in a value, as they are written; of JSON within one, also without its escapes. */
export function textsOf(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value.includes('\\') ? [value, unescaped(value)] : [value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((each) => textsOf(each, depth + 1));
}

function unescaped(text: string): string {
  const meanings: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
  return text.replace(/\\(.)/g, (_, char: string) => meanings[char] ?? char);
}
