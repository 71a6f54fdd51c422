import type { JSX } from 'preact';
import type { TokensCache } from '../../../protocol/channels/tokensView';
import type { Figures } from '../../ui/createFigures';
import type { Translate } from '../../ui/texts';
import { modelName, Tokens } from '../figures';
import { useApp } from '../tokensApp';
import { type Bar, RowChart } from './RowChart';
import type { Series } from './chartCursor';

export interface CacheChartProps {
  readonly cache: readonly TokensCache[];
  readonly series: Series;
}

/** Which share of each model's prompts was read from the cache, and what that saved. */
export function CacheChart({ cache, series }: CacheChartProps): JSX.Element | null {
  const { figures, t } = useApp();
  const listed = cache.filter(({ promptTokens }) => promptTokens > 0);
  if (listed.length === 0) return null;
  const nameOf = ({ model, others }: TokensCache): string =>
    others > 0 ? t('{0} more models', figures.exact(others)) : modelName(model, t);
  const keyOf = ({ model, others }: TokensCache): string => (others > 0 ? ' others' : (model ?? ''));
  return (
    <RowChart
      chart="cache"
      title={t('Prompt cache')}
      whole={1}
      bars={listed.map((each): Bar => {
        const lines = describeCache(each, figures, t);
        return {
          key: keyOf(each),
          label: nameOf(each),
          series: each.others > 0 ? series.others : series.of(each.model),
          length: shareOf(each),
          figure: <span class="figure">{figures.percent(shareOf(each))}</span>,
          said: lines.join(', '),
          tip: (
            <>
              <div class="tip-title">{nameOf(each)}</div>
              {lines.map((line) => (
                <div key={line}>{line}</div>
              ))}
            </>
          ),
        };
      })}
      table={{
        columns: [t('Model'), t('Prompt tokens'), t('From the cache'), t('Saved'), t('Extra for writing')],
        rows: listed.map((each) => ({
          key: keyOf(each),
          label: nameOf(each),
          cells: [
            <Tokens count={each.promptTokens} />,
            figures.percent(shareOf(each)),
            <Dollars usd={each.savedUsd} />,
            <Dollars usd={each.writeExtraUsd} />,
          ],
        })),
      }}
    >
      <CacheTotals cache={listed} />
    </RowChart>
  );
}

function CacheTotals({ cache }: { cache: readonly TokensCache[] }): JSX.Element {
  const { figures, t } = useApp();
  const total = addUp(cache);
  const hint = t('Compared with the price of input that is not cached.');
  return (
    <dl class="totals is-small">
      <div>
        <dt>{t('From the cache')}</dt>
        <dd class="figure">{figures.percent(shareOf(total))}</dd>
      </div>
      <div title={hint}>
        <dt>{t('Saved')}</dt>
        <dd>
          <Dollars usd={total.savedUsd} />
        </dd>
      </div>
      <div title={hint}>
        <dt>{t('Extra for writing')}</dt>
        <dd>
          <Dollars usd={total.writeExtraUsd} />
        </dd>
      </div>
    </dl>
  );
}

function Dollars({ usd }: { usd: number | null }): JSX.Element {
  const { figures, t } = useApp();
  if (usd === null) return <span class="no-price">{t('no price')}</span>;
  return (
    <span class="figure" title={figures.usdExact(usd)}>
      {figures.usd(usd)}
    </span>
  );
}

function addUp(cache: readonly TokensCache[]): Omit<TokensCache, 'model' | 'others'> {
  const sum = (of: (each: TokensCache) => number | null): number | null =>
    cache.reduce<number | null>((all, each) => (of(each) === null ? all : (all ?? 0) + (of(each) ?? 0)), null);
  return {
    promptTokens: sum(({ promptTokens }) => promptTokens) ?? 0,
    readTokens: sum(({ readTokens }) => readTokens) ?? 0,
    savedUsd: sum(({ savedUsd }) => savedUsd),
    writeExtraUsd: sum(({ writeExtraUsd }) => writeExtraUsd),
  };
}

/** The share of the prompt tokens that was read from the cache, from 0 to 1. */
function shareOf({ promptTokens, readTokens }: Pick<TokensCache, 'promptTokens' | 'readTokens'>): number {
  return promptTokens <= 0 ? 0 : Math.min(1, Math.max(0, readTokens / promptTokens));
}

function describeCache(cache: TokensCache, figures: Figures, t: Translate): readonly string[] {
  const { promptTokens, readTokens, savedUsd, writeExtraUsd } = cache;
  return [
    t(
      '{0} of {1} tokens, {2}',
      figures.exact(readTokens),
      figures.exact(promptTokens),
      figures.percent(shareOf(cache)),
    ),
    ...(savedUsd === null ? [t('no price')] : [t('{0} saved', figures.usdExact(savedUsd))]),
    ...(writeExtraUsd === null ? [] : [t('{0} extra for writing', figures.usdExact(writeExtraUsd))]),
  ];
}
