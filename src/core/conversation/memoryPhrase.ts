import { type Memory, memoryKindOf } from '../../protocol/memory';
import { countOf } from '../util/countOf';

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
      return `the summary and the last ${remembered === 1 ? 'message' : countOf(remembered, 'message')}`;
    case 'all':
      return messages === 1 ? 'the only message' : `all ${countOf(messages, 'message')}`;
    case 'allOfThread':
      return remembered === 1
        ? 'the only message of this thread'
        : `all ${countOf(remembered, 'message')} of this thread`;
    case 'some':
      return `${remembered.toLocaleString('en')} of ${countOf(messages, 'message')}`;
    case 'none':
      return messages === 1 ? 'nothing' : `none of the ${countOf(messages, 'message')}`;
  }
}
