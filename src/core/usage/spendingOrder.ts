import { totalTokens } from '../../shared/totalTokens';
import type { Spending } from '../../shared/usage';

/** The most expensive first; what has no price comes behind, the most tokens first. */
export function compareSpending(a: Spending, b: Spending): number {
  return (b.cost.usd ?? -1) - (a.cost.usd ?? -1) || totalTokens(b.counts) - totalTokens(a.counts);
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
