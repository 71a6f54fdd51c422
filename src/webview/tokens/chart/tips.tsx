import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { TokensMeasure } from '../../../protocol/channels/tokensView';
import { type CostFigure, type DaySpending, type Spending, totalTokens } from '../../../protocol/usage';
import { placeBeside } from '../../ui/Menu';
import { hasNoPrice, modelName } from '../figures';
import { useApp } from '../tokensApp';
import type { Series } from './chartCursor';

/** A tip beside a bar, in the browser's top layer. For screen readers, its content is also the chart's value. */
export function ChartTip({ anchor, children }: { anchor: Element; children: ComponentChildren }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    if (!element.matches(':popover-open')) element.showPopover();
    placeBeside(element, anchor);
  });
  return (
    <div ref={box} class="tip" popover="manual" aria-hidden="true">
      {children}
    </div>
  );
}

export interface SpendingTipProps {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly spending: Spending;
  readonly children?: ComponentChildren;
}

export function SpendingTip({ title, detail, spending, children }: SpendingTipProps): JSX.Element {
  const { figures, t } = useApp();
  const { cost, counts, messages } = spending;
  return (
    <>
      <div class="tip-title">{title}</div>
      {detail !== undefined && detail !== title && <div class="tip-detail">{detail}</div>}
      {messages === 0 ? (
        <div>{t('nothing used')}</div>
      ) : (
        <>
          <div>{hasNoPrice(cost) ? t('no price') : figures.usdExact(cost.usd ?? 0)}</div>
          <div>{t('{0} tokens', figures.exact(totalTokens(counts)))}</div>
          {cost.usd !== null && cost.unpricedTokens > 0 && (
            <div>{t('{0} tokens have no price', figures.exact(cost.unpricedTokens))}</div>
          )}
          <div>{messages === 1 ? t('1 reply') : t('{0} replies', figures.exact(messages))}</div>
        </>
      )}
      {children}
    </>
  );
}

/** As many lines as fit beside a chart. */
const MAX_MODELS = 6;

export interface DayTipProps {
  readonly day: DaySpending;
  readonly series: Series;
  readonly measure: TokensMeasure;
}

export function DayTip({ day, series, measure }: DayTipProps): JSX.Element {
  const { figures, t } = useApp();
  const { models } = day;
  const costText = (cost: CostFigure): string => (hasNoPrice(cost) ? t('no price') : figures.usd(cost.usd ?? 0));
  const listed = models.slice(0, models.length > MAX_MODELS ? MAX_MODELS - 1 : MAX_MODELS);
  return (
    <SpendingTip title={figures.wholeDay(day.day)} spending={day}>
      {listed.length > 1 && (
        <div class="tip-models">
          {listed.map(({ model, cost, counts }) => (
            <div key={model} class="tip-model">
              <svg class="swatch" aria-hidden="true">
                <rect class={`series-${series.of(model)}`} width="100%" height="100%" />
              </svg>
              <span class="tip-name">{modelName(model, t)}</span>
              <span>{measure === 'tokens' ? figures.compact(totalTokens(counts)) : costText(cost)}</span>
            </div>
          ))}
          {models.length > listed.length && (
            <div>{t('{0} more models', figures.exact(models.length - listed.length))}</div>
          )}
        </div>
      )}
    </SpendingTip>
  );
}
