import type { TokensMeasure } from '../../../shared/api/tokens';
import { totalTokens } from '../../../shared/totalTokens';
import type { Spending } from '../../../shared/usage';
import type { SeriesIndex } from './series';

export interface Bar {
  readonly key: string;
  readonly label: string;
  /** A longer name, for who wants to know. */
  readonly detail?: string;
  readonly series: SeriesIndex;
  readonly spending: Spending;
}

/** What the length of a bar stands for: never negative. */
export function lengthOf({ cost, counts }: Pick<Spending, 'cost' | 'counts'>, measure: TokensMeasure): number {
  return Math.max(0, measure === 'cost' ? (cost.usd ?? 0) : totalTokens(counts));
}
