import { type Memory, memoryKindOf } from '../../protocol/memory';

/**
 * What Claude remembers, in the English of exports and reports: "all 15 messages", "7 of 15 messages", "the summary and the last
 * 3 messages".
 */
export function memoryPhrase(memory: Memory): string {
  const { remembered, messages } = memory;
  switch (memoryKindOf(memory)) {
    case 'empty':
      return 'nothing, because nothing was said';
    case 'summaryAndLast':
      if (remembered === 0) return 'the summary';
      return `the summary and the last ${remembered === 1 ? 'message' : messageCount(remembered)}`;
    case 'all':
      return messages === 1 ? 'the only message' : `all ${messageCount(messages)}`;
    case 'allOfThread':
      return remembered === 1 ? 'the only message of this thread' : `all ${messageCount(remembered)} of this thread`;
    case 'some':
      return `${remembered.toLocaleString('en')} of ${messageCount(messages)}`;
    case 'none':
      return messages === 1 ? 'nothing' : `none of the ${messageCount(messages)}`;
  }
}

function messageCount(count: number): string {
  return `${count.toLocaleString('en')} message${count === 1 ? '' : 's'}`;
}
