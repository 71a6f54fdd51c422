import type { JSX } from 'preact';
import { type CostFigure, type Spending, totalTokens, type UsageOverview } from '../../protocol/usage';
import type { Translate } from '../ui/texts';
import type { Figures } from '../ui/createFigures';
import { useApp } from './tokensApp';

/** Dollars; an unknown price is never shown as 0. */
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

/** A short figure; the exact one is in the tooltip and for screen readers. */
function Exact({ short, exact }: { short: string; exact: string }): JSX.Element {
  if (short === exact) return <span class="figure">{short}</span>;
  return (
    <span class="figure" title={exact}>
      <span aria-hidden="true">{short}</span>
      <span class="visually-hidden">{exact}</span>
    </span>
  );
}

export function Tokens({ count }: { count: number }): JSX.Element {
  const { figures } = useApp();
  return <Exact short={figures.compact(count)} exact={figures.exact(count)} />;
}

/** The three main figures. */
export function Totals({ spending }: { spending: Spending }): JSX.Element {
  const { figures, t } = useApp();
  const { counts, cost, messages } = spending;
  // The sentence below says which tokens the cost omits.
  const priced = { usd: cost.usd, unpricedTokens: cost.usd === null ? cost.unpricedTokens : 0 };
  return (
    <>
      <dl class="totals">
        <div>
          <dt>{t('Cost')}</dt>
          <dd>
            <Cost cost={priced} />
          </dd>
        </div>
        <div>
          <dt>{t('Tokens')}</dt>
          <dd>
            <Tokens count={totalTokens(counts)} />
          </dd>
        </div>
        <div>
          <dt>{t('Replies')}</dt>
          <dd>
            <Tokens count={messages} />
          </dd>
        </div>
      </dl>
      {cost.usd !== null && cost.unpricedTokens > 0 && (
        <p class="quiet">
          {t('{0} tokens have no price, and are not in the cost.', figures.compact(cost.unpricedTokens))}
        </p>
      )}
    </>
  );
}

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

/** Whether tokens were used, but none of them has a known price. */
export function hasNoPrice({ usd, unpricedTokens }: CostFigure): boolean {
  return usd === null && unpricedTokens > 0;
}

/** Whether figures may still grow: transcripts are still being listed or read. */
export function isCounting({ waiting, isListing = false }: UsageOverview['files']): boolean {
  return waiting > 0 || isListing;
}

/** The model's name as in the rows. */
export function modelName(model: string | null, t: Translate): string {
  return model === null || model.trim() === '' ? t('no model named') : model;
}
