import type { ConversationItem } from '../../../shared/conversation';

/** The item's own line, and those of the results that are shown in it. */
export function linesOf(item: ConversationItem): number[] {
  if (item.kind !== 'row') return [item.line];
  return [
    item.line,
    ...item.blocks.flatMap((block) => (block.kind === 'tool' && block.result !== null ? [block.result.line] : [])),
  ];
}
