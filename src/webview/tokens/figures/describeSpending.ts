import { totalTokens } from '../../../shared/totalTokens';
import type { Spending } from '../../../shared/usage';
import type { Translate } from '../../ui/createTranslate';
import type { Figures } from './createFigures';
import { hasNoPrice } from './hasNoPrice';

/** Exact, in words: 1,234,567 tokens, $3.40. */
export function describeSpending(spending: Spending, figures: Figures, t: Translate): string {
  const { cost, counts, messages } = spending;
  const tokens = totalTokens(counts);
  if (messages === 0 && tokens === 0) return t('nothing used');
  const said = [tokens === 1 ? t('1 token') : t('{0} tokens', figures.exact(tokens))];
  if (hasNoPrice(cost)) said.push(t('no price'));
  else {
    said.push(figures.usdExact(cost.usd ?? 0));
    if (cost.unpricedTokens > 0) said.push(t('{0} tokens have no price', figures.exact(cost.unpricedTokens)));
  }
  return said.join(', ');
}
