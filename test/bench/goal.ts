import type { Spread } from './rounds';

/** A limit of the product, and its measured value. */
export interface GoalLine {
  readonly goal: string;
  readonly measured: string;
  readonly target: string;
  readonly stretch: string;
  readonly verdict: Verdict;
  readonly note: string;
}

/** `small`: the promise is for the full size, and does not apply to this one. `shown`: there is no promise. */
export type Verdict = 'stretch held' | 'held' | 'missed' | 'small' | 'not measured' | 'shown';

export interface Goal {
  readonly goal: string;
  readonly unit: Unit;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly stretch?: number;
}

type Unit = '×' | '%' | 'MB' | 'ms';

const FORMATS: Readonly<Record<Unit, (value: number) => string>> = {
  '×': (value) => `${significant(value)} ×`,
  '%': (value) => `${significant(value * 100)} %`,
  MB: (value) => `${value.toFixed(0)} MB`,
  ms: (value) => `${significant(value)} ms`,
};

/** `spreads`: the same ratio by other clocks; the goal is met only if each meets it. */
export function judge(goal: Goal, spreads: Readonly<Record<string, Spread>>, isFullSize: boolean, note = ''): GoalLine {
  const format = FORMATS[goal.unit];
  const names = Object.keys(spreads);
  const measured = Object.entries(spreads).map(([name, { median, least, most }]) => {
    const range = least === most ? '' : ` (${format(least)} … ${format(most)})`;
    return `${format(median)}${range}${names.length > 1 ? ` ${name}` : ''}`;
  });
  const medians = Object.values(spreads).map(({ median }) => median);
  const holds = (limit: number): boolean =>
    medians.every((median) => (goal.atMost === undefined ? median >= limit : median <= limit));
  const limit = goal.atMost ?? goal.atLeast;
  const sign = goal.atMost === undefined ? '≥' : '≤';
  return {
    goal: goal.goal,
    measured: measured.join('\n'),
    target: limit === undefined ? '' : `${sign} ${format(limit)}`,
    stretch: goal.stretch === undefined ? '' : `${sign} ${format(goal.stretch)}`,
    verdict: verdictOf(goal, limit, holds, isFullSize),
    note,
  };
}

/** A line that explains why there is no figure. */
export function notMeasured({ goal }: Pick<Goal, 'goal'>, why: string): GoalLine {
  return { goal, measured: '', target: '', stretch: '', verdict: 'not measured', note: why };
}

function verdictOf(
  goal: Goal,
  limit: number | undefined,
  holds: (limit: number) => boolean,
  isFullSize: boolean,
): Verdict {
  if (limit === undefined) return 'shown';
  if (goal.stretch !== undefined && holds(goal.stretch)) return 'stretch held';
  if (holds(limit)) return 'held';
  return isFullSize ? 'missed' : 'small';
}

function significant(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
