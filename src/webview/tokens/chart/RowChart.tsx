import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { TokensChart, TokensMeasure } from '../../../protocol/channels/tokensView';
import { type Spending, totalTokens } from '../../../protocol/usage';
import type { Figures } from '../../ui/createFigures';
import type { Translate } from '../../ui/texts';
import { Cost, describeSpending, Tokens } from '../figures';
import { useApp } from '../tokensApp';
import { type ChartTable, spendingTable, TableBehind } from './TableBehind';
import { lengthOf, type SeriesIndex, useChartCursor } from './chartCursor';
import { ChartTip, SpendingTip } from './tips';

export interface Bar {
  readonly key: string;
  readonly label: string;
  readonly series: SeriesIndex;
  /** 0 or more. */
  readonly length: number;
  /** A part of the length, from 0 up, that is drawn apart at its end. */
  readonly part?: number;
  /** Beside the label. */
  readonly figure: ComponentChildren;
  /** The figure in words, for screen readers. */
  readonly said: string;
  readonly tip: ComponentChildren;
}

export interface RowChartProps {
  readonly chart: TokensChart;
  readonly title: string;
  /** At least one, in display order. */
  readonly bars: readonly Bar[];
  readonly table: ChartTable;
  /** The length that fills the width; by default that of the longest bar. */
  readonly whole?: number;
  /** Between the title and the bars. */
  readonly children?: ComponentChildren;
}

/** A vertical list of bars, each below its name and figure. */
export function RowChart({ chart, title, bars, table, whole, children }: RowChartProps): JSX.Element {
  const rows = useRef<HTMLDivElement>(null);
  const cursor = useChartCursor(bars.length, 0);
  const longest = whole ?? Math.max(...bars.map(({ length }) => length), 0);
  const tipBar = cursor.active === null ? undefined : bars[cursor.active];
  const tipRow = cursor.active === null ? undefined : rows.current?.children[cursor.active];
  const at = bars[cursor.at];
  return (
    <div class="chart">
      <h2>{title}</h2>
      {children}
      <div
        class="bars"
        {...cursor.slider}
        aria-label={title}
        aria-orientation="vertical"
        aria-valuetext={at === undefined ? '' : `${at.label}: ${at.said}`}
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
              <span class="bar-figure">{bar.figure}</span>
              <svg class="bar" role="img" aria-label={bar.label}>
                <rect class="bar-track" width="100%" height="100%" />
                <rect class={`series-${bar.series}`} width={percentOf(bar.length, longest)} height="100%" />
                {bar.part !== undefined && bar.part > 0 && (
                  <rect
                    class="bar-part"
                    x={percentOf(Math.max(0, bar.length - bar.part), longest)}
                    width={percentOf(Math.min(bar.length, bar.part), longest)}
                    height="100%"
                  />
                )}
              </svg>
            </div>
          ))}
        </div>
      </div>
      {tipBar !== undefined && tipRow !== undefined && <ChartTip anchor={tipRow}>{tipBar.tip}</ChartTip>}
      <TableBehind chart={chart} title={title} table={table} />
    </div>
  );
}

function percentOf(length: number, longest: number): string {
  return `${longest === 0 ? 0 : Math.min(1, length / longest) * 100}%`;
}

export interface SpendingBar extends Pick<Bar, 'key' | 'label' | 'series'> {
  /** A longer name, shown on request. */
  readonly detail?: string;
  readonly spending: Spending;
}

export interface SpendingChartProps {
  readonly chart: TokensChart;
  readonly title: string;
  /** What the bars represent; the heading of the table's first column. */
  readonly column: string;
  readonly bars: readonly SpendingBar[];
  readonly measure: TokensMeasure;
}

/** Costs or tokens as bars. */
export function SpendingChart({ chart, title, column, bars, measure }: SpendingChartProps): JSX.Element {
  const { figures, t } = useApp();
  return (
    <RowChart
      chart={chart}
      title={title}
      bars={bars.map((bar) => asBar(bar, measure, figures, t))}
      table={spendingTable(column, bars, t)}
    />
  );
}

function asBar(bar: SpendingBar, measure: TokensMeasure, figures: Figures, t: Translate): Bar {
  const { key, label, detail, series, spending } = bar;
  return {
    key,
    label,
    series,
    length: lengthOf(spending, measure),
    figure: measure === 'cost' ? <Cost cost={spending.cost} /> : <Tokens count={totalTokens(spending.counts)} />,
    said: describeSpending(spending, figures, t),
    tip: <SpendingTip title={label} detail={detail} spending={spending} />,
  };
}
