import type { JSX } from 'preact';
import type { TokensMeasure, TokensPageFigures, TokensRange } from '../../protocol/channels/tokensView';
import { CacheChart } from './chart/CacheChart';
import { CalendarChart, type CalendarChartProps } from './chart/CalendarChart';
import { DayChart } from './chart/DayChart';
import { type SpendingBar, SpendingChart } from './chart/RowChart';
import { type Series, seriesOf } from './chart/chartCursor';
import { describeSpending, hasNoPrice, isCounting, modelName, Totals } from './figures';
import { ToolChart } from './chart/ToolChart';
import { CountingProgress, isWithoutSessions, LiveText, NoSessions, Notices } from './notices';
import { ResumeList } from './ResumeList';
import { Switch } from './Switch';
import { useApp } from './tokensApp';

/** Number of recent days shown as bars; 0 if the range is a single day. */
const SHOWN_DAYS = { today: 0, week: 7, month: 30, all: 30 } as const;

/** The page in an editor tab: the usage of all sessions. */
export function TokensPage(): JSX.Element {
  const { snapshot, navigation, figures, t } = useApp();
  const { overview } = snapshot.value;
  const { range: chosen } = navigation.value;
  const page = overview?.page ?? null;
  const range = page?.ranges.find((each) => each.range === chosen);
  return (
    <main class="view is-page">
      <h1 id="overview-title">{t('All sessions')}</h1>
      <Notices />
      {isWithoutSessions(snapshot.value) ? (
        <NoSessions />
      ) : (
        <section aria-labelledby="overview-title">
          {overview !== null && <CountingProgress files={overview.files} />}
          {page === null || range === undefined ? (
            <p class="quiet">{t('Counting…')}</p>
          ) : (
            <PageFigures page={page} range={range} />
          )}
          <p class="note">{t('Costs are list prices of the API, in US dollars. Plans are billed otherwise.')}</p>
        </section>
      )}
      <LiveText about={chosen} said={() => (range === undefined ? '' : describeSpending(range.total, figures, t))} />
    </main>
  );
}

interface PageFiguresProps {
  readonly page: TokensPageFigures;
  readonly range: TokensRange;
}

function PageFigures({ page, range }: PageFiguresProps): JSX.Element {
  const { navigation, t } = useApp();
  const all = page.ranges.find((each) => each.range === 'all') ?? range;
  const series = seriesOf(all.models);
  // Without known prices, all cost bars would be empty.
  const isPriced = !hasNoPrice(all.total.cost);
  const measure = isPriced ? navigation.value.measure : 'tokens';
  return (
    <>
      <div class="switches">
        <Switch
          label={t('Time')}
          value={range.range}
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
        {isPriced && all.total.messages > 0 && (
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
      </div>
      <RangeTotals range={range} />
      <div class="cards">
        <RangeCharts page={page} range={range} series={series} measure={measure} />
        {all.total.messages > 0 && (
          <div class="card is-wide">
            <ResumeList resumes={page.resumes} />
          </div>
        )}
      </div>
      {all.total.messages > 0 && <ExportLink />}
    </>
  );
}

function RangeTotals({ range }: { range: TokensRange }): JSX.Element {
  const { snapshot, t } = useApp();
  const { overview } = snapshot.value;
  if (range.total.messages > 0) return <Totals spending={range.total} />;
  const mayCome = overview !== null && isCounting(overview.files);
  return <p class="quiet">{mayCome ? t('Counting…') : nothingUsed(range, t)}</p>;
}

interface RangeChartsProps extends PageFiguresProps {
  readonly series: Series;
  readonly measure: TokensMeasure;
}

function CalendarCard({ calendar, measure }: CalendarChartProps): JSX.Element {
  return (
    <div class="card is-wide">
      <CalendarChart calendar={calendar} measure={measure} />
    </div>
  );
}

/** The charts of the chosen range; only the calendar if nothing was used in it. */
function RangeCharts({ page, range, series, measure }: RangeChartsProps): JSX.Element | null {
  const hasUsage = page.calendar.messages.some((messages) => messages > 0);
  if (range.total.messages === 0) {
    return hasUsage ? <CalendarCard calendar={page.calendar} measure={measure} /> : null;
  }
  const days = page.days.slice(-SHOWN_DAYS[range.range]);
  const otherDays = range.range === 'all' && page.otherDays.messages > 0 ? page.otherDays : null;
  return (
    <>
      {SHOWN_DAYS[range.range] > 0 && (
        <div class="card is-wide">
          <DayChart days={days} otherDays={otherDays} series={series} measure={measure} />
        </div>
      )}
      <CalendarCard calendar={page.calendar} measure={measure} />
      <div class="stack">
        <div class="card">
          <ModelChart range={range} series={series} measure={measure} />
        </div>
        <div class="card">
          <CacheChart cache={range.cache} series={series} />
        </div>
      </div>
      <div class="stack">
        <div class="card">
          <ProjectChart range={range} measure={measure} />
        </div>
        <div class="card">
          <ToolChart tools={page.tools} range={range.range} />
        </div>
      </div>
    </>
  );
}

function ExportLink(): JSX.Element {
  const { t, act } = useApp();
  return (
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

interface ModelChartProps {
  readonly range: TokensRange;
  readonly series: Series;
  readonly measure: TokensMeasure;
}

function ModelChart({ range, series, measure }: ModelChartProps): JSX.Element {
  const { figures, t } = useApp();
  const bars: SpendingBar[] = range.models.map(({ model, ...spending }) => ({
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
  return <SpendingChart chart="model" title={t('By model')} column={t('Model')} bars={bars} measure={measure} />;
}

function ProjectChart({ range, measure }: { range: TokensRange; measure: TokensMeasure }): JSX.Element {
  const { figures, t } = useApp();
  const bars: SpendingBar[] = range.projects.map(({ folder, cwd, label, ...spending }) => ({
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
  return <SpendingChart chart="project" title={t('By project')} column={t('Project')} bars={bars} measure={measure} />;
}
