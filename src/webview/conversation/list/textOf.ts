import type { ContentBlock, RowItem } from '../../../shared/conversation';
import type { Host } from '../connectHost';

/** What copying a row puts on the clipboard: what was said, and what tools were asked and answered. */
export async function textOf(item: RowItem, host: Host, filePath: string): Promise<string> {
  const parts = await Promise.all(item.blocks.map((block) => blockText(block, item, host, filePath)));
  return parts.filter((part) => part !== '').join('\n\n');
}

async function blockText(block: ContentBlock, item: RowItem, host: Host, filePath: string): Promise<string> {
  const whole = async (line: number, path: string, body: { text: string; more: number } | null): Promise<string> => {
    if (body === null) return '';
    return body.more === 0 ? body.text : ((await host.text(filePath, line, path)) ?? body.text);
  };
  switch (block.kind) {
    case 'tool': {
      const result = block.result;
      const answer = result === null ? '' : await whole(result.line, result.path, result.text);
      return [`${block.name}: ${block.title}`, answer].filter((part) => part !== '').join('\n\n');
    }
    case 'result':
      return whole(item.line, block.result.path, block.result.text);
    case 'image':
    case 'compaction':
    case 'interruption':
      return '';
    case 'note':
      return [block.title, await whole(item.line, block.path, block.body)].filter((part) => part !== '').join('\n');
    case 'text':
    case 'thinking':
    case 'summary':
    case 'error':
    case 'raw':
      return whole(item.line, block.path, block.body);
  }
}
