import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChance } from '../bench/corpus/chance';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { prompt, reply, transcript } from '../support/transcriptBuilder';
import { MeasuredWindow, type MeasuredWindowParts } from './measuredWindow';
import './page/pageProbe';
import type { ListChanges } from './page/listChanges';
import type { WindowSizes } from './windowSizes';

/** The filter of a list of many sessions. */
export interface ListFilter {
  readonly sessions: number;
  /** Milliseconds from each key, a letter or Backspace, until the list with what is found then was painted. */
  readonly keys: readonly number[];
}

const SESSIONS_OF_PROJECT = 50;
const TYPED = 'lighthousekeeper';
/** Enough for the page of tokens to load, and to say how wide the side bar is. */
const PAGE_LOAD_MS = 2000;
/** A list that has not changed for so long is complete. VS Code holds changes back for up to 200 ms. */
const QUIET_MS = 350;
/** A key that has changed nothing for so long changes nothing. */
const MAX_CHANGE_MS = 5000;
const SEED = 7;

/** Types a word into the filter of the list, and takes it back, in a window of its own. */
export function measureListFilter(
  { listed, filterRounds }: Pick<WindowSizes, 'listed' | 'filterRounds'>,
  parts: Omit<MeasuredWindowParts, 'folder'>,
): Promise<ListFilter> {
  return withTemporaryFolder(async (folder) => {
    writeSessions(join(folder, 'home', '.claude', 'projects'), listed);
    const window = await MeasuredWindow.open({ ...parts, folder });
    try {
      return { sessions: listed, keys: await typed(window, filterRounds) };
    } finally {
      await window.stop();
    }
  });
}

async function typed(window: MeasuredWindow, rounds: number): Promise<number[]> {
  const { page } = window;
  await window.ask('showFilter', null);
  await page.locator('.quick-input-widget input:visible').first().waitFor();
  // The page below the list says how wide the side bar is when it has loaded, and the list is drawn again.
  await page.locator('iframe.webview.ready').first().waitFor();
  await sleep(PAGE_LOAD_MS);
  const watch = await page.evaluateHandle(() => globalThis.window.rethreadProbe.watchList());
  const settled = async (): Promise<ListChanges> => {
    for (;;) {
      const { changedMs } = await watch.evaluate((changes) => changes());
      await sleep(QUIET_MS);
      const now = await watch.evaluate((changes) => changes());
      // On a busy machine, a key can take longer.
      const isAwaited = now.keyMs !== null && changedMs === null && Date.now() < now.keyMs + MAX_CHANGE_MS;
      if (now.changedMs === changedMs && !isAwaited) return now;
    }
  };
  await settled();
  const keys: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const key of [...TYPED.split(''), ...Array.from(TYPED, () => 'Backspace')]) {
      await page.keyboard.press(key);
      const { keyMs, changedMs } = await settled();
      if (keyMs === null || changedMs === null) throw new Error(`Failed to see what ${key} changes in the list`);
      keys.push(changedMs - keyMs);
    }
  }
  return keys;
}

/** Each further letter of the word excludes some sessions of every project. */
function writeSessions(projects: string, count: number): void {
  const chance = createChance(SEED);
  for (let at = 0; at < count; at++) {
    const folder = join(projects, `-home-dev-harbour-${Math.floor(at / SESSIONS_OF_PROJECT)}`);
    mkdirSync(folder, { recursive: true });
    const title = `${TYPED.slice(0, at % (TYPED.length + 1))} ${at}`;
    const rows = [prompt('p', null, { message: { role: 'user', content: title } }), reply('r', 'p')];
    writeFileSync(join(folder, `${chance.uuid()}.jsonl`), transcript(rows));
  }
}
