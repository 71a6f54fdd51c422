import type { ModelSpending } from '../../../shared/usage';

/** As many colours as charts of VS Code's themes have that can be told apart. */
const COLOURS = 5;

export type SeriesIndex = number | 'others';

/** Which colour a model has, in all charts and ranges the same. */
export interface Series {
  of(model: string | null): SeriesIndex;
  readonly others: SeriesIndex;
}

/** The first models get a colour each. */
export function seriesOf(models: readonly ModelSpending[]): Series {
  const places = new Map(models.slice(0, COLOURS).map(({ model }, at) => [model, at]));
  return { of: (model) => places.get(model) ?? 'others', others: 'others' };
}
