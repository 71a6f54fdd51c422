import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readTree, treeDifferences } from '../../../rewind/support/fileTree';
import { HOME } from '../../../rewind/support/place';
import { fileOf, planOf, rewindOf, sessionWith, writeFile } from './oneFile';
import { backup, rewindsWith, SESSION, withPlace } from './rewindFixture';
import { sessionRefOf } from '../../../rooms/format';

describe('The undo of a rewind', () => {
  it('restores bytes, permissions and times, and removes the folders that the rewind had created', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {
        'a.txt': backup(place, 'a.txt', 1, 'was\n', 0o644),
        'made.txt': backup(place, 'made.txt', 1, null),
        'new/deep/c.txt': backup(place, 'new/deep/c.txt', 1, 'gone since\n'),
      });
      const path = writeFile(place, 'a.txt', 'is\n');
      chmodSync(path, 0o751);
      utimesSync(path, 1_700_000_000.123456, 1_700_000_000.123456);
      writeFile(place, 'made.txt', 'made\n');
      const before = readTree(place.root, [HOME]);
      const rewound = await rewindOf(place);
      assert.equal(rewound.reason, null);
      const rewinds = rewindsWith(place);
      const state = await rewinds.rewindState(sessionRefOf(place.filePath));
      assert.equal(typeof state.undoableMs, 'number');
      assert.equal(state.paths.length, 3);
      assert.deepEqual(await rewinds.rewoundSessions(), [SESSION]);
      const outcome = await rewinds.undoRewind(sessionRefOf(place.filePath));
      assert.deepEqual([outcome.reason, outcome.warning], [null, null]);
      const after = readTree(place.root, [HOME]);
      assert.deepEqual(treeDifferences(before, after, true), []);
      assert.deepEqual([...after.keys()], [...before.keys()]);
      assert.deepEqual(await rewinds.rewindState(sessionRefOf(place.filePath)), {
        undoableMs: null,
        paths: [],
        obstacles: [],
        isLive: false,
      });
      assert.equal((await rewinds.undoRewind(sessionRefOf(place.filePath))).reason, 'nothing-to-undo');
    });
  });

  it('keeps a created folder that is no longer empty', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'new/c.txt': backup(place, 'new/c.txt', 1, 'was\n') });
      await rewindOf(place);
      writeFile(place, 'new/mine.txt', 'mine\n');
      await rewindsWith(place).undoRewind(sessionRefOf(place.filePath));
      assert.deepEqual([...readTree(place.root, [HOME]).keys()], ['project/new/mine.txt']);
    });
  });

  it('skips and reports what changed since, and undoes all else', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {
        'a.txt': backup(place, 'a.txt', 1, 'was\n'),
        'b.txt': backup(place, 'b.txt', 1, 'was\n'),
        'c.txt': backup(place, 'c.txt', 1, null),
      });
      const [a, b, c] = ['a.txt', 'b.txt', 'c.txt'].map((path) => writeFile(place, path, `is ${path}\n`));
      const { safetyPath } = await rewindOf(place);
      writeFileSync(b ?? '', 'edited since\n');
      writeFileSync(c ?? '', 'made anew\n');
      const { reason, result, warning } = await rewindsWith(place).undoRewind(sessionRefOf(place.filePath));
      assert.equal(reason, null);
      assert.ok(warning?.includes(safetyPath ?? ''));
      assert.deepEqual(result.filesChanged, [a]);
      assert.equal(result.coverage?.notCovered.length, 2);
      assert.deepEqual(
        [a, b, c].map((path) => readFileSync(path ?? '', 'utf8')),
        ['is a.txt\n', 'edited since\n', 'made anew\n'],
      );
    });
  });

  it('can be undone once more for the files that it skipped, and only for those', async () => {
    await withPlace(async (place) => {
      const names = ['a.txt', 'b.txt', 'c.txt'];
      sessionWith(place, Object.fromEntries(names.map((name) => [name, backup(place, name, 1, 'was\n')])));
      const [a = '', b = '', c = ''] = names.map((name) => writeFile(place, name, 'oldest\n'));
      const contents = (): string[] => [a, b, c].map((path) => readFileSync(path, 'utf8'));
      assert.equal((await rewindOf(place)).reason, null);
      for (const path of [a, b, c]) writeFileSync(path, 'is\n');
      assert.equal((await rewindOf(place)).reason, null);
      writeFileSync(a, 'edited\n');
      const rewinds = rewindsWith(place);
      const first = await rewinds.undoRewind(sessionRefOf(place.filePath));
      assert.deepEqual(first.result.filesChanged, [b, c]);
      assert.deepEqual(contents(), ['edited\n', 'is\n', 'is\n']);
      // What is left of the newest one prevents the one before it from being undone in its place.
      const none = await rewinds.undoRewind(sessionRefOf(place.filePath));
      assert.equal(none.reason, 'changed-since-rewind');
      assert.match(none.result.error ?? '', /left to undo/);
      assert.deepEqual(await rewinds.rewoundSessions(), [SESSION]);
      // What the first undo restored belongs to the person again, whatever they change.
      writeFileSync(b, 'was\n');
      writeFileSync(a, 'was\n');
      assert.deepEqual((await rewinds.rewindState(sessionRefOf(place.filePath))).paths, [a]);
      const second = await rewinds.undoRewind(sessionRefOf(place.filePath));
      assert.deepEqual([second.reason, second.warning, second.result.filesChanged], [null, null, [a]]);
      assert.deepEqual(contents(), ['is\n', 'was\n', 'is\n']);
      for (const path of [a, b, c]) writeFileSync(path, 'was\n');
      assert.equal((await rewinds.undoRewind(sessionRefOf(place.filePath))).reason, null);
      assert.deepEqual(contents(), ['oldest\n', 'oldest\n', 'oldest\n']);
      assert.equal((await rewinds.undoRewind(sessionRefOf(place.filePath))).reason, 'nothing-to-undo');
    });
  });

  it('reports a deleted file as deleted, and does not create it again', async () => {
    await withPlace(async (place) => {
      const names = ['a.txt', 'b.txt'];
      sessionWith(place, Object.fromEntries(names.map((name) => [name, backup(place, name, 1, 'was\n')])));
      const [a = ''] = names.map((name) => writeFile(place, name, 'is\n'));
      await rewindOf(place);
      rmSync(a);
      const { result, warning } = await rewindsWith(place).undoRewind(sessionRefOf(place.filePath));
      assert.equal(existsSync(a), false);
      assert.equal(result.files?.find(({ path }) => path === a)?.why, 'It is gone.');
      assert.deepEqual(result.coverage?.notCovered, [`${a} is gone, so it was not put back.`]);
      assert.match(warning ?? '', /^One file is gone since the rewind/);
    });
  });

  it('is refused if the project folder was deleted, and creates no other in its place', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {
        'a.txt': backup(place, 'a.txt', 1, 'was\n'),
        'b.txt': backup(place, 'b.txt', 1, null),
      });
      writeFile(place, 'a.txt', 'is\n');
      writeFile(place, 'b.txt', 'is\n');
      await rewindOf(place);
      const moved = join(place.root, 'moved');
      renameSync(place.cwd, moved);
      const refused = await rewindsWith(place).undoRewind(sessionRefOf(place.filePath));
      assert.equal(refused.reason, 'folder-gone');
      assert.match(refused.result.error ?? '', new RegExp(`^The project folder ${place.cwd} is gone`));
      assert.equal(existsSync(place.cwd), false);
      renameSync(moved, place.cwd);
      assert.equal((await rewindsWith(place).undoRewind(sessionRefOf(place.filePath))).reason, null);
      assert.equal(readFileSync(join(place.cwd, 'b.txt'), 'utf8'), 'is\n');
    });
  });

  it('is refused while Claude uses the session, unless the person allows it', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      await rewindOf(place);
      const maybe = { live: 'maybe-live', why: 'Who knows.' } as const;
      const unsure = rewindsWith(place, undefined, { liveness: () => Promise.resolve(maybe) });
      assert.equal((await unsure.undoRewind(sessionRefOf(place.filePath))).reason, 'maybe-live');
      const rewinds = rewindsWith(place, undefined, { liveness: () => Promise.resolve({ live: 'live', why: null }) });
      assert.equal((await rewinds.rewindState(sessionRefOf(place.filePath))).isLive, true);
      const refused = await rewinds.undoRewind(sessionRefOf(place.filePath));
      assert.equal(refused.reason, 'live');
      assert.equal(readFileSync(path, 'utf8'), 'was\n');
      assert.equal((await rewinds.undoRewind(sessionRefOf(place.filePath), { mayBeLive: true })).reason, null);
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
    });
  });

  it('is refused when everything changed since', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      await rewindOf(place);
      chmodSync(path, 0o600);
      const outcome = await rewindsWith(place).undoRewind(sessionRefOf(place.filePath));
      assert.equal(outcome.reason, 'changed-since-rewind');
      assert.equal(readFileSync(path, 'utf8'), 'was\n');
      assert.equal(statSync(path).mode & 0o777, 0o600);
    });
  });

  it('reverts several rewinds one after the other', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'first\n');
      await rewindOf(place);
      writeFileSync(path, 'second\n');
      await rewindOf(place);
      const rewinds = rewindsWith(place);
      await rewinds.undoRewind(sessionRefOf(place.filePath));
      assert.equal(readFileSync(path, 'utf8'), 'second\n');
      writeFileSync(path, 'was\n');
      await rewinds.undoRewind(sessionRefOf(place.filePath));
      assert.equal(readFileSync(path, 'utf8'), 'first\n');
    });
  });

  it('needs neither the transcript nor the client’s copies', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      await rewindOf(place);
      rmSync(place.backupFolder, { recursive: true });
      rmSync(place.filePath);
      assert.equal((await rewindsWith(place).undoRewind(sessionRefOf(place.filePath))).reason, null);
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
    });
  });

  it('does not wait: while another process changes files, it is refused, as is a rewind', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      const lock = join(place.configDir, 'rethread', 'rewinds.lock');
      mkdirSync(lock, { recursive: true });
      assert.equal((await rewindOf(place)).reason, 'locked');
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
      rmSync(lock, { recursive: true });
      await rewindOf(place);
      mkdirSync(lock);
      assert.equal((await rewindsWith(place).undoRewind(sessionRefOf(place.filePath))).reason, 'locked');
      assert.equal(readFileSync(path, 'utf8'), 'was\n');
    });
  });

  it('creates a deleted folder again', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'src/a.txt': backup(place, 'src/a.txt', 1, null) });
      const path = writeFile(place, 'src/a.txt', 'is\n');
      await rewindOf(place);
      rmSync(join(place.cwd, 'src'), { recursive: true });
      await rewindsWith(place).undoRewind(sessionRefOf(place.filePath));
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
    });
  });
});

describe('The search for safety snapshots', () => {
  it('skips places where none of ours can be', async () => {
    await withPlace(async (place) => {
      const folder = join(place.configDir, 'rethread', 'rewinds', SESSION);
      mkdirSync(join(folder, 'something else'), { recursive: true });
      mkdirSync(join(folder, '000000000000001-broken'));
      writeFileSync(join(folder, '000000000000001-broken', 'manifest.json'), '{"format":1,"entr');
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      writeFile(place, 'a.txt', 'is\n');
      assert.deepEqual(await rewindsWith(place).rewindState(sessionRefOf(place.filePath)), {
        undoableMs: null,
        paths: [],
        obstacles: [],
        isLive: false,
      });
      assert.equal((await rewindOf(place)).reason, null);
      assert.equal(fileOf(await planOf(place), join(place.cwd, 'a.txt'))?.action, 'unchanged');
      // What only a later version can read is left to that version.
      assert.equal(existsSync(join(folder, '000000000000001-broken', 'manifest.json')), true);
    });
  });
});
