import type { JSX } from 'preact';
import type { TokensMeasure } from '../../../shared/api/tokens';
import { totalTokens } from '../../../shared/totalTokens';
import type { CostFigure, DaySpending } from '../../../shared/usage';
import { hasNoPrice } from '../figures/hasNoPrice';
import { modelName } from '../figures/modelName';
import { useApp } from '../tokensApp';
import type { Series } from './series';
import { SpendingTip } from './SpendingTip';

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
