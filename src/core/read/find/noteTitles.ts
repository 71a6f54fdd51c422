import type { ContentBlock, FindQuery } from '../../../shared/conversation';
import { rowRole } from '../../claude/rowTexts';
import type { JsonObject } from '../../claude/json';
import type { BytePattern } from '../../search/bytePattern';
import { requiredLiteral } from '../../search/requiredLiteral';
import { describeRow } from '../describe/describeRow';
import { bareContext } from '../describe/rowContext';

/** Words of the panel's own that titles begin with. */
const OWN_WORDS =
  'api error, attachment, command output, document, empty message, memory, note to claude, system, task notification, turn duration';
/** What the bytes of a line hold whose row is shown with a title that does not stand in it as it is. */
const TITLED = String.raw`"(?:system|attachment|document)"|"isMeta"|<(?:local-command|bash-std|system-rem|task-not|user-memory)`;
const TITLED_BYTES = 16;

/** The texts of a row with those of its titles that do not stand in it: such as `Stop hook summary` and `Document: spec.pdf`. */
export function withTitles(texts: readonly string[], row: JsonObject): readonly string[] {
  const blocks = blocksOf(row);
  const notes = blocks.filter((block) => block.kind === 'note' || block.kind === 'raw');
  if (notes.length === 0) return texts;
  const titles = notes.map(({ title }) => title);
  // What is shown in the title is shown once.
  if (blocks.every((block) => block.kind === 'note' && block.body === null)) return titles;
  return [...titles, ...texts.filter((text) => !titles.some((title) => title === text || title.endsWith(`: ${text}`)))];
}

function blocksOf(row: JsonObject): readonly ContentBlock[] {
  const role = rowRole(row);
  // Replies have none, and rows of results are many.
  if (role === null || role === 'assistant' || role === 'progress' || 'toolUseResult' in row) return [];
  return describeRow(row, bareContext(0)).blocks;
}

/** A pattern that the lines with such titles have, too, where what is looked for may stand in one of them. */
export function withTitled(pattern: BytePattern, { text, isRegExp, isCaseSensitive }: FindQuery): BytePattern {
  const needle = isRegExp ? requiredLiteral(text) : text;
  // A word of other titles is in the row, but for its first letter.
  const isInRow = !isCaseSensitive && !/[\s:]/.test(needle) && !OWN_WORDS.includes(needle.toLowerCase());
  if (isInRow) return pattern;
  return {
    expression: new RegExp(`${pattern.expression.source}|${TITLED}`, 'g'),
    maxBytes: Math.max(pattern.maxBytes, TITLED_BYTES),
  };
}
