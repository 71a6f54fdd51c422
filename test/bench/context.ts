import type { BenchSizes } from './benchSizes';
import type { GoalLine } from './goal';
import type { Measuring } from './measure';

/** What every case is given. */
export interface BenchContext {
  readonly sizes: BenchSizes;
  /** The targets are for this size. */
  readonly isFullSize: boolean;
  readonly measuring: Measuring;
  /** Tells the person what goes on. */
  readonly log: (line: string) => void;
}

/** Measures something and holds it against what was promised. */
export type BenchCase = (context: BenchContext) => Promise<readonly GoalLine[]>;
