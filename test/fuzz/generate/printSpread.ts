import type { Random } from '../../support/random';
import { isObjectNode, type JsonNode } from './jsonTree';

const BREAKS = ['\n', '\n', '\n  ', '\r\n', '\n\n', ' \n\t'] as const;

/** Prints over several lines, as programs for people do. Some of it is cut, glued or in a list. */
export function printSpread(node: JsonNode, random: Random): string {
  const density = random.pick([0.03, 0.3, 1]);
  const lineBreak = random.pick(BREAKS);
  const gap = (): string => (random.chance(density) ? lineBreak : '');
  const printNode = (inner: JsonNode): string => {
    if (typeof inner === 'string') return inner;
    const isObject = isObjectNode(inner);
    const parts = isObject
      ? inner.members.map(({ key, value }) => `${gap()}${key}${gap()}:${gap()}${printNode(value)}${gap()}`)
      : inner.items.map((item) => `${gap()}${printNode(item)}${gap()}`);
    const body = parts.length === 0 ? gap() : parts.join(',');
    return isObject ? `{${body}}` : `[${body}]`;
  };
  const text = printNode(node);
  switch (random.below(12)) {
    case 0:
      return text.slice(0, random.below(text.length + 1));
    case 1:
      return text.slice(0, text.lastIndexOf('\n', random.below(text.length + 1)) + 1);
    case 2:
      return text + random.pick([' ', '\0', ',', 'x', '}', '{"type":"mode"}', text]);
    case 3:
      return `[${text}${random.pick([']', `,\n${text}]`, `,${text}\n]`, ',\n', ''])}`;
    case 4:
      return random.pick([' ', '\t', '\0', '\v', 'x', '\xef\xbb\xbf', '{"x":[', '[\n', '{"x":\n']) + text;
    default:
      return text;
  }
}
