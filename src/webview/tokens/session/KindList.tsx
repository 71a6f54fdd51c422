import type { JSX } from 'preact';
import type { TokenCounts } from '../../../shared/usage';
import { Tokens } from '../figures/Tokens';
import { useApp } from '../tokensApp';

/** Tokens by what they were paid as. */
export function KindList({ counts }: { counts: TokenCounts }): JSX.Element {
  const { t } = useApp();
  const kinds: readonly (readonly [label: string, count: number, isAlwaysShown: boolean])[] = [
    [t('Input'), counts.input, true],
    [t('Output'), counts.output, true],
    [t('Cache reads'), counts.cacheRead, true],
    [t('Cache writes, 5 minutes'), counts.cacheWrite5m, true],
    [t('Cache writes, 1 hour'), counts.cacheWrite1h, false],
    [t('Web searches'), counts.webSearches, false],
    [t('Web fetches'), counts.webFetches, false],
  ];
  return (
    <>
      <h3>{t('Tokens by kind')}</h3>
      <dl class="facts">
        {kinds
          .filter(([, count, isAlwaysShown]) => isAlwaysShown || count > 0)
          .map(([label, count]) => (
            <div key={label} class="fact">
              <dt>{label}</dt>
              <dd>
                <Tokens count={count} />
              </dd>
            </div>
          ))}
      </dl>
    </>
  );
}
