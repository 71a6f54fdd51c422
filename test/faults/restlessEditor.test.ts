import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeWriteFs, type WriteFs } from '../rooms/storage';
import { PROMPT, sessionWith, writeFile } from '../unit/history/rewind/oneFile';
import type { EditorTask } from './support/restlessEditor';
import { textsIn, textsLeft } from '../unit/history/rewind/restlessFiles';
import { hashOf, linesOf } from './support/contents';
import { faultSize } from './support/faultSize';
import { backup, litterIn, requestOf, rewindsWith, withPlace } from '../unit/history/rewind/rewindFixture';

const { isFull, rewinds: REWINDS, seed } = faultSize();
const MAX_REWINDS = 20 * REWINDS;
const NAMES = ['a.txt', 'b.txt', 'c.txt'] as const;

/** The numbers of the editor's writes that are in the texts. */
function numbersIn(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap((text) => [...text.matchAll(/<(\d+)>/g)].map(([, number]) => number ?? '')));
}

/** What rewinds did to the files of the project. */
interface Exchanged {
  /** Texts that came back to a path. From then on, it is the editor that may overwrite them. */
  readonly putBack: string[];
  /** Hashes of the lines that stood on disk when a file was taken away from its path. */
  readonly displaced: Set<string>;
}

/** The real file system, which remembers that; no editor can tell what stood at a path when its rename took effect. */
function rememberingFs(folder: string, { putBack, displaced }: Exchanged): WriteFs {
  return {
    ...nodeWriteFs,
    link(from, target) {
      if (target.startsWith(folder) && lstatSync(from).isFile()) putBack.push(readFileSync(from, 'utf8'));
      return nodeWriteFs.link(from, target);
    },
    async rename(from, target) {
      await nodeWriteFs.rename(from, target);
      if (from.startsWith(folder)) for (const hash of lineHashes([readFileSync(target)])) displaced.add(hash);
    },
  };
}

function lineHashes(contents: readonly (Buffer | string)[]): string[] {
  return contents.flatMap((content) => linesOf(Buffer.from(content)).map(hashOf));
}

describe('An editor that saves, renames over, appends and deletes at random', function () {
  this.timeout(600_000);

  it(`loses nothing to ${REWINDS} rewinds, each of which is complete or refused`, async () => {
    await withPlace(async (place) => {
      const kept = NAMES.map((name): [string, object] => [
        name,
        backup(place, name, 1, name === 'b.txt' ? null : `was ${name}\n`),
      ]);
      sessionWith(place, Object.fromEntries(kept));
      for (const name of NAMES) writeFile(place, name, `is ${name}\n`);
      const task: EditorTask = {
        files: NAMES.map((name) => join(place.cwd, name)),
        heldFolder: join(place.root, 'held'),
        writtenPath: join(place.root, 'written'),
        overwrittenPath: join(place.root, 'overwritten'),
        seed,
      };
      const editor = spawn(
        process.execPath,
        ['-r', 'tsx/cjs', join(__dirname, 'support', 'restlessEditor.ts'), JSON.stringify(task)],
        { stdio: ['pipe', 'pipe', 'inherit'] },
      );
      const ended = once(editor, 'exit');
      await once(editor.stdout, 'data');
      const exchanged: Exchanged = { putBack: [], displaced: new Set() };
      let done = 0;
      let told = 0;
      try {
        // On a busy machine, the editor can be faster than all of them: then some more follow until one exchanges a file.
        for (let at = 0; at < REWINDS || (exchanged.displaced.size === 0 && at < MAX_REWINDS); at++) {
          const rewinds = rewindsWith(place, rememberingFs(place.cwd, exchanged));
          const { reason, safetyPath, result } = await rewinds.rewind(
            requestOf(place, PROMPT, { skipObstacles: true }),
          );
          if (reason === null && safetyPath !== null) done += 1;
          assert.ok(reason === null || reason === 'changed-since-preview', `${String(reason)}: ${result.error ?? ''}`);
          if (reason !== null && safetyPath !== null) told += 1;
        }
      } finally {
        editor.stdin.end();
        await ended;
      }
      assert.equal(editor.exitCode, 0);
      const written = numbersIn([readFileSync(task.writtenPath, 'utf8')]);
      const overwritten = existsSync(task.overwrittenPath) ? [readFileSync(task.overwrittenPath, 'utf8')] : [];
      const texts = [...textsLeft(place), ...textsIn(task.heldFolder), ...overwritten, ...exchanged.putBack];
      const left = numbersIn(texts);
      const hashes = new Set(lineHashes(texts));
      console.log(`      ${written.size} writes, ${done} rewinds done, ${told} refused afterwards (seed ${task.seed})`);
      assert.deepEqual(
        [...written].filter((number) => !left.has(number)),
        [],
      );
      assert.ok(exchanged.displaced.size > 0);
      assert.deepEqual(
        [...exchanged.displaced].filter((hash) => !hashes.has(hash)),
        [],
      );
      assert.deepEqual(litterIn(place.cwd), []);
      assert.ok(written.size > 0);
      if (isFull) assert.ok(done > 0 && told > 0);
    });
  });
});
