import { useState } from 'preact/hooks';
import type { TokensMeasure } from '../../../protocol/channels/tokensView';
import { type ModelSpending, type Spending, totalTokens } from '../../../protocol/usage';

/** The bar selected by the pointer or the keys. */
export interface ChartCursor {
  /** Null while no bar is selected. */
  readonly active: number | null;
  /** The bar selected by the keys, even while they are not used. */
  readonly at: number;
  readonly point: (at: number | null) => void;
  readonly focus: (isFocused: boolean) => void;
  /** @returns whether the chart handles the key */
  readonly press: (key: string) => boolean;
}

const PAGE = 7;

/** @param first  index at which the keys begin */
export function useChartCursor(count: number, first: number): ChartCursor {
  const [pointed, setPointed] = useState<number | null>(null);
  const [focused, setFocused] = useState<number | null>(null);
  const [isOpen, setOpen] = useState(false);
  const bounded = (at: number): number => Math.min(count - 1, Math.max(0, at));
  const at = bounded(focused ?? first);
  const active = pointed ?? (isOpen ? at : null);
  return {
    active: active === null || count === 0 ? null : bounded(active),
    at,
    point: setPointed,
    focus: setOpen,
    press: (key) => {
      if (key === 'Escape') {
        const isShown = isOpen || pointed !== null;
        setOpen(false);
        setPointed(null);
        return isShown;
      }
      const next = {
        ArrowLeft: at - 1,
        ArrowUp: at - 1,
        ArrowRight: at + 1,
        ArrowDown: at + 1,
        PageUp: at - PAGE,
        PageDown: at + PAGE,
        Home: 0,
        End: count - 1,
      }[key];
      if (next === undefined) return false;
      setPointed(null);
      setFocused(bounded(next));
      setOpen(true);
      return true;
    },
  };
}

export interface Bar {
  readonly key: string;
  readonly label: string;
  /** A longer name, shown on request. */
  readonly detail?: string;
  readonly series: SeriesIndex;
  readonly spending: Spending;
}

/** The value that a bar's length represents; never negative. */
export function lengthOf({ cost, counts }: Pick<Spending, 'cost' | 'counts'>, measure: TokensMeasure): number {
  return Math.max(0, measure === 'cost' ? (cost.usd ?? 0) : totalTokens(counts));
}

/** The number of distinguishable chart colours in VS Code's themes. */
const COLOURS = 5;

export type SeriesIndex = number | 'others';

/** Assigns colours to models, the same in all charts and ranges. */
export interface Series {
  of(model: string | null): SeriesIndex;
  readonly others: SeriesIndex;
}

/** Each of the first models gets a colour. */
export function seriesOf(models: readonly ModelSpending[]): Series {
  const places = new Map(models.slice(0, COLOURS).map(({ model }, at) => [model, at]));
  return { of: (model) => places.get(model) ?? 'others', others: 'others' };
}
