import { type Memory, memoryKindOf } from '../../protocol/memoryKind';
import type { Formats } from './formats';
import type { Translate } from './translate';

/** What Claude remembers, without a full stop. The header of a conversation says it in the same words. */
export function memoryText(memory: Memory, formats: Formats, t: Translate): string {
  const remembered = formats.number(memory.remembered);
  const messages = formats.number(memory.messages);
  switch (memoryKindOf(memory)) {
    case 'summaryAndLast':
      if (memory.remembered === 0) return t('Claude remembers the summary');
      if (memory.remembered === 1) return t('Claude remembers the summary and the last message');
      return t('Claude remembers the summary and the last {0} messages', remembered);
    case 'all':
      return memory.messages === 1 ? t('Claude remembers 1 message') : t('Claude remembers all {0} messages', messages);
    case 'allOfThread':
      if (memory.remembered === 1) return t('Claude remembers 1 message');
      return t('Claude remembers all {0} messages of this thread', remembered);
    case 'some':
      return t('Claude remembers {0} of {1} messages', remembered, messages);
    case 'none':
      if (memory.messages > 1) return t('Claude remembers none of the {0} messages', messages);
      return t('Claude remembers nothing');
    case 'empty':
      return t('Claude remembers nothing');
  }
}
