import type { TokensMeasure } from '../../../shared/api/tokens';
import type { DaySpending } from '../../../shared/usage';
import { lengthOf } from './bar';
import type { Series, SeriesIndex } from './series';

export interface DayPart {
  readonly series: SeriesIndex;
  /** Where it begins above the ground, and how long it is, in what is measured. */
  readonly from: number;
  readonly length: number;
}

/** A day's bar in the order of the colours: the same model is at the same end each day. */
export function dayParts(day: DaySpending, series: Series, measure: TokensMeasure): readonly DayPart[] {
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
