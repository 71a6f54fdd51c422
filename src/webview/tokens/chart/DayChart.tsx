import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { TokensMeasure } from '../../../shared/api/tokens';
import type { DaySpending, Spending } from '../../../shared/usage';
import { describeSpending } from '../figures/describeSpending';
import { useApp } from '../tokensApp';
import { ChartTip } from './ChartTip';
import { DayColumns } from './DayColumns';
import { DayTip } from './DayTip';
import type { Series } from './series';
import { TableBehind } from './TableBehind';
import { useChartCursor } from './useChartCursor';

export interface DayChartProps {
  /** Today last. */
  readonly days: readonly DaySpending[];
  /** What the range has besides, for the table alone: as a bar it would dwarf the days. */
  readonly otherDays: Spending | null;
  readonly series: Series;
  readonly measure: TokensMeasure;
}

/** So few days have room for their names. */
const NAMED_DAYS = 7;

/** A bar for each day, in it a part for each model. */
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
      <h3>{title}</h3>
      <div
        ref={plot}
        class="days"
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={cursor.at + 1}
        aria-valuetext={at === undefined ? '' : `${labels[cursor.at] ?? at.day}: ${describeSpending(at, figures, t)}`}
        onKeyDown={(event) => {
          if (cursor.press(event.key)) event.preventDefault();
        }}
        onFocus={(event) => {
          cursor.focus(event.currentTarget.matches(':focus-visible'));
        }}
        onBlur={() => {
          cursor.focus(false);
        }}
        onPointerLeave={() => {
          cursor.point(null);
        }}
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
        column={t('Day')}
        rows={[
          ...days
            .map((spending, index) => ({ key: spending.day, label: labels[index] ?? spending.day, spending }))
            .reverse(),
          ...(otherDays === null ? [] : [{ key: 'other', label: t('All other days'), spending: otherDays }]),
        ]}
      />
    </div>
  );
}
