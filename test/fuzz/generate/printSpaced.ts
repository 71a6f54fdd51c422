import type { Random } from '../../support/random';
import { isObjectNode, type JsonNode } from './jsonTree';

const SPACES = [' ', '  ', '\t', '\r', ' \t\r ', ' '.repeat(15), ' '.repeat(64)] as const;
/**
 * Not white space in JSON: VT, FF, NUL, a no-break space, a line separator, a byte order mark, and the start of a
 * comment.
 */
const NO_SPACES = ['\v', '\f', '\0', '\xa0', '\xc2\xa0', '\xe2\x80\xa8', '\xef\xbb\xbf', '/**/', '\x1c'] as const;

/** Prints with white space between any two tokens, some of it not allowed. */
export function printSpaced(node: JsonNode, random: Random): string {
  const density = random.pick([0.02, 0.2, 1]);
  let illegal = random.chance(0.15) ? 1 : 0;
  const gap = (): string => {
    if (!random.chance(density)) return '';
    if (illegal > 0 && random.chance(0.2)) {
      illegal--;
      return random.pick(NO_SPACES);
    }
    return random.pick(SPACES);
  };
  const printNode = (inner: JsonNode): string => {
    if (typeof inner === 'string') return inner;
    const isObject = isObjectNode(inner);
    const parts = isObject
      ? inner.members.map(({ key, value }) => `${gap()}${key}${gap()}:${gap()}${printNode(value)}${gap()}`)
      : inner.items.map((item) => `${gap()}${printNode(item)}${gap()}`);
    const body = parts.length === 0 ? gap() : parts.join(',');
    return isObject ? `{${body}}` : `[${body}]`;
  };
  return printNode(node);
}
