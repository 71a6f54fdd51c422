import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { TokensMeasure } from '../../../protocol/channels/tokensView';
import type { DaySpending, Spending } from '../../../protocol/usage';
import { describeSpending } from '../figures';
import { useApp } from '../tokensApp';
import { spendingTable, TableBehind } from './TableBehind';
import { lengthOf, type Series, type SeriesIndex, useChartCursor } from './chartCursor';
import { ChartTip, DayTip } from './tips';

export interface DayChartProps {
  /** Oldest first; today is last. */
  readonly days: readonly DaySpending[];
  /** The rest of the range, only for the table: as a bar it would dwarf the days. */
  readonly otherDays: Spending | null;
  readonly series: Series;
  readonly measure: TokensMeasure;
}

/** At most this many days have room for their names. */
const NAMED_DAYS = 7;

/** A bar for each day, divided by model. */
export function DayChart({ days, otherDays, series, measure }: DayChartProps): JSX.Element {
  const { figures, t } = useApp();
  const plot = useRef<HTMLDivElement>(null);
  const cursor = useChartCursor(days.length, days.length - 1);
  const title = otherDays === null ? t('By day') : t('By day, the last 30 days');
  const tipDay = cursor.active === null ? undefined : days[cursor.active];
  const tipColumn = cursor.active === null ? undefined : plot.current?.querySelectorAll('.day-hit')[cursor.active];
  const at = days[cursor.at];
  const labels = days.map((day) => figures.wholeDay(day.day));
  return (
    <div class="chart">
      <h2>{title}</h2>
      <div
        ref={plot}
        class="days"
        {...cursor.slider}
        aria-label={title}
        aria-orientation="horizontal"
        aria-valuetext={at === undefined ? '' : `${labels[cursor.at] ?? at.day}: ${describeSpending(at, figures, t)}`}
      >
        <DayColumns days={days} series={series} measure={measure} active={cursor.active} onPoint={cursor.point} />
        <div class={days.length <= NAMED_DAYS ? 'day-names' : 'day-ends'} aria-hidden="true">
          {days.length <= NAMED_DAYS
            ? days.map(({ day }) => (
                <span key={day}>
                  <span class="when-wide">{figures.weekday(day, 'short')}</span>
                  <span class="when-narrow">{figures.weekday(day, 'narrow')}</span>
                </span>
              ))
            : [days[0], days.at(-1)].map((day) => day && <span key={day.day}>{figures.day(day.day)}</span>)}
        </div>
      </div>
      {tipDay !== undefined && tipColumn !== undefined && (
        <ChartTip anchor={tipColumn}>
          <DayTip day={tipDay} series={series} measure={measure} />
        </ChartTip>
      )}
      <TableBehind
        chart="day"
        title={title}
        table={spendingTable(
          t('Day'),
          [
            ...days
              .map((spending, index) => ({ key: spending.day, label: labels[index] ?? spending.day, spending }))
              .reverse(),
            ...(otherDays === null ? [] : [{ key: 'other', label: t('All other days'), spending: otherDays }]),
          ],
          t,
        )}
      />
    </div>
  );
}

export interface DayColumnsProps {
  readonly days: readonly DaySpending[];
  readonly series: Series;
  readonly measure: TokensMeasure;
  readonly active: number | null;
  readonly onPoint: (at: number) => void;
}

/** Share of a day's width. */
const GAP_SHARE = 0.22;

/** The chart by day, in percent of its box, so that it fits any width. */
function DayColumns({ days, series, measure, active, onPoint }: DayColumnsProps): JSX.Element {
  const { figures, t } = useApp();
  const highest = Math.max(...days.map((day) => lengthOf(day, measure)), 0);
  const width = 100 / Math.max(1, days.length);
  const highestText = measure === 'cost' ? figures.usd(highest) : figures.compact(highest);
  return (
    <>
      {highest > 0 && (
        <div class="day-scale" aria-hidden="true">
          {highestText}
        </div>
      )}
      <svg
        class="day-plot"
        role="img"
        aria-label={t('{0} days, the highest {1}', figures.exact(days.length), highestText)}
      >
        <rect class="grid" y="0" width="100%" height="1" />
        {days.map((day, index) => {
          const x = index * width;
          return (
            <g key={day.day}>
              <rect
                class={active === index ? 'day-hit is-active' : 'day-hit'}
                x={`${x}%`}
                width={`${width}%`}
                height="100%"
                onPointerEnter={() => {
                  onPoint(index);
                }}
              />
              {dayParts(day, series, measure).map(({ from, length, series: colour }) => (
                <rect
                  key={colour}
                  class={`day-part series-${colour}`}
                  x={`${x + (width * GAP_SHARE) / 2}%`}
                  y={`${100 - ((from + length) / highest) * 100}%`}
                  width={`${width * (1 - GAP_SHARE)}%`}
                  height={`${(length / highest) * 100}%`}
                />
              ))}
            </g>
          );
        })}
        <rect class="baseline" y="100%" width="100%" height="1" />
      </svg>
    </>
  );
}

export interface DayPart {
  readonly series: SeriesIndex;
  /** Start above the baseline, and length, in units of the measure. */
  readonly from: number;
  readonly length: number;
}

/** The parts of a day's bar in colour order, so that the same model is at the same end each day. */
function dayParts(day: DaySpending, series: Series, measure: TokensMeasure): readonly DayPart[] {
  const lengths = new Map<SeriesIndex, number>();
  for (const model of day.models) {
    const colour = series.of(model.model);
    const length = lengthOf(model, measure);
    if (length > 0) lengths.set(colour, (lengths.get(colour) ?? 0) + length);
  }
  let from = 0;
  return [...lengths]
    .sort(([one], [other]) => place(one) - place(other))
    .map(([colour, length]) => {
      const part = { series: colour, from, length };
      from += length;
      return part;
    });
}

function place(series: SeriesIndex): number {
  return series === 'others' ? Infinity : series;
}
