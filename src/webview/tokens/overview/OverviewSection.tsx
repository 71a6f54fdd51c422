import type { JSX } from 'preact';
import type { TokensRange } from '../../../shared/api/tokens';
import { totalTokens } from '../../../shared/totalTokens';
import { DayChart } from '../chart/DayChart';
import { seriesOf } from '../chart/series';
import { Cost } from '../figures/Cost';
import { Tokens } from '../figures/Tokens';
import { useApp } from '../tokensApp';
import { CountingProgress } from './CountingProgress';
import { ModelChart } from './ModelChart';
import { ProjectChart } from './ProjectChart';
import { Switch } from './Switch';

/** How many of the last days the bars show; none where there is but one. */
const SHOWN_DAYS = { today: 0, week: 7, month: 30, all: 30 } as const;

/** What all sessions used. */
export function OverviewSection(): JSX.Element {
  const { snapshot, navigation, t } = useApp();
  const { overview } = snapshot.value;
  const { range: chosen } = navigation.value;
  const range = overview?.ranges.find((each) => each.range === chosen);
  return (
    <section class="section" aria-labelledby="overview-title">
      <h2 id="overview-title">{t('All sessions')}</h2>
      <Switch
        label={t('Time')}
        value={chosen}
        options={[
          { value: 'today', label: t('Today') },
          { value: 'week', label: t('7 days') },
          { value: 'month', label: t('30 days') },
          { value: 'all', label: t('All') },
        ]}
        onChange={(value) => {
          navigation.value = { ...navigation.peek(), range: value };
        }}
      />
      {overview !== null && <CountingProgress files={overview.files} />}
      {range === undefined ? <p class="quiet">{t('Counting…')}</p> : <RangeView range={range} />}
    </section>
  );
}

function RangeView({ range }: { range: TokensRange }): JSX.Element {
  const { snapshot, navigation, figures, t } = useApp();
  const { overview } = snapshot.value;
  const { measure } = navigation.value;
  const { total } = range;
  const isCounting = (overview?.files.waiting ?? 0) > 0;
  if (total.messages === 0) return <p class="quiet">{isCounting ? t('Counting…') : nothingUsed(range, t)}</p>;
  const all = overview?.ranges.find((each) => each.range === 'all') ?? range;
  const series = seriesOf(all.models);
  const days = overview?.days.slice(-SHOWN_DAYS[range.range]) ?? [];
  return (
    <>
      <dl class="totals">
        <div>
          <dt>{t('Cost')}</dt>
          <dd>
            <Cost cost={total.cost} />
          </dd>
        </div>
        <div>
          <dt>{t('Tokens')}</dt>
          <dd>
            <Tokens count={totalTokens(total.counts)} />
          </dd>
        </div>
        <div>
          <dt>{t('Messages')}</dt>
          <dd>
            <Tokens count={total.messages} />
          </dd>
        </div>
      </dl>
      {total.cost.usd !== null && total.cost.unpricedTokens > 0 && (
        <p class="quiet">
          {t('{0} tokens have no price, and are not in the cost.', figures.compact(total.cost.unpricedTokens))}
        </p>
      )}
      <Switch
        label={t('Length of the bars')}
        value={measure}
        options={[
          { value: 'cost', label: t('Cost') },
          { value: 'tokens', label: t('Tokens') },
        ]}
        onChange={(value) => {
          navigation.value = { ...navigation.peek(), measure: value };
        }}
      />
      {SHOWN_DAYS[range.range] > 0 && <DayChart days={days} series={series} measure={measure} />}
      <ModelChart range={range} series={series} measure={measure} />
      <ProjectChart range={range} measure={measure} />
    </>
  );
}

function nothingUsed({ range }: TokensRange, t: ReturnType<typeof useApp>['t']): string {
  switch (range) {
    case 'today':
      return t('Nothing was used today.');
    case 'week':
      return t('Nothing was used in the last 7 days.');
    case 'month':
      return t('Nothing was used in the last 30 days.');
    case 'all':
      return t('No session has used any tokens yet.');
  }
}
