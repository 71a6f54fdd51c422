import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Place } from '../../../rewind/support/place';
import { FaultyFs } from '../../storage/faultyFs';
import { PROMPT, sessionWith, writeFile } from './oneFile';
import { backup, requestOf, rewindsWith, safetyFolders, type TestRewinds, withPlace } from './rewindFixture';
import { sessionRefOf } from '../../../rooms/format';

const DAY_MS = 24 * 60 * 60 * 1000;
const OTHER = '55555555-5555-4555-8555-555555555555';

interface Scene {
  readonly place: Place;
  readonly fs: FaultyFs;
  readonly rewinds: TestRewinds;
  /** The given number of rewinds with changes, a day apart. Afterwards the file is as Claude left it. */
  readonly rewind: (times: number) => Promise<void>;
  readonly pass: (days: number) => void;
}

async function withScene(use: (scene: Scene) => Promise<void>): Promise<void> {
  await withPlace(async (place) => {
    sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
    const path = writeFile(place, 'a.txt', 'is\n');
    let nowMs = Date.UTC(2026, 0, 1);
    let drawn = 0;
    const fs = new FaultyFs();
    const write = { fs, now: () => nowMs, random: () => `token${++drawn}` };
    const rewinds = rewindsWith(place, fs, { write });
    await use({
      place,
      fs,
      rewinds,
      pass: (days) => {
        nowMs += days * DAY_MS;
      },
      async rewind(times) {
        for (let at = 0; at < times; at++) {
          nowMs += DAY_MS;
          writeFileSync(path, `edit ${drawn}\n`);
          assert.equal((await rewinds.rewind(requestOf(place, PROMPT))).reason, null);
        }
      },
    });
  });
}

/** From here on, the rewinds of this session belong to another session. */
function makeOthers(place: Place): string {
  const folder = join(place.configDir, 'rethread', 'rewinds', OTHER);
  renameSync(join(dirname(folder), place.sessionId), folder);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name, 'manifest.json');
    // SAFETY: a manifest, or one of a later version, which lacks such fields.
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as { readonly filePath?: string };
    if (manifest.filePath === undefined) continue;
    const filePath = join(dirname(manifest.filePath), `${OTHER}.jsonl`);
    writeFileSync(path, JSON.stringify({ ...manifest, sessionId: OTHER, filePath }));
  }
  return folder;
}

describe('Safety snapshots', () => {
  it('of a session are kept for 30 days, and the newest 20 for longer, whatever the files are', () =>
    withScene(async ({ place, rewind, rewinds, pass }) => {
      await rewind(25);
      assert.equal(safetyFolders(place).length, 25);
      pass(8);
      await rewind(1);
      assert.equal(safetyFolders(place).length, 22);
      pass(200);
      await rewind(1);
      assert.equal(safetyFolders(place).length, 20);
      pass(200);
      // An undone rewind and an undo count like any other.
      await rewinds.undoRewind(sessionRefOf(place.filePath));
      assert.equal(safetyFolders(place).length, 20);
    }));

  it('that are unfinished are kept, as are those that only a later version can read', () =>
    withScene(async ({ place, rewind, pass }) => {
      await rewind(22);
      const [, , , ...old] = safetyFolders(place);
      const later = old.at(-1) ?? '';
      writeFileSync(join(later, 'manifest.json'), '{"format":2}');
      pass(200);
      await rewind(1);
      assert.ok(existsSync(join(later, 'files', '0')));
      assert.equal(safetyFolders(place).length, 21);
      const folder = makeOthers(place);
      for (const name of readdirSync(folder)) rmSync(join(folder, name, 'done'));
      pass(200);
      await rewind(1);
      assert.equal(readdirSync(folder).length, 21);
    }));

  it('of all other sessions are checked with each rewind or undo, once a day', () =>
    withScene(async ({ place, rewind, rewinds, pass }) => {
      await rewind(25);
      const folder = makeOthers(place);
      writeFileSync(join(dirname(place.filePath), `${OTHER}.jsonl`), '{}\n');
      pass(200);
      // One from an interrupted removal, one from a rewind that never started.
      const [cut = '', begun = ''] = readdirSync(folder).map((name) => join(folder, name));
      rmSync(join(cut, 'manifest.json'));
      rmSync(join(begun, 'manifest.json'));
      rmSync(join(begun, 'done'));
      await rewind(1);
      assert.equal(readdirSync(folder).length, 20);
      const names = readdirSync(folder);
      mkdirSync(join(folder, `000000000000001-old`));
      await rewinds.undoRewind(sessionRefOf(place.filePath));
      assert.equal(readdirSync(folder).length, 21);
      pass(1.1);
      await rewind(1);
      assert.deepEqual(readdirSync(folder), names);
    }));

  it('of a deleted session are all removed after 30 days, together with their folder', () =>
    withScene(async ({ place, rewind, pass }) => {
      await rewind(2);
      const folder = makeOthers(place);
      pass(20);
      await rewind(1);
      assert.equal(readdirSync(folder).length, 2);
      // It was moved to another project.
      const elsewhere = join(dirname(dirname(place.filePath)), '-elsewhere');
      mkdirSync(elsewhere);
      writeFileSync(join(elsewhere, `${OTHER}.jsonl`), '{}\n');
      pass(40);
      await rewind(1);
      assert.equal(readdirSync(folder).length, 2);
      rmSync(elsewhere, { recursive: true });
      await rewind(1);
      assert.equal(existsSync(folder), false);
    }));

  it('are kept when it is unclear whether their session was deleted', () =>
    withScene(async ({ place, fs, rewind, pass }) => {
      await rewind(2);
      const folder = makeOthers(place);
      const projects = join(place.configDir, 'projects');
      fs.faultOf = ({ name, path }) =>
        name === 'readdir' && path === projects ? { kind: 'fails', code: 'EACCES' } : null;
      pass(40);
      await rewind(1);
      assert.equal(readdirSync(folder).length, 2);
      fs.faultOf = () => null;
      pass(1);
      await rewind(1);
      assert.equal(existsSync(folder), false);
    }));
});
