import type { ContentBlock } from '../../../shared/conversation';
import type { JsonObject } from '../../claude/json';
import { oneLine } from './cutText';
import { describeRow } from './describeRow';
import { bareContext } from './rowContext';

/** Of a label, in UTF-16 units. */
const MAX_LABEL = 80;

/** What a row is called by: the beginning of what it says. */
export function firstWords(row: JsonObject): string {
  const { blocks } = describeRow(row, bareContext(0));
  const [notes, said] = [true, false].map((isNote) => blocks.filter(({ kind }) => (kind === 'note') === isNote));
  for (const block of [...(said ?? []), ...(notes ?? [])]) {
    const words = wordsOf(block);
    if (words !== '') return oneLine(words, MAX_LABEL);
  }
  return '';
}

function wordsOf(block: ContentBlock): string {
  switch (block.kind) {
    case 'text':
    case 'summary':
    case 'error':
      return block.body.text;
    case 'tool':
      return `${block.name} ${block.title}`.trim();
    case 'result':
      return block.result.text?.text ?? '';
    case 'note':
      return block.title;
    default:
      return '';
  }
}
