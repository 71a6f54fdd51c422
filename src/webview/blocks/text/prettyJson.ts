/** Indentation stops growing here: nesting 10,000 deep would be mostly spaces. */
const MAX_INDENT = 24;
const MAX_FORMATTED_CHARS = 512 * 1024;

/**
 * Breaks JSON into lines without reading its values, so that figures keep each of their digits and a text that was cut
 * is no problem. What has lines already, or is no object or list, stays as it is.
 */
export function prettyJson(json: string): string {
  if (!/^\s*[[{]/.test(json) || json.length > MAX_FORMATTED_CHARS || /\n\s/.test(json.slice(0, 4096))) return json;
  const out: string[] = [];
  let depth = 0;
  // Strings, white space, punctuation, and runs of anything else.
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\[\s\S])*"?|[{[]\s*[}\]]|[{}[\],:]|\s+|[^\s"{}[\],:]+/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      out.push(token, newline(depth));
    } else if (token === '}' || token === ']') {
      depth = Math.max(0, depth - 1);
      out.push(newline(depth), token);
    } else if (token === ',') out.push(token, newline(depth));
    else if (token === ':') out.push(': ');
    else if (token.trim() !== '') out.push(token.length < 20 ? token.replace(/^([{[])\s+([}\]])$/, '$1$2') : token);
  }
  return out.join('');
}

function newline(depth: number): string {
  return `\n${'  '.repeat(Math.min(depth, MAX_INDENT))}`;
}
