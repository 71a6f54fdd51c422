import type { JSX } from 'preact';
import type { CostFigure } from '../../../shared/usage';
import { useApp } from '../tokensApp';
import { Exact } from './Exact';
import { hasNoPrice } from './hasNoPrice';

/** Dollars; never 0 for what nobody knows the price of. */
export function Cost({ cost }: { cost: CostFigure }): JSX.Element {
  const { figures, t } = useApp();
  if (hasNoPrice(cost)) return <span class="no-price">{t('no price')}</span>;
  const usd = cost.usd ?? 0;
  return (
    <>
      <Exact short={figures.usd(usd)} exact={figures.usdExact(usd)} />
      {cost.unpricedTokens > 0 && (
        <span class="no-price" title={t('{0} tokens have no price', figures.exact(cost.unpricedTokens))}>
          {' + ?'}
          <span class="visually-hidden">{t('{0} tokens have no price', figures.exact(cost.unpricedTokens))}</span>
        </span>
      )}
    </>
  );
}
