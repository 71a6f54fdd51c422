import type { JSX } from 'preact';
import { totalTokens } from '../../../shared/totalTokens';
import type { Spending } from '../../../shared/usage';
import { useApp } from '../tokensApp';
import { Cost } from './Cost';
import { Tokens } from './Tokens';

/** The three figures that come before all others. */
export function Totals({ spending }: { spending: Spending }): JSX.Element {
  const { figures, t } = useApp();
  const { counts, cost, messages } = spending;
  // The sentence below says what the cost leaves out.
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
          <dt>{t('Messages')}</dt>
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
