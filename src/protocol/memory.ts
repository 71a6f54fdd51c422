import type { MemoryCounts } from './conversation';

/** How much of a session Claude remembers. Each face has its own words for it. */
export type MemoryKind =
  /** Nothing was said. */
  | 'empty'
  /** The summary of a compaction and the last messages, which may be none. */
  | 'summaryAndLast'
  | 'all'
  /** All of the thread that Claude goes on from: what it does not remember is on other branches. */
  | 'allOfThread'
  | 'some'
  | 'none';

/** What Claude remembers, with what tells a loss from other branches. */
export interface Memory extends MemoryCounts {
  /** Claude does not remember all of the thread that it goes on from, or nobody has looked at that. */
  readonly losesMessages: boolean;
}

export function memoryKindOf({ remembered, messages, hasSummary, losesMessages }: Memory): MemoryKind {
  if (hasSummary) return 'summaryAndLast';
  if (messages === 0) return 'empty';
  if (remembered === 0) return 'none';
  if (remembered >= messages) return 'all';
  return losesMessages ? 'some' : 'allOfThread';
}

/**
 * What Claude remembers, without a full stop: as the header of a conversation and the tooltip of its session say it.
 *
 * @param t translates a sentence
 */
export function memoryText(
  memory: Memory,
  formats: { number(value: number): string },
  t: (english: string, ...args: string[]) => string,
): string {
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
