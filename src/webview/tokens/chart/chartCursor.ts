import type { TargetedFocusEvent } from 'preact';
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
  /** Attributes of the element that holds the bars: one stop of the Tab key, which announces the bar that the keys select. */
  readonly slider: {
    readonly role: 'slider';
    readonly tabIndex: number;
    readonly 'aria-valuemin': number;
    readonly 'aria-valuemax': number;
    readonly 'aria-valuenow': number;
    readonly onKeyDown: (event: KeyboardEvent) => void;
    readonly onFocus: (event: TargetedFocusEvent<HTMLElement>) => void;
    readonly onBlur: () => void;
    readonly onPointerLeave: () => void;
  };
}

/** By how many places the keys move the cursor. */
export interface CursorSteps {
  readonly across: number;
  readonly down: number;
  readonly page: number;
}

const ONE_BY_ONE: CursorSteps = { across: 1, down: 1, page: 7 };

/** @param first  index at which the keys begin */
export function useChartCursor(count: number, first: number, steps = ONE_BY_ONE): ChartCursor {
  const [pointed, setPointed] = useState<number | null>(null);
  const [focused, setFocused] = useState<number | null>(null);
  const [isOpen, setOpen] = useState(false);
  const bounded = (at: number): number => Math.min(count - 1, Math.max(0, at));
  const at = bounded(focused ?? first);
  const active = pointed ?? (isOpen ? at : null);
  /** Returns whether the chart handles the key. */
  const press = (key: string): boolean => {
    if (key === 'Escape') {
      const isShown = isOpen || pointed !== null;
      setOpen(false);
      setPointed(null);
      return isShown;
    }
    const next = {
      ArrowLeft: at - steps.across,
      ArrowUp: at - steps.down,
      ArrowRight: at + steps.across,
      ArrowDown: at + steps.down,
      PageUp: at - steps.page,
      PageDown: at + steps.page,
      Home: 0,
      End: count - 1,
    }[key];
    if (next === undefined) return false;
    setPointed(null);
    setFocused(bounded(next));
    setOpen(true);
    return true;
  };
  return {
    active: active === null || count === 0 ? null : bounded(active),
    at,
    point: setPointed,
    slider: {
      role: 'slider',
      tabIndex: 0,
      'aria-valuemin': 1,
      'aria-valuemax': count,
      'aria-valuenow': at + 1,
      onKeyDown: (event) => {
        if (press(event.key)) event.preventDefault();
      },
      onFocus: (event) => {
        setOpen(event.currentTarget.matches(':focus-visible'));
      },
      onBlur: () => {
        setOpen(false);
      },
      onPointerLeave: () => {
        setPointed(null);
      },
    },
  };
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
