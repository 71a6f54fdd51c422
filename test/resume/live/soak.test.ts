import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../support/random';
import { runSize } from '../../support/runSize';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { SoakDisk } from './soak/soakDisk';
import { type SoakPlace, type SoakViews, SoakWindow, SPEED } from './soak/soakWindow';

const SEED = Number(process.env['RETHREAD_SEED'] ?? 23);
const CHECKPOINTS = Number(process.env['RETHREAD_CHECKPOINTS'] ?? (runSize().isFull ? 1000 : 12));
/** Changes before each checkpoint, and the milliseconds of real time between two of them: at most these. */
const MAX_CHANGES = 15;
const MAX_PAUSE_MS = 19;
/** So often, the person looks at other sessions. */
const OTHER_VIEWS_EVERY = 4;
/** So often, the window is left to itself, and what belongs to no open folder is found by the slow polls alone. */
const LEFT_ALONE_EVERY = 6;
/** In real time: a failure takes that long. */
const MAX_WAIT_MS = 10_000;
const LOOK_MS = 10;

describe('A window that stays open while everything changes', () => {
  /**
   * The time of the worker runs fifty times as fast as that of this process (`fastTime.cjs`), so 72 seconds of changes are one of its
   * hours: the polls, the rests and the ages of files are those of that hour, and there are as many changes as in fifty hours.
   * Between checkpoints, changes are made without regard to what the worker is doing. At a checkpoint, nothing changes until what
   * each view shows equals what a new worker reads.
   */
  it(`shows what a fresh reading shows, at each of ${CHECKPOINTS} checkpoints (seed ${SEED})`, async function () {
    this.timeout(CHECKPOINTS * 4_000 + 60_000);
    await withTemporaryFolder(async (folder) => {
      const random = createRandom(SEED);
      const startMs = Date.now();
      const configDir = join(folder, '.claude');
      const folders = ['app', 'library', 'elsewhere', 'archive'].map((name) => join(folder, 'work', name));
      const [app = '', library = '', ...others] = folders;
      const disk = new SoakDisk(
        configDir,
        [app, library, ...others],
        random,
        () => startMs + (Date.now() - startMs) * SPEED,
      );
      const place: SoakPlace = { configDir, cacheDir: null, workspaceFolders: [app, library], startMs };
      const window = new SoakWindow({ ...place, cacheDir: join(folder, 'cache') });
      let spare = new SoakWindow(place);
      let fresh: SoakWindow | null = null;
      let writingMs = 0;
      const waits: number[] = [];
      try {
        let views = chooseViews(disk, random);
        await window.open(views);
        for (let checkpoint = 1; checkpoint <= CHECKPOINTS; checkpoint++) {
          const beganMs = performance.now();
          for (let changes = 1 + random.below(MAX_CHANGES); changes > 0; changes--) {
            disk.change();
            await sleep(random.below(MAX_PAUSE_MS));
          }
          writingMs += performance.now() - beganMs;
          const reader = (fresh = spare);
          spare = new SoakWindow(place);
          const stoppedMs = performance.now();
          const isLeftAlone = checkpoint % LEFT_ALONE_EVERY === 0;
          const opened = reader.open(views);
          if (!isLeftAlone) await window.comeBack();
          await opened;
          const isEqual = (): boolean => isDeepStrictEqual(window.shown(), reader.shown());
          while (!isEqual() && performance.now() - stoppedMs < MAX_WAIT_MS) await sleep(LOOK_MS);
          waits.push(performance.now() - stoppedMs);
          const [shown, expected] = [window.shown(), reader.shown()];
          for (const name of Object.keys(expected))
            assert.deepEqual(shown[name], expected[name], `${name} at checkpoint ${checkpoint}`);
          await reader.close();
          // An ended worker answers nothing.
          fresh = null;
          if (checkpoint % OTHER_VIEWS_EVERY !== 0) continue;
          views = chooseViews(disk, random);
          await window.show(views);
        }
        assert.deepEqual(window.alarms, [], 'no alarm is right');
        assert.deepEqual(window.warnings, []);
        waits.sort((a, b) => a - b);
        const at = (part: number): string =>
          (((waits[Math.floor(part * (waits.length - 1))] ?? 0) * SPEED) / 1000).toFixed(1);
        console.log(
          `      ${CHECKPOINTS} checkpoints, ${((writingMs * SPEED) / 60_000).toFixed(0)} min of changes: ` +
            [...disk.counts].map(([kind, count]) => `${kind} ${count}`).join(', ') +
            `; equal after ${at(0.5)} s (median), ${at(0.95)} s (95 %), ${at(1)} s (all) of the worker's time`,
        );
      } finally {
        disk.stop();
        for (const each of [window, spare, fresh]) await each?.close();
      }
    });
  });
});

function chooseViews({ paths }: SoakDisk, random: Random): SoakViews {
  const any = (): string => paths[random.below(paths.length)] ?? '';
  return { conversations: [...new Set([any(), any(), any()])], tasks: any() };
}
