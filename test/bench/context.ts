import type { BenchSizes } from './benchSizes';
import type { GoalLine } from './goal';
import type { Measuring } from './measure';

/** The input of every case. */
export interface BenchContext {
  readonly sizes: BenchSizes;
  /** The targets are for this size. */
  readonly isFullSize: boolean;
  readonly measuring: Measuring;
  /** Reports progress to the person. */
  readonly log: (line: string) => void;
}

/** Measures something and compares it with its target. */
export type BenchCase = (context: BenchContext) => Promise<readonly GoalLine[]>;
