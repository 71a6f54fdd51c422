import type { CostFigure } from '../../../shared/usage';

/** Something was used, and nobody knows the price of any of it. */
export function hasNoPrice({ usd, unpricedTokens }: CostFigure): boolean {
  return usd === null && unpricedTokens > 0;
}
