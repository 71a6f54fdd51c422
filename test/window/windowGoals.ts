import type { GoalLine } from '../bench/goal';
import { judge } from '../bench/goal';
import { spreadOf, type Spread } from '../bench/rounds';
import { dataMs, type Opening } from './openings';
import type { SeedOpening } from './probe/probeApi';
import type { WindowFigures } from './windowFigures';

const MB = 1e6;

/** The measurements, compared with the promises. */
export function windowGoals(figures: WindowFigures, isFull: boolean): readonly GoalLine[] {
  return [
    ...openingGoals(figures, isFull),
    ...appendGoals(figures, isFull),
    memoryGoal(figures, isFull),
    filterGoal(figures, isFull),
  ];
}

/**
 * The time of the common design for the data as a multiple of ours, without the creation of the page, which both need.
 */
export function dataRatio({ openings: { ours, seedData } }: WindowFigures): number {
  return medianOf(seedData.map(seedDataMs)) / medianOf(ours.map(dataMs));
}

/** The value that the given fraction of the values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

function openingGoals(figures: WindowFigures, isFull: boolean): GoalLine[] {
  const { sessionBytes, openings } = figures;
  const { first, ours, seed, seedData } = openings;
  const name = `A session of ${(sessionBytes / MB).toFixed(0)} MB opened`;
  const painted = ours.map((each) => each.painted);
  const received = ours.map(({ steps }) => steps.get('answer there') ?? NaN);
  const seedWhole = seed.map((each) => each.receivedMs - each.startedMs);
  const crossed = spreadOf(ours.map((each) => each.crossed));
  const inFile = (bytes: number): number => bytes / sessionBytes;
  return [
    judge(
      { goal: `${name}: command → first screen painted, median`, unit: 'ms', atMost: 300 },
      { wall: spreadOf(painted) },
      isFull,
      `${ours.length} openings; ${medianSteps(ours)}`,
    ),
    judge({ goal: `${name}: p95`, unit: 'ms' }, { wall: single(quantile(painted, 0.95)) }, isFull),
    judge(
      { goal: `${name}: the first panel of a window`, unit: 'ms' },
      { wall: single(first.painted) },
      isFull,
      stepsOf(first.steps),
    ),
    judge(
      { goal: `${name}: the data, against parsing and posting all of it`, unit: '×', atLeast: 15 },
      { wall: single(dataRatio(figures)) },
      isFull,
      `ours ${ms(medianOf(ours.map(dataMs)))}, the seed way ${ms(medianOf(seedData.map(seedDataMs)))} (${seedParts(seedData)}), both without the making of the page`,
    ),
    judge(
      { goal: `${name}: command → data in the page, against the seed way`, unit: '×' },
      { wall: single(medianOf(seedWhole) / medianOf(received)) },
      isFull,
      `ours ${ms(medianOf(received))}, the seed way ${ms(medianOf(seedWhole))}`,
    ),
    judge(
      { goal: `${name}: share of the file that crosses to the page first`, unit: '%', atMost: 0.01 },
      { wall: { median: inFile(crossed.median), least: inFile(crossed.least), most: inFile(crossed.most) } },
      isFull,
      `${(crossed.median / 1e3).toFixed(0)} KB`,
    ),
  ];
}

function appendGoals({ appends }: WindowFigures, isFull: boolean): GoalLine[] {
  const [p50, p95, most] = [0.5, 0.95, 1].map((share) => quantile(appends, share));
  return [
    judge(
      { goal: 'A row appended to an open session: until it is painted, p95', unit: 'ms', atMost: 300 },
      { wall: single(p95 ?? NaN) },
      isFull,
      `${appends.length} rows; p50 ${ms(p50)}, max ${ms(most)}; the file is looked at every 200 ms`,
    ),
  ];
}

function memoryGoal({ memory: { empty, long } }: WindowFigures, isFull: boolean): GoalLine {
  const mb = (bytes: number): string => (bytes / MB).toFixed(1);
  const [before, after] = empty;
  const [end, beginning, again] = long;
  return judge(
    { goal: 'A session of 100,000 rows scrolled through: memory above an empty panel', unit: 'MB', atMost: 60 },
    { wall: single((Math.max(...long) - before) / MB) },
    isFull,
    `with one row ${mb(before)} MB, afterwards ${mb(after)}; at the end ${mb(end)}, at the beginning ${mb(beginning)}, at the end again ${mb(again)}; the first and the last row are reached`,
  );
}

function filterGoal({ filter: { sessions, keys } }: WindowFigures, isFull: boolean): GoalLine {
  const [p50, p95, most] = [0.5, 0.95, 1].map((share) => quantile(keys, share));
  return judge(
    {
      goal: 'A key in the filter of a list of 10,000 sessions: until the list is painted, p95',
      unit: 'ms',
      atMost: 100,
    },
    { wall: single(p95 ?? NaN) },
    isFull,
    `${sessions} sessions, ${keys.length} keys; p50 ${ms(p50)}, max ${ms(most)}`,
  );
}

function seedDataMs({ readingMs, receivedMs }: SeedOpening): number {
  return receivedMs - readingMs;
}

function seedParts(openings: readonly SeedOpening[]): string {
  const parsing = medianOf(openings.map(({ readingMs, parsedMs }) => parsedMs - readingMs));
  const posting = medianOf(openings.map(({ parsedMs, receivedMs }) => receivedMs - parsedMs));
  return `read and parsed ${ms(parsing)}, posted ${ms(posting)}`;
}

function medianSteps(openings: readonly Opening[]): string {
  const names = new Set(openings.flatMap(({ steps }) => [...steps.keys()]));
  return stepsOf(
    new Map([...names].map((name) => [name, medianOf(openings.map(({ steps }) => steps.get(name) ?? NaN))])),
  );
}

function stepsOf(steps: ReadonlyMap<string, number>): string {
  return [...steps]
    .sort(([, one], [, other]) => one - other)
    .map(([name, value]) => `${name} ${value.toFixed(0)}`)
    .join(', ');
}

function medianOf(values: readonly number[]): number {
  return spreadOf(values).median;
}

function single(value: number): Spread {
  return { median: value, least: value, most: value };
}

function ms(value = NaN): string {
  return `${value.toFixed(0)} ms`;
}
