import { setTimeout as sleep } from 'node:timers/promises';
import { until, type MeasuredWindow } from './measuredWindow';
import './page/pageProbe';
import type { SeedOpening } from './probe/probeApi';
import type { WindowSessions } from './windowSessions';
import type { WindowSizes } from './windowSizes';

/** One opening of ours. All values are milliseconds after the command began. */
export interface Opening {
  /** As seen from outside the product: the screen is filled, and painted. */
  readonly filled: number;
  readonly painted: number;
  /** The product's own records, by step. */
  readonly steps: ReadonlyMap<string, number>;
  /** Bytes that the page had received until then. */
  readonly crossed: number;
}

export interface Openings {
  /** The very first panel of the window. */
  readonly first: Opening;
  readonly ours: readonly Opening[];
  /** The common design, reading at once: the time that a person waits. */
  readonly seed: readonly SeedOpening[];
  /** The common design, reading when the page is there: the time for the data only. */
  readonly seedData: readonly SeedOpening[];
}

/** The pause between two openings, so that the work of the first is finished. */
const REST_MS = 600;

/** Opens a closed session repeatedly, alternating with the common design where there are as many of those. */
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
  // Requested afterwards, because a request takes time of the page.
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
 * The time for the data, without the creation of the page, which happens at the same time: the worker's reading, and
 * the transfer to the page, as far as the page waits for it.
 */
export function dataMs({ steps }: Opening): number {
  const at = (step: string): number => steps.get(step) ?? NaN;
  return at('rows read') + at('answer there') - Math.max(at('rows read'), at('script ran'));
}
