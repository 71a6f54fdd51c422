import type { JSX } from 'preact';
import type { TokensMeasure } from '../../../shared/api/tokens';
import type { DaySpending } from '../../../shared/usage';
import { useApp } from '../tokensApp';
import { lengthOf } from './bar';
import { dayParts } from './dayParts';
import type { Series } from './series';

export interface DayColumnsProps {
  readonly days: readonly DaySpending[];
  readonly series: Series;
  readonly measure: TokensMeasure;
  readonly active: number | null;
  readonly onPoint: (at: number) => void;
}

/** Of the width that a day has. */
const GAP_SHARE = 0.22;

/** The picture of a chart by day, in percent of its box, so that it fits any width. */
export function DayColumns({ days, series, measure, active, onPoint }: DayColumnsProps): JSX.Element {
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
