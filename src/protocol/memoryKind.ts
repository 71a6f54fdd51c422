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
