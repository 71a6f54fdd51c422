import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { TokensMeasure } from '../../../protocol/channels/tokensView';
import type { CostFigure, UsageCalendar } from '../../../protocol/usage';
import type { Figures } from '../../ui/createFigures';
import type { Translate } from '../../ui/texts';
import { Cost, Tokens } from '../figures';
import { useApp } from '../tokensApp';
import { TableBehind } from './TableBehind';
import { useChartCursor } from './chartCursor';
import { ChartTip } from './tips';

export interface CalendarChartProps {
  readonly calendar: UsageCalendar;
  readonly measure: TokensMeasure;
}

const WEEK = 7;
/** Columns of the chart; the last one is the current week. */
const WEEKS = 53;
/** In units of the drawing, which are pixels on a narrow page. */
const CELL = 13;
const LEFT = 30;
const TOP = 16;
const WIDTH = LEFT + WEEKS * CELL;
const HEIGHT = TOP + WEEK * CELL;
/** Columns between the names of two months, so that they do not overlap. */
const MONTH_COLUMNS = 3;
/** Sides of the squares by level: sizes can be told apart without colours. */
const SIDES = [3, 5, 7, 9, 11] as const;

/** A day of the calendar. */
interface CalendarDay {
  readonly day: string;
  readonly messages: number;
  readonly tokens: number;
  readonly usd: number | null;
  /** 0 if nothing was used, otherwise 1 to 4: the quarter of the days with usage that it belongs to. */
  readonly level: number;
}

/** A year of days: a column for each week, and a square for each day that is larger the more was used. */
export function CalendarChart({ calendar, measure }: CalendarChartProps): JSX.Element {
  const { figures, t } = useApp();
  const scroller = useRef<HTMLDivElement>(null);
  const days = useMemo(() => daysOf(calendar, measure, figures.firstWeekday), [calendar, measure]);
  const cursor = useChartCursor(days.length, days.length - 1, { across: WEEK, down: 1, page: 4 * WEEK });
  const title = t('The last 53 weeks');
  const at = days[cursor.at];
  const tipDay = cursor.active === null ? undefined : days[cursor.active];
  const tipCell = cursor.active === null ? undefined : scroller.current?.querySelectorAll('.heat-hit')[cursor.active];
  // On a narrow page, the current week is at the end of what can be scrolled.
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box !== null) box.scrollLeft = box.scrollWidth;
  }, []);
  return (
    <div class="chart">
      <h2>{title}</h2>
      <div
        ref={scroller}
        class="heat"
        {...cursor.slider}
        aria-label={title}
        aria-orientation="horizontal"
        aria-valuetext={at === undefined ? '' : `${figures.longDay(at.day)}: ${describeDay(at, figures, t).join(', ')}`}
      >
        <CalendarGrid days={days} active={cursor.active} cursorAt={cursor.at} onPoint={cursor.point} />
      </div>
      <p class="heat-legend" aria-hidden="true">
        <span>{t('Less')}</span>
        {SIDES.map((_, level) => (
          <svg key={level} class="heat-sample" viewBox={`0 0 ${CELL} ${CELL}`}>
            <Mark level={level} x={0} y={0} />
          </svg>
        ))}
        <span>{t('More')}</span>
      </p>
      {tipDay !== undefined && tipCell !== undefined && (
        <ChartTip anchor={tipCell}>
          <div class="tip-title">{figures.longDay(tipDay.day)}</div>
          {describeDay(tipDay, figures, t).map((line) => (
            <div key={line}>{line}</div>
          ))}
        </ChartTip>
      )}
      <TableBehind
        chart="calendar"
        title={title}
        table={{
          columns: [t('Day'), t('Replies'), t('Tokens'), t('Cost')],
          rows: days
            .filter(({ messages }) => messages > 0)
            .reverse()
            .map((day) => ({
              key: day.day,
              label: figures.longDay(day.day),
              cells: [<Tokens count={day.messages} />, <Tokens count={day.tokens} />, <Cost cost={costOf(day)} />],
            })),
        }}
      />
    </div>
  );
}

interface CalendarGridProps {
  readonly days: readonly CalendarDay[];
  readonly active: number | null;
  readonly cursorAt: number;
  readonly onPoint: (at: number) => void;
}

function CalendarGrid({ days, active, cursorAt, onPoint }: CalendarGridProps): JSX.Element {
  const { figures, t } = useApp();
  const cell = useRef<SVGRectElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    // Only the keys scroll: the first rendering is not a move.
    if (!isFirst.current) cell.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    isFirst.current = false;
  }, [cursorAt]);
  return (
    <svg
      class="heat-plot"
      role="img"
      aria-label={t('{0} days', figures.exact(days.length))}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
    >
      {monthsOf(days).map(({ day, column }) => (
        <text key={day} class="heat-text" x={LEFT + column * CELL} y={TOP - 5}>
          {figures.month(day)}
        </text>
      ))}
      {[1, 3, 5].map((row) => (
        <text key={row} class="heat-text" x={0} y={TOP + row * CELL + 10}>
          {days[row] === undefined ? '' : figures.weekday(days[row].day, 'short')}
        </text>
      ))}
      {days.map(({ day, level }, index) => {
        const x = LEFT + Math.floor(index / WEEK) * CELL;
        const y = TOP + (index % WEEK) * CELL;
        return (
          <g key={day}>
            <Mark level={level} x={x} y={y} />
            <rect
              ref={index === cursorAt ? cell : null}
              class={index === active ? 'heat-hit is-active' : 'heat-hit'}
              x={x}
              y={y}
              width={CELL}
              height={CELL}
              onPointerEnter={() => {
                onPoint(index);
              }}
            />
          </g>
        );
      })}
    </svg>
  );
}

function Mark({ level, x, y }: { level: number; x: number; y: number }): JSX.Element {
  const side = SIDES[level] ?? SIDES[0];
  const inset = (CELL - side) / 2;
  return <rect class={`heat-mark heat-${level}`} x={x + inset} y={y + inset} width={side} height={side} rx={1.5} />;
}

/** The days from the first weekday of the first column on, today last. */
function daysOf(calendar: UsageCalendar, measure: TokensMeasure, firstWeekday: number): readonly CalendarDay[] {
  const { firstDay, messages, tokens, usd } = calendar;
  const first = new Date(`${firstDay}T00:00:00Z`);
  const today = new Date(first);
  today.setUTCDate(today.getUTCDate() + messages.length - 1);
  const inLastWeek = ((today.getUTCDay() - firstWeekday + WEEK) % WEEK) + 1;
  const shown = Math.min(messages.length, (WEEKS - 1) * WEEK + inLastWeek);
  const skipped = messages.length - shown;
  const values = (measure === 'cost' ? usd.map((each) => each ?? 0) : tokens).slice(skipped);
  const used = values.filter((value) => value > 0).sort((a, b) => a - b);
  const borders = [0.25, 0.5, 0.75].map((share) => used[Math.floor(used.length * share)] ?? 0);
  return values.map((value, index): CalendarDay => {
    const at = skipped + index;
    const day = new Date(first);
    day.setUTCDate(day.getUTCDate() + at);
    return {
      day: day.toISOString().slice(0, 10),
      messages: messages[at] ?? 0,
      tokens: tokens[at] ?? 0,
      usd: usd[at] ?? null,
      level: (messages[at] ?? 0) > 0 ? 1 + borders.filter((border) => value > 0 && value >= border).length : 0,
    };
  });
}

/** The first column of each month, where there is room for its name. */
function monthsOf(days: readonly CalendarDay[]): readonly { readonly day: string; readonly column: number }[] {
  const months: { day: string; column: number }[] = [];
  for (let at = 0; at < days.length; at += WEEK) {
    const day = days[at]?.day ?? '';
    const column = at / WEEK;
    const last = months.at(-1);
    if (last?.day.slice(0, 7) === day.slice(0, 7)) continue;
    const isCrowded = last !== undefined && column - last.column < MONTH_COLUMNS;
    if (isCrowded) months.pop();
    if (column <= WEEKS - 2) months.push({ day, column });
  }
  return months;
}

/** A figure of cost from what the calendar knows of a day. */
function costOf({ usd, tokens }: CalendarDay): CostFigure {
  return { usd, unpricedTokens: usd === null ? tokens : 0 };
}

function describeDay(day: CalendarDay, figures: Figures, t: Translate): readonly string[] {
  const { usd, messages } = day;
  if (messages <= 0) return [t('nothing used')];
  return [
    usd === null ? t('no price') : figures.usdExact(usd),
    day.tokens === 1 ? t('1 token') : t('{0} tokens', figures.exact(day.tokens)),
    messages === 1 ? t('1 reply') : t('{0} replies', figures.exact(messages)),
  ];
}
