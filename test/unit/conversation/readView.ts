import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Conversation } from '../../rooms/conversation';
import { type ScannerFactory } from '../../rooms/transcript';
import { createPacer } from '../../rooms/util';
import type { ConversationItem, ConversationView, PanelItem, RowItem } from '../../../src/protocol/conversation';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { plainScanner } from '../../support/plainScanner';

export const CHAIN: ConversationView = { kind: 'chain' };
export const FILE: ConversationView = { kind: 'file' };

export function openConversation(filePath: string, createScanner: ScannerFactory = plainScanner): Conversation {
  return new Conversation({ filePath, createScanner, pacer: createPacer(10), isLive: () => false });
}

/** Calls `use` with a conversation over these bytes, and the path of its transcript. */
export function withConversation<T>(
  bytes: Uint8Array,
  use: (conversation: Conversation, filePath: string) => Promise<T>,
): Promise<T> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    writeFileSync(filePath, bytes);
    const conversation = openConversation(filePath);
    try {
      return await use(conversation, filePath);
    } finally {
      conversation.close();
    }
  });
}

/** All items of a view; each row of steps is one. */
export async function allItems(conversation: Conversation, view: ConversationView): Promise<ConversationItem[]> {
  return apart(await panelItems(conversation, view));
}

/** All items of a view as the panel shows them. */
export async function panelItems(conversation: Conversation, view: ConversationView): Promise<PanelItem[]> {
  const { count } = await conversation.head(view);
  const items: PanelItem[] = [];
  while (items.length < count) {
    const page = await conversation.items(view, items.length, 500);
    if (page.items.length === 0) break;
    items.push(...page.items);
  }
  return items;
}

/** The items with the rows of steps as items of their own. */
export function apart(items: readonly PanelItem[]): ConversationItem[] {
  return items.flatMap((item): readonly ConversationItem[] => (item.kind === 'steps' ? item.rows : [item]));
}

/** All items of a view of these bytes. */
export function itemsOf(bytes: Uint8Array, view: ConversationView = CHAIN): Promise<ConversationItem[]> {
  return withConversation(bytes, (conversation) => allItems(conversation, view));
}

export function rowsOf(items: readonly ConversationItem[]): RowItem[] {
  return items.filter((item) => item.kind === 'row');
}

/** Lines of the rows that a list shows: as items, and as results in the blocks of calls. */
export function shownLines(items: readonly ConversationItem[]): number[] {
  return rowsOf(items).flatMap(({ line, blocks }) => [
    line,
    ...new Set(blocks.flatMap((block) => (block.kind === 'tool' && block.result !== null ? [block.result.line] : []))),
  ]);
}

/** One word per item, to compare lists: its line, preceded by its kind unless that is a row. */
export function outlineOf(items: readonly ConversationItem[]): string[] {
  return items.map((item) => {
    if (item.kind === 'row') return String(item.line);
    if (item.kind === 'break') return item.isHealed ? `healed ${item.line}` : `break ${item.line}`;
    return `fault ${item.line}`;
  });
}
