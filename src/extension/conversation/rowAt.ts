import type { ConversationCalls } from '../../protocol/channels/conversation';
import type { ConversationView, RowItem } from '../../protocol/conversation';

/** The row at a line of an open conversation; null if no row is shown for it. */
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

/** A prompt written by a person, not on a sidechain. */
export function isPrompt({ role, isSidechain, blocks }: RowItem): boolean {
  return role === 'user' && !isSidechain && blocks.some(({ kind }) => kind === 'text');
}

/** Its first words; empty if it has no text. */
export function promptTextOf({ blocks }: RowItem): string {
  for (const block of blocks) {
    const words = block.kind === 'text' ? block.body.text.replace(/\s+/g, ' ').trim() : '';
    if (words !== '') return words;
  }
  return '';
}
