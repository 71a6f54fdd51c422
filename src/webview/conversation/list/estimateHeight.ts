import type { ContentBlock, ConversationItem, CutText } from '../../../shared/conversation';

/** A row of which nothing is known. */
export const UNKNOWN_ROW_PX = 96;
const HEADER_PX = 40;
const LINE_PX = 21;
const FOLDED_PX = 36;
const CHARACTERS_A_LINE = 95;
const MAX_PX = 1200;

/** Height of an item before it is drawn: near enough that the scrollbar does not lie. */
export function estimateHeight(item: ConversationItem): number {
  switch (item.kind) {
    case 'break':
      return 140;
    case 'fault':
      return 64;
    case 'row':
      return Math.min(
        MAX_PX,
        item.blocks.reduce((height, block) => height + blockHeight(block), item.continues ? 8 : HEADER_PX),
      );
  }
}

function blockHeight(block: ContentBlock): number {
  switch (block.kind) {
    case 'text':
    case 'error':
      return textHeight(block.body);
    case 'image':
      return 240;
    case 'tool':
      return block.input.kind === 'diff' ? 200 : 72;
    case 'summary':
    case 'compaction':
      return 56;
    case 'thinking':
    case 'result':
    case 'interruption':
    case 'note':
    case 'raw':
      return FOLDED_PX;
  }
}

function textHeight({ text }: CutText): number {
  const ends = text.split('\n', MAX_PX / LINE_PX).length;
  return 16 + LINE_PX * Math.max(ends, Math.ceil(text.length / CHARACTERS_A_LINE));
}
