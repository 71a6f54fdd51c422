import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearLeftRecords, findLeftRecords } from '../../rooms/history';
import { nodeWriteFs } from '../../rooms/storage';
import { FaultyFs, type FsCall } from '../storage/faultyFs';
import { ageLock, backup, requestOf, rewindsWith, safetyFolders, withPlace } from './rewind/rewindFixture';
import { PROMPT, sessionWith, writeFile } from './rewind/oneFile';
import type { Place } from '../../rewind/support/place';

const deps = { fs: nodeWriteFs, now: Date.now, random: () => Math.random().toString(36).slice(2) };

/** A rewind of one file whose process dies before a call. */
async function dieAt(place: Place, isLast: (call: FsCall) => boolean): Promise<string> {
  sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
  const path = writeFile(place, 'a.txt', 'is\n');
  const fs = new FaultyFs();
  fs.faultOf = (call) => (isLast(call) ? { kind: 'dies', when: 'before' } : null);
  await Promise.race([rewindsWith(place, fs).rewind(requestOf(place, PROMPT)), fs.died]);
  await fs.closeAll();
  return path;
}

describe('What a killed process has left in the config folder', () => {
  it('is found and cleared: the lock and the snapshot of a rewind that never began', () =>
    withPlace(async (place) => {
      const path = await dieAt(place, ({ name, path: at }) => name === 'open create' && at.endsWith('files/0'));
      assert.deepEqual(await findLeftRecords(place.configDir, deps), [], 'its process may be at work');
      assert.equal(safetyFolders(place).length, 1);
      ageLock(place);
      const found = await findLeftRecords(place.configDir, deps);
      assert.deepEqual(
        [...found].sort(),
        [join(place.configDir, 'rethread', 'rewinds.lock'), ...safetyFolders(place)].sort(),
      );
      assert.deepEqual(await clearLeftRecords(place.configDir, deps), []);
      assert.deepEqual(safetyFolders(place), []);
      assert.equal(existsSync(join(place.configDir, 'rethread', 'rewinds.lock')), false);
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
    }));

  it('does not include a rewind that has begun: its snapshot may be the only copy', () =>
    withPlace(async (place) => {
      const path = await dieAt(place, ({ name, path: at }) => name === 'link' && at.endsWith('a.txt'));
      ageLock(place);
      assert.deepEqual(await clearLeftRecords(place.configDir, deps), []);
      assert.equal(safetyFolders(place).length, 1);
      assert.deepEqual(
        (await rewindsWith(place).recoverRewinds([place.cwd])).map(({ restored }) => restored),
        [[path]],
      );
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
    }));

  it('is found and cleared: the unfinished copies and folders of a hook, once they are old', () =>
    withPlace(async (place) => {
      const sessions = join(place.configDir, 'rethread', 'checkpoints', 'sessions');
      const files = join(sessions, place.sessionId, 'files');
      const hidden = join(sessions, '.new-1');
      for (const folder of [files, hidden]) mkdirSync(folder, { recursive: true });
      const paths = [join(files, 'a.tmp'), join(sessions, place.sessionId, 'checkpoints.jsonl.b.tmp')];
      for (const path of paths) writeFileSync(path, 'half');
      const kept = join(files, 'whole');
      writeFileSync(kept, 'whole');
      assert.deepEqual(await findLeftRecords(place.configDir, deps), []);
      const past = Date.now() / 1000 - 3600;
      for (const path of [...paths, hidden, kept]) utimesSync(path, past, past);
      assert.deepEqual((await findLeftRecords(place.configDir, deps)).length, 3);
      assert.deepEqual(await clearLeftRecords(place.configDir, deps), []);
      assert.deepEqual([...paths, hidden, kept].map(existsSync), [false, false, false, true]);
    }));
});
