import type { CutText } from '../../../shared/conversation';
import { isJsonObject, stringField } from '../../claude/json';
import { cutText } from './cutText';
import { printJson } from './printJson';

/**
 * What a value of a row reads as: a string as it is, the texts of content blocks one below the other, anything else as
 * JSON. What was cut and what is asked for afterwards are made here, so that they are the same text.
 */
export function valueText(value: unknown, maxUnits: number, maxLines = Infinity): CutText {
  const plain = plainText(value);
  if (plain !== null) return cutText(plain, maxUnits, maxLines);
  const { text, units } = printJson(value, maxUnits);
  const cut = cutText(text, maxUnits, maxLines);
  return { text: cut.text, more: units - cut.text.length };
}

/** A string, or the texts of an array of content blocks if it holds any; null for everything else. */
export function plainText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const texts: string[] = [];
  for (const block of value as readonly unknown[]) {
    if (typeof block === 'string') texts.push(block);
    else if (isJsonObject(block)) {
      const text = stringField(block, 'text');
      if (text !== null) texts.push(text);
    }
  }
  return texts.length === 0 ? null : texts.join('\n');
}
