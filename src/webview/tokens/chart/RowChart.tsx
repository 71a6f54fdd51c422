import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { TokensChart, TokensMeasure } from '../../../protocol/channels/tokensView';
import { totalTokens } from '../../../protocol/usage';
import { Cost, describeSpending, Tokens } from '../figures';
import { useApp } from '../tokensApp';
import { TableBehind } from './TableBehind';
import { type Bar, lengthOf, useChartCursor } from './chartCursor';
import { ChartTip, SpendingTip } from './tips';

export interface RowChartProps {
  readonly chart: TokensChart;
  readonly title: string;
  /** What the bars represent; the heading of the table's first column. */
  readonly column: string;
  /** At least one, in display order. */
  readonly bars: readonly Bar[];
  readonly measure: TokensMeasure;
}

/** A vertical list of bars, each below its name and figure. */
export function RowChart({ chart, title, column, bars, measure }: RowChartProps): JSX.Element {
  const { figures, t } = useApp();
  const rows = useRef<HTMLDivElement>(null);
  const cursor = useChartCursor(bars.length, 0);
  const longest = Math.max(...bars.map(({ spending }) => lengthOf(spending, measure)), 0);
  const tipBar = cursor.active === null ? undefined : bars[cursor.active];
  const tipRow = cursor.active === null ? undefined : rows.current?.children[cursor.active];
  const at = bars[cursor.at];
  return (
    <div class="chart">
      <h3>{title}</h3>
      <div
        class="bars"
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-orientation="vertical"
        aria-valuemin={1}
        aria-valuemax={bars.length}
        aria-valuenow={cursor.at + 1}
        aria-valuetext={at === undefined ? '' : `${at.label}: ${describeSpending(at.spending, figures, t)}`}
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
        <div ref={rows} role="presentation">
          {bars.map((bar, index) => (
            <div
              key={bar.key}
              class={cursor.active === index ? 'bar-row is-active' : 'bar-row'}
              onPointerEnter={() => {
                cursor.point(index);
              }}
            >
              <span class="bar-label">{bar.label}</span>
              <span class="bar-figure">
                {measure === 'cost' ? (
                  <Cost cost={bar.spending.cost} />
                ) : (
                  <Tokens count={totalTokens(bar.spending.counts)} />
                )}
              </span>
              <svg class="bar" role="img" aria-label={bar.label}>
                <rect class="bar-track" width="100%" height="100%" />
                <rect
                  class={`series-${bar.series}`}
                  width={`${longest === 0 ? 0 : (lengthOf(bar.spending, measure) / longest) * 100}%`}
                  height="100%"
                />
              </svg>
            </div>
          ))}
        </div>
      </div>
      {tipBar !== undefined && tipRow !== undefined && (
        <ChartTip anchor={tipRow}>
          <SpendingTip title={tipBar.label} detail={tipBar.detail} spending={tipBar.spending} />
        </ChartTip>
      )}
      <TableBehind chart={chart} title={title} column={column} rows={bars} />
    </div>
  );
}
