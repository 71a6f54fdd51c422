// Run as a separate process: `node -r tsx/cjs restlessEditor.ts TASK`, where TASK is JSON. Saves, renames over, appends
// to and deletes files at random until its standard input ends. Each of its writes has a number of its own. It logs, by
// number, what it has written, and what it has itself overwritten.
import {
  appendFileSync,
  closeSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '../../support/random';

export interface EditorTask {
  readonly files: readonly string[];
  /** For what it displaces, on the same file system. */
  readonly heldFolder: string;
  /** Gets a line of text for each write, with the number between `<` and `>`. */
  readonly writtenPath: string;
  /** Gets the texts that it overwrites. */
  readonly overwrittenPath: string;
  readonly seed: number;
}

/** Bursts, with pauses in which a rewind can be complete. */
const MAX_PAUSE_MS = 30;

async function edit({ files, heldFolder, writtenPath, overwrittenPath, seed }: EditorTask): Promise<void> {
  const random = createRandom(seed);
  mkdirSync(heldFolder, { recursive: true });
  let count = 0;
  const state = { isOver: false };
  process.stdin.resume().on('end', () => {
    state.isOver = true;
  });
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch {
      // There is no such file at this moment.
    }
  };
  const acts: readonly ((path: string, text: string, held: string) => void)[] = [
    (path, text) => {
      // The descriptor tells exactly what is overwritten, whatever stands at the path by then.
      const file = openSync(path, 'r+');
      const bytes = Buffer.alloc(fstatSync(file).size);
      readSync(file, bytes, 0, bytes.length, 0);
      appendFileSync(overwrittenPath, bytes);
      ftruncateSync(file);
      writeSync(file, text, 0);
      closeSync(file);
      appendFileSync(writtenPath, text);
    },
    (path, text, held) => {
      writeFileSync(`${path}~`, text);
      attempt(() => {
        linkSync(path, held);
      });
      renameSync(`${path}~`, path);
      appendFileSync(writtenPath, text);
    },
    (path, text) => {
      const file = openSync(path, 'a');
      writeSync(file, text);
      closeSync(file);
      appendFileSync(writtenPath, text);
    },
    (path, _text, held) => {
      renameSync(path, held);
    },
  ];
  process.stdout.write('ready\n');
  while (!state.isOver) {
    const path = files[random.below(files.length)] ?? '';
    const act = acts[random.below(acts.length)];
    count += 1;
    const text = `<${count}>${'x'.repeat(random.below(200))}\n`;
    attempt(() => act?.(path, text, join(heldFolder, String(count))));
    if (random.below(2) === 0) await wait(random.below(MAX_PAUSE_MS));
    else await wait(1);
  }
}

if (require.main === module) {
  // SAFETY: the test that starts this process has written it.
  void edit(JSON.parse(process.argv[2] ?? '') as EditorTask);
}
