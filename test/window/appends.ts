import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createChance } from '../bench/corpus/chance';
import type { MeasuredWindow } from './measuredWindow';
import './page/pageProbe';
import type { WindowSessions } from './windowSessions';
import type { WindowSizes } from './windowSizes';

/** Longer than the product's polling interval, so that rows arrive at any moment of it. */
const MAX_REST_MS = 700;
const SEED = 2;

/** Milliseconds from writing each row to painting it, at the end of an open session. */
export async function measureAppends(
  window: MeasuredWindow,
  { growing }: WindowSessions,
  { appends }: WindowSizes,
): Promise<number[]> {
  const chance = createChance(SEED);
  await window.ask('open', { filePath: growing });
  const panel = window.panel();
  await panel.locator('.item').first().waitFor();
  let parentUuid = lastUuid(growing);
  const shownMs: number[] = [];
  for (let append = 0; append < appends; append++) {
    const uuid = chance.uuid();
    const text = `Appended row ${uuid}`;
    const painted = panel.evaluate((_body, said) => globalThis.window.rethreadProbe.paintedWith(said), text);
    await sleep(chance.between(100, MAX_REST_MS));
    const writtenMs = Date.now();
    appendFileSync(growing, `${JSON.stringify(rowOf(uuid, parentUuid, text))}\n`);
    shownMs.push((await painted) - writtenMs);
    parentUuid = uuid;
  }
  await window.closePanels();
  return shownMs;
}

function lastUuid(filePath: string): string | null {
  const lines = readFileSync(filePath, 'utf8').trimEnd().split('\n').slice(-50);
  const uuids = lines.flatMap((line) => /"parentUuid":.*"uuid":"([^"]+)"/.exec(line)?.[1] ?? []);
  return uuids.at(-1) ?? null;
}

function rowOf(uuid: string, parentUuid: string | null, text: string): object {
  const message = { role: 'user', content: text };
  return { parentUuid, isSidechain: false, type: 'user', message, uuid, timestamp: new Date().toISOString() };
}
