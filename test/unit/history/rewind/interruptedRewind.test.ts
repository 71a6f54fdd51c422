import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../../../rewind/support/place';
import { FaultyFs, type FsCall } from '../../storage/faultyFs';
import { notesOf, planOf, PROMPT, rewindOf, sessionWith, writeFile } from './oneFile';
import { ageLock, backup, requestOf, rewindsWith, safetyFolders, withPlace } from './rewindFixture';
import { sessionRefOf } from '../../../rooms/format';

interface TwoFiles {
  readonly a: string;
  readonly b: string;
}

function makeTwo(place: Place): TwoFiles {
  sessionWith(place, {
    'a.txt': backup(place, 'a.txt', 1, 'was\n'),
    'b.txt': backup(place, 'b.txt', 1, 'was\n'),
  });
  return { a: writeFile(place, 'a.txt', 'is\n'), b: writeFile(place, 'b.txt', 'is\n') };
}

/** Two files. A rewind had changed the first when its process died. */
async function interrupt(place: Place): Promise<TwoFiles> {
  const { a, b } = makeTwo(place);
  const fs = new FaultyFs();
  fs.faultOf = ({ name, path }) => (name === 'link' && path === a ? { kind: 'dies', when: 'after' } : null);
  await Promise.race([rewindsWith(place, fs).rewind(requestOf(place, PROMPT)), fs.died]);
  await fs.closeAll();
  ageLock(place);
  assert.deepEqual([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')], ['was\n', 'is\n']);
  return { a, b };
}

describe('An interrupted rewind', () => {
  it('is reported by a preview, a dry run and the list of checkpoints, which revert nothing', async () => {
    await withPlace(async (place) => {
      const { a } = await interrupt(place);
      const rewinds = rewindsWith(place);
      assert.match(notesOf(await planOf(place), 'other')[0] ?? '', /^A rewind of this session was interrupted/);
      const { result } = await rewinds.dryRun(requestOf(place, PROMPT));
      assert.match(result.coverage?.notCovered[0] ?? '', /^A rewind of this session was interrupted/);
      const { warning } = await rewinds.listCheckpoints(sessionRefOf(place.filePath), null);
      assert.match(warning ?? '', /^A rewind of this session was interrupted/);
      assert.equal(readFileSync(a, 'utf8'), 'was\n');
    });
  });

  it('is reverted by the next rewind, which reports it and requires a fresh preview', async () => {
    await withPlace(async (place) => {
      const { a, b } = await interrupt(place);
      const { token } = await planOf(place);
      const refused = await rewindOf(place, { token });
      assert.equal(refused.reason, 'put-back-first');
      assert.match(refused.result.error ?? '', /was put back first\. Look at the preview again\.$/);
      assert.deepEqual([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')], ['is\n', 'is\n']);
      const again = await planOf(place);
      assert.deepEqual(notesOf(again, 'other'), []);
      assert.equal((await rewindOf(place, { token: again.token })).reason, null);
      assert.deepEqual([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')], ['was\n', 'was\n']);
    });
  });

  it('is also reported by a rewind that continues, and by one that is refused for another reason', async () => {
    await withPlace(async (place) => {
      await interrupt(place);
      const live = { liveness: () => Promise.resolve({ live: 'live', why: null } as const) };
      const refused = await rewindsWith(place, undefined, live).rewind(requestOf(place, PROMPT));
      assert.equal(refused.reason, 'live');
      assert.match(refused.warning ?? '', /was put back first/);
    });
    await withPlace(async (place) => {
      const { b } = await interrupt(place);
      const { reason, warning } = await rewindOf(place);
      assert.equal(reason, null);
      assert.match(warning ?? '', /was put back first/);
      assert.equal(readFileSync(b, 'utf8'), 'was\n');
    });
  });

  it('leaves nothing in the config folder behind the next command, even if that has nothing to do', async () => {
    const leftIn = (place: Place): readonly string[] => {
      const folder = join(place.configDir, 'rethread');
      const sessions = join(folder, 'rewinds');
      const names = readdirSync(folder).filter((name) => name.endsWith('.lock'));
      return existsSync(sessions) ? [...names, ...safetyFolders(place)] : names;
    };
    await withPlace(async (place) => {
      makeTwo(place);
      const dieAt = async (isThere: (call: FsCall) => boolean): Promise<void> => {
        const fs = new FaultyFs();
        fs.faultOf = (call) => (isThere(call) ? { kind: 'dies', when: 'before' } : null);
        await Promise.race([rewindsWith(place, fs).rewind(requestOf(place, PROMPT)), fs.died]);
        await fs.closeAll();
      };
      await dieAt(({ name, path }) => name === 'open create' && path.endsWith('manifest.json.tmp'));
      assert.equal(leftIn(place).length, 2);
      const undo = () => rewindsWith(place).undoRewind(sessionRefOf(place.filePath));
      assert.equal((await undo()).reason, 'nothing-to-undo');
      assert.equal(leftIn(place).length, 2, 'the process may still be at work');
      ageLock(place);
      assert.equal((await undo()).reason, 'nothing-to-undo');
      assert.deepEqual(leftIn(place), []);
      await dieAt(({ name, path }) => name === 'rmdir' && path.endsWith('.lock'));
      assert.equal(leftIn(place).length, 2);
      ageLock(place);
      assert.equal((await rewindOf(place)).reason, null);
      assert.deepEqual(leftIn(place), safetyFolders(place));
    });
  });

  it('may be an undo of the files that another undo left alone: it is reverted for these files only', async () => {
    let calls = Infinity;
    for (let at = 0; at < calls; at += 5) {
      await withPlace(async (place) => {
        const { a, b } = makeTwo(place);
        await rewindOf(place);
        writeFileSync(a, 'edited\n');
        await rewindsWith(place).undoRewind(sessionRefOf(place.filePath));
        for (const path of [a, b]) writeFileSync(path, 'was\n');
        const fs = new FaultyFs();
        fs.faultOf = ({ index }) => (index === at ? { kind: 'dies', when: 'after' } : null);
        const ended = await Promise.race([rewindsWith(place, fs).undoRewind(sessionRefOf(place.filePath)), fs.died]);
        await fs.closeAll();
        if (ended !== 'died') calls = 0;
        ageLock(place);
        const again = await rewindsWith(place, new FaultyFs()).undoRewind(sessionRefOf(place.filePath));
        assert.ok(again.reason === null || again.reason === 'nothing-to-undo', `${at}: ${again.result.error ?? ''}`);
        assert.deepEqual([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')], ['is\n', 'was\n'], String(at));
      });
    }
  });

  it('is reverted only inside the project folder', async () => {
    await withPlace(async (place) => {
      await interrupt(place);
      const moved = join(place.root, 'moved');
      renameSync(place.cwd, moved);
      assert.equal((await rewindOf(place)).reason, 'folder-gone');
      assert.equal((await rewindsWith(place).undoRewind(sessionRefOf(place.filePath))).reason, 'folder-gone');
      assert.equal(existsSync(place.cwd), false);
      renameSync(moved, place.cwd);
      assert.equal((await rewindsWith(place).undoRewind(sessionRefOf(place.filePath))).reason, null);
      assert.equal(readFileSync(join(place.cwd, 'a.txt'), 'utf8'), 'is\n');
    });
  });
});

describe('A deleted project folder', () => {
  it('prevents its files from being rewound, and is not created again', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      writeFile(place, 'a.txt', 'is\n');
      renameSync(place.cwd, join(place.root, 'moved'));
      const plan = await planOf(place);
      assert.match(plan.problem ?? '', new RegExp(`^The project folder ${place.cwd} is gone`));
      assert.deepEqual(plan.files, []);
      const { checkpoints, warning } = await rewindsWith(place).listCheckpoints(sessionRefOf(place.filePath), null);
      assert.equal(warning, plan.problem);
      assert.deepEqual(
        checkpoints.map(({ problem }) => problem),
        [plan.problem],
      );
      assert.equal((await rewindOf(place)).reason, 'folder-gone');
      assert.equal(existsSync(place.cwd), false);
    });
  });

  it('is put back at the next start, for all sessions, once', async () => {
    await withPlace(async (place) => {
      const { a, b } = await interrupt(place);
      const rewinds = rewindsWith(place);
      const [recovered, ...others] = await rewinds.recoverRewinds([place.cwd]);
      assert.deepEqual(others, []);
      assert.deepEqual([recovered?.restored, recovered?.leftAlone, recovered?.problem], [[a], [], null]);
      assert.equal(recovered?.filePath, place.filePath);
      assert.deepEqual([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')], ['is\n', 'is\n']);
      assert.deepEqual(await rewinds.recoverRewinds([place.cwd]), []);
    });
  });

  it('is left as it is at the next start by a window without its folder, and while a client may run the session', async () => {
    await withPlace(async (place) => {
      const { a } = await interrupt(place);
      const problemOf = async (roots: readonly string[], parts: Parameters<typeof rewindsWith>[2] = {}) =>
        (await rewindsWith(place, undefined, parts).recoverRewinds(roots))[0]?.problem ?? '';
      assert.match(await problemOf([join(place.home, 'other')]), /has to be undone first/);
      const liveness = () => Promise.resolve({ live: 'maybe-live' as const, why: 'A record is torn.' });
      assert.match(await problemOf([place.cwd], { liveness }), /^A record is torn\./);
      assert.equal(readFileSync(a, 'utf8'), 'was\n');
    });
  });

  it('is not disturbed while its process is at work', async () => {
    await withPlace(async (place) => {
      const { a, b } = makeTwo(place);
      const fs = new FaultyFs();
      let answers: unknown = null;
      const asked: Promise<void>[] = [];
      fs.beforeCall = ({ name, path }) => {
        if (name !== 'link' || path !== b || asked.length > 0) return;
        asked.push(
          rewindsWith(place)
            .recoverRewinds([place.cwd])
            .then((all) => void (answers = all.map(({ problem }) => problem))),
        );
      };
      assert.equal((await rewindsWith(place, fs).rewind(requestOf(place, PROMPT))).reason, null);
      await Promise.all(asked);
      assert.ok(Array.isArray(answers) && answers.every((problem) => problem !== null));
      assert.deepEqual([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')], ['was\n', 'was\n']);
    });
  });
});
