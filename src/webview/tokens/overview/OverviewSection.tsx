import type { JSX } from 'preact';
import type { TokensRange } from '../../../shared/api/tokens';
import { DayChart } from '../chart/DayChart';
import { seriesOf } from '../chart/series';
import { Totals } from '../figures/Totals';
import { hasNoPrice } from '../figures/hasNoPrice';
import { isCounting } from '../figures/isCounting';
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
  const { snapshot, navigation, t, act } = useApp();
  const { overview } = snapshot.value;
  // Bars of what nobody knows would all be empty.
  const isPriced = !hasNoPrice(range.total.cost);
  const measure = isPriced ? navigation.value.measure : 'tokens';
  const { total } = range;
  if (total.messages === 0) {
    const mayCome = overview !== null && isCounting(overview.files);
    return <p class="quiet">{mayCome ? t('Counting…') : nothingUsed(range, t)}</p>;
  }
  const all = overview?.ranges.find((each) => each.range === 'all') ?? range;
  const series = seriesOf(all.models);
  const days = overview?.days.slice(-SHOWN_DAYS[range.range]) ?? [];
  const otherDays = range.range === 'all' && overview?.otherDays.messages ? overview.otherDays : null;
  return (
    <>
      <Totals spending={total} />
      {isPriced && (
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
      )}
      {SHOWN_DAYS[range.range] > 0 && <DayChart days={days} otherDays={otherDays} series={series} measure={measure} />}
      <ModelChart range={range} series={series} measure={measure} />
      <ProjectChart range={range} measure={measure} />
      <p class="export">
        <button
          type="button"
          class="link"
          onClick={() => {
            act('export');
          }}
        >
          {t('Export as CSV…')}
        </button>
      </p>
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
