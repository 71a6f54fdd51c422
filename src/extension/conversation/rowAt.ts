import type { ConversationCalls } from '../../protocol/channels/conversation';
import type { ConversationView, RowItem } from '../../protocol/conversation';

/** The row that shows the line of an open conversation; null when it shows none. */
export async function rowAt(
  calls: Pick<ConversationCalls, 'indexOfLine' | 'conversationItems'>,
  filePath: string,
  view: ConversationView,
  line: number,
): Promise<RowItem | null> {
  const index = await calls.indexOfLine(filePath, view, line);
  if (index === null) return null;
  const { items } = await calls.conversationItems(filePath, view, index, 1);
  const [item] = items;
  return item?.kind === 'row' ? item : null;
}

/** A person wrote it, and Claude answers to it. */
export function isPrompt({ role, isSidechain, blocks }: RowItem): boolean {
  return role === 'user' && !isSidechain && blocks.some(({ kind }) => kind === 'text');
}

/** Its first words; empty when it has none. */
export function promptTextOf({ blocks }: RowItem): string {
  for (const block of blocks) {
    const words = block.kind === 'text' ? block.body.text.replace(/\s+/g, ' ').trim() : '';
    if (words !== '') return words;
  }
  return '';
}
