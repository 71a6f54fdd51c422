import type { ConversationHead, ConversationItem } from '../../shared/conversation';

/** Counts up when a field changes its meaning. */
const FORMAT_VERSION = 1;

/**
 * One JSON document, an item a line, so that long ones can be read with line tools. Cut texts are plain strings. An image is
 * told by its type, its size and where it stands: the line of its item or result, and the path in that row.
 */
export async function* exportJson(
  head: ConversationHead,
  items: AsyncIterable<ConversationItem>,
): AsyncGenerator<string> {
  const { sessionId, title, cwd, model, gitBranch, loads, of, findings } = head;
  const session = { sessionId, title, cwd, model, gitBranch, resume: { loads, of }, findings };
  let separator = `{"format":"rethread-conversation","version":${FORMAT_VERSION},"session":${JSON.stringify(session)},"items":[\n`;
  for await (const item of items) {
    yield separator + JSON.stringify(item, plainTexts);
    separator = ',\n';
  }
  yield `${separator === ',\n' ? '\n' : separator}]}\n`;
}

function plainTexts(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('more' in value) || !('text' in value)) return value;
  return value.more === 0 ? value.text : value;
}
