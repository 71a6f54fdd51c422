import { setTimeout as sleep } from 'node:timers/promises';
import { until, type MeasuredWindow } from './measuredWindow';
import './page/pageProbe';
import type { SeedOpening } from './probe/probeApi';
import type { WindowSessions } from './windowSessions';
import type { WindowSizes } from './windowSizes';

/** One opening of ours. All in milliseconds after the command began. */
export interface Opening {
  /** As seen from outside of the product: the screen is filled, and painted. */
  readonly filled: number;
  readonly painted: number;
  /** What the product itself wrote down, by step. */
  readonly steps: ReadonlyMap<string, number>;
  /** What the page was sent until then, in bytes. */
  readonly crossed: number;
}

export interface Openings {
  /** The very first panel of the window. */
  readonly first: Opening;
  readonly ours: readonly Opening[];
  /** The seed way, reading at once: what a person waits for. */
  readonly seed: readonly SeedOpening[];
  /** The seed way, reading when the page is there: what the data alone take. */
  readonly seedData: readonly SeedOpening[];
}

/** Between two openings, so that what the one before left behind is done. */
const REST_MS = 600;

/** Opens a session that is not open again and again, in turn with the seed way where there are as many of that. */
export async function measureOpenings(
  window: MeasuredWindow,
  { large }: WindowSessions,
  { openings, seedOpenings }: WindowSizes,
): Promise<Openings> {
  const first = await open(window, large);
  const [ours, seed, seedData]: [Opening[], SeedOpening[], SeedOpening[]] = [[], [], []];
  for (let round = 0; round < openings; round++) {
    await sleep(REST_MS);
    ours.push(await open(window, large));
    if (round >= seedOpenings) continue;
    for (const [into, waitsForPage] of [[seed, false] as const, [seedData, true] as const]) {
      await sleep(REST_MS);
      into.push(await window.ask('openSeed', { filePath: large, waitsForPage }));
      await window.closePanels();
    }
  }
  return { first, ours, seed, seedData };
}

async function open(window: MeasuredWindow, filePath: string): Promise<Opening> {
  const { length: linesBefore } = await window.openingLines();
  const startedMs = await window.ask('open', { filePath });
  // Asked for after its time: a question takes the page's own.
  await until(async () => (await window.openingLines()).length > linesBefore, 'the first screen');
  const seen = await window.panel().evaluate(() => globalThis.window.rethreadProbe.seen());
  const { filledMs, paintedMs, crossed } = seen;
  if (filledMs === null || paintedMs === null) throw new Error('Failed to see the first screen');
  const line = (await window.openingLines()).at(-1) ?? '';
  await window.closePanels();
  return {
    filled: filledMs - startedMs,
    painted: paintedMs - startedMs,
    steps: new Map(
      Array.from(line.matchAll(/(?:^|, )(.+?) (-?\d+)(?=,|$)/g), ([, step = '', ms]) => [step, Number(ms)]),
    ),
    crossed,
  };
}

/**
 * What the data take, without the making of the page, which goes on at the same time: the worker's reading, and the way of
 * its answer to the page.
 */
export function dataMs({ steps }: Opening): number {
  const at = (step: string): number => steps.get(step) ?? NaN;
  return at('rows read') + at('answer there') - at('page answered');
}
