import type { ComponentChildren, JSX } from 'preact';
import { totalTokens } from '../../../shared/totalTokens';
import type { Spending } from '../../../shared/usage';
import { useApp } from '../tokensApp';
import { hasNoPrice } from '../figures/hasNoPrice';

export interface SpendingTipProps {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly spending: Spending;
  readonly children?: ComponentChildren;
}

export function SpendingTip({ title, detail, spending, children }: SpendingTipProps): JSX.Element {
  const { figures, t } = useApp();
  const { cost, counts, messages } = spending;
  return (
    <>
      <div class="tip-title">{title}</div>
      {detail !== undefined && detail !== title && <div class="tip-detail">{detail}</div>}
      {messages === 0 ? (
        <div>{t('nothing used')}</div>
      ) : (
        <>
          <div>{hasNoPrice(cost) ? t('no price') : figures.usdExact(cost.usd ?? 0)}</div>
          <div>{t('{0} tokens', figures.exact(totalTokens(counts)))}</div>
          {cost.usd !== null && cost.unpricedTokens > 0 && (
            <div>{t('{0} tokens have no price', figures.exact(cost.unpricedTokens))}</div>
          )}
          <div>{messages === 1 ? t('1 message') : t('{0} messages', figures.exact(messages))}</div>
        </>
      )}
      {children}
    </>
  );
}
