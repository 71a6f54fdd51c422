import type { JSX } from 'preact';
import type { TokensMeasure, TokensRange } from '../../../shared/api/tokens';
import type { Bar } from '../chart/bar';
import { RowChart } from '../chart/RowChart';
import type { Series } from '../chart/series';
import { modelName } from '../figures/modelName';
import { useApp } from '../tokensApp';

interface ModelChartProps {
  readonly range: TokensRange;
  readonly series: Series;
  readonly measure: TokensMeasure;
}

export function ModelChart({ range, series, measure }: ModelChartProps): JSX.Element {
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
