import type { JSX } from 'preact';
import type { TokensMeasure, TokensRange } from '../../protocol/channels/tokensView';
import type { UsageOverview } from '../../protocol/usage';
import { moveFocus } from '../ui/Menu';
import { DayChart } from './chart/DayChart';
import { RowChart } from './chart/RowChart';
import { type Bar, type Series, seriesOf } from './chart/chartCursor';
import { hasNoPrice, isCounting, modelName, Totals } from './figures';
import { useApp } from './tokensApp';

/** Number of recent days shown as bars; 0 if the range is a single day. */
const SHOWN_DAYS = { today: 0, week: 7, month: 30, all: 30 } as const;

/** The usage of all sessions. */
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
  // Without known prices, all cost bars would be empty.
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

/** The number of counted transcripts, while some are not counted yet. */
function CountingProgress({ files }: { files: UsageOverview['files'] }): JSX.Element | null {
  const { figures, t } = useApp();
  if (files.waiting === 0) return null;
  const done = files.total - files.waiting;
  const text = t('{0} of {1} transcripts counted', figures.exact(done), figures.exact(files.total));
  return (
    <div class="counting">
      <progress aria-label={t('Counting transcripts')} max={files.total} value={done} />
      <span class="quiet">{text}</span>
    </div>
  );
}

interface ModelChartProps {
  readonly range: TokensRange;
  readonly series: Series;
  readonly measure: TokensMeasure;
}

function ModelChart({ range, series, measure }: ModelChartProps): JSX.Element {
  const { figures, t } = useApp();
  const bars: Bar[] = range.models.map(({ model, ...spending }) => ({
    key: model ?? '',
    label: modelName(model, t),
    series: series.of(model),
    spending,
  }));
  const { otherModels } = range;
  if (otherModels !== null) {
    const label = t('{0} more models', figures.exact(otherModels.count));
    bars.push({ key: ' others', label, series: series.others, spending: otherModels });
  }
  return <RowChart chart="model" title={t('By model')} column={t('Model')} bars={bars} measure={measure} />;
}

function ProjectChart({ range, measure }: { range: TokensRange; measure: TokensMeasure }): JSX.Element {
  const { figures, t } = useApp();
  const bars: Bar[] = range.projects.map(({ folder, cwd, label, ...spending }) => ({
    key: folder,
    label: label.trim() === '' ? folder : label,
    detail: cwd ?? folder,
    series: 0,
    spending,
  }));
  const { otherProjects } = range;
  if (otherProjects !== null) {
    const label = t('{0} more projects', figures.exact(otherProjects.count));
    bars.push({ key: ' others', label, series: 'others', spending: otherProjects });
  }
  return <RowChart chart="project" title={t('By project')} column={t('Project')} bars={bars} measure={measure} />;
}

export interface SwitchProps<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A small group of choices: one stop of the Tab key, and the arrow keys choose. */
function Switch<T extends string>({ label, options, value, onChange }: SwitchProps<T>): JSX.Element {
  return (
    <div
      class="switch"
      role="radiogroup"
      aria-label={label}
      onKeyDown={(event) => {
        const { currentTarget } = event;
        const isMoved =
          moveFocus(event, currentTarget, '[role=radio]', 'horizontal') ||
          moveFocus(event, currentTarget, '[role=radio]', 'vertical');
        if (!isMoved) return;
        event.preventDefault();
        const at = [...currentTarget.children].findIndex((each) => each === document.activeElement);
        const option = options[at];
        if (option !== undefined) onChange(option.value);
      }}
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          class="switch-option"
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          onClick={() => {
            onChange(option.value);
          }}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
