import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTree, treeDifferences } from '../../../rewind/support/fileTree';
import { FaultyFs } from '../../storage/faultyFs';
import { fileOf, notesOf, planOf, PROMPT, rewindOf, sessionWith, writeFile } from './oneFile';
import { backup, requestOf, rewindsWith, withPlace } from './rewindFixture';
import { sessionRefOf } from '../../../rooms/format';

describe('A rewind leaves unchanged, and reports,', () => {
  it('a symbolic link and its target', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'link.txt': backup(place, 'link.txt', 1, 'was\n') });
      const aim = writeFile(place, 'aim.txt', 'is\n');
      symlinkSync(aim, join(place.cwd, 'link.txt'));
      const plan = await planOf(place);
      assert.equal(plan.files[0]?.action, 'skipped');
      assert.equal(notesOf(plan, 'symlink').length, 1);
      await rewindOf(place, { skipObstacles: true });
      assert.equal(readFileSync(aim, 'utf8'), 'is\n');
    });
  });

  it('a hard link', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      linkSync(path, join(place.cwd, 'other-name.txt'));
      const plan = await planOf(place);
      assert.equal(fileOf(plan, path)?.action, 'skipped');
      assert.equal(notesOf(plan, 'hardLink').length, 1);
    });
  });

  it('a folder where there was a file, and a file where its folder was', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {
        'a.txt': backup(place, 'a.txt', 1, 'was\n'),
        'src/b.txt': backup(place, 'src/b.txt', 1, 'was\n'),
        'src/never.txt': backup(place, 'src/never.txt', 1, null),
      });
      writeFile(place, 'a.txt/inside.txt', 'is\n');
      writeFile(place, 'src', 'a file\n');
      const plan = await planOf(place);
      assert.equal(fileOf(plan, join(place.cwd, 'a.txt'))?.action, 'skipped');
      assert.equal(fileOf(plan, join(place.cwd, 'src/b.txt'))?.action, 'skipped');
      assert.equal(fileOf(plan, join(place.cwd, 'src/never.txt'))?.action, 'unchanged');
      assert.equal(notesOf(plan, 'notAFile').length, 2);
      await rewindOf(place, { skipObstacles: true });
      assert.equal(readFileSync(join(place.cwd, 'a.txt/inside.txt'), 'utf8'), 'is\n');
    });
  });

  it('a FIFO, a device and a folder, and tells them apart', async function () {
    if (process.platform === 'win32') this.skip();
    await withPlace(async (place) => {
      const names = ['pipe', 'folder', '/dev/null'];
      sessionWith(place, Object.fromEntries(names.map((name) => [name, backup(place, name, 1, 'was\n')])));
      execFileSync('mkfifo', [join(place.cwd, 'pipe')]);
      mkdirSync(join(place.cwd, 'folder'));
      const notes = notesOf(await planOf(place), 'notAFile').join('\n');
      for (const sentence of [
        'pipe is left as it is. A FIFO',
        'folder is left as it is. A folder',
        'null is left as it is. A device',
      ])
        assert.ok(notes.includes(`${sentence} stands in its place.`), notes);
    });
  });

  it('a file whose copy is missing, or has a name that the client never uses', async () => {
    await withPlace(async (place) => {
      const lost = backup(place, 'lost.txt', 1, 'was\n');
      rmSync(join(place.backupFolder, lost.backupFileName ?? ''));
      const secret = join(place.root, 'secret.txt');
      writeFileSync(secret, 'secret\n');
      sessionWith(place, {
        'lost.txt': lost,
        'evil.txt': { ...lost, backupFileName: '../../../../secret.txt' },
        'evil2.txt': { ...lost, backupFileName: secret },
      });
      for (const path of ['lost.txt', 'evil.txt', 'evil2.txt']) writeFile(place, path, 'is\n');
      const plan = await planOf(place);
      assert.deepEqual(
        plan.files.map(({ action, contentPath }) => [action, contentPath]),
        [
          ['skipped', null],
          ['skipped', null],
          ['skipped', null],
        ],
      );
      assert.equal(notesOf(plan, 'missingBackup').length, 3);
    });
  });

  it('a file that has since been moved behind a link', async () => {
    await withPlace(async (place) => {
      const reported = { ...backup(place, 'src/a.txt', 1, 'was\n'), realParentDir: join(place.cwd, 'src') };
      sessionWith(place, { 'src/a.txt': reported });
      const path = writeFile(place, 'src/a.txt', 'is\n');
      renameSync(join(place.cwd, 'src'), join(place.cwd, 'moved'));
      symlinkSync(join(place.cwd, 'moved'), join(place.cwd, 'src'));
      const plan = await planOf(place);
      assert.equal(fileOf(plan, path)?.action, 'skipped');
      assert.equal(notesOf(plan, 'symlink').length, 1);
    });
  });

  it('a file whose folder is now a link to another project folder, if no record says that it was one', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {
        'src/a.txt': backup(place, 'src/a.txt', 1, 'was\n'),
        'src/new/b.txt': backup(place, 'src/new/b.txt', 1, 'was\n'),
        'self/lib/a.txt': backup(place, 'self/lib/a.txt', 1, null),
        'lib/c.txt': backup(place, 'lib/c.txt', 1, 'was\n'),
      });
      const precious = writeFile(place, 'lib/a.txt', 'precious\n');
      symlinkSync('lib', join(place.cwd, 'src'));
      symlinkSync('.', join(place.cwd, 'self'));
      const plan = await planOf(place);
      assert.equal(notesOf(plan, 'symlink').length, 3);
      await rewindOf(place, { skipObstacles: true });
      assert.equal(readFileSync(precious, 'utf8'), 'precious\n');
      assert.deepEqual([...readTree(join(place.cwd, 'lib')).keys()], ['a.txt', 'c.txt']);
    });
  });

  it('no file of a project that is itself reached through a link', async () => {
    await withPlace(async (place) => {
      const link = join(place.root, 'link');
      symlinkSync(place.cwd, link);
      sessionWith(place, {
        'src/a.txt': backup(place, 'src/a.txt', 1, 'was\n'),
        [join(link, 'b.txt')]: backup(place, '../link/b.txt', 1, 'was\n'),
      });
      const paths = ['src/a.txt', 'b.txt'].map((path) => writeFile(place, path, 'is\n'));
      await rewindOf(place, { roots: [link] });
      assert.deepEqual(
        paths.map((path) => readFileSync(path, 'utf8')),
        ['was\n', 'was\n'],
      );
    });
  });

  it('a file that cannot have existed or cannot be checked, while it rewinds the others', async () => {
    await withPlace(async (place) => {
      const long = 'x'.repeat(5_000);
      sessionWith(place, {
        'nul\0name.txt': backup(place, 'n', 1, 'was\n'),
        [long]: backup(place, 'l', 1, 'was\n'),
        'never\0.txt': backup(place, 'm', 1, null),
        'odd.txt': backup(place, 'odd.txt', 1, 'was\n'),
        'a.txt': backup(place, 'a.txt', 1, 'was\n'),
      });
      const [odd, a] = ['odd.txt', 'a.txt'].map((path) => writeFile(place, path, 'is\n'));
      const fs = new FaultyFs();
      fs.faultOf = ({ name, path }) => (name === 'lstat' && path === odd ? { kind: 'fails', code: 'EINVAL' } : null);
      const rewinds = rewindsWith(place, fs);
      const { checkpoints, problem } = await rewinds.listCheckpoints(sessionRefOf(place.filePath), null);
      assert.deepEqual([checkpoints.length, problem], [1, null]);
      const plan = await rewinds.planRewind(requestOf(place, PROMPT));
      assert.deepEqual(
        plan.files.map(({ path, action, why }) => [path.slice(place.cwd.length + 1).slice(0, 9), action, why]),
        [
          ['a.txt', 'restore', undefined],
          ['nul\0name.', 'skipped', 'No file can have such a path.'],
          ['odd.txt', 'skipped', 'It cannot be looked at (EINVAL).'],
          ['xxxxxxxxx', 'skipped', 'No file can have such a path.'],
          ['never\0.tx', 'unchanged', undefined],
        ],
      );
      await rewinds.rewind(requestOf(place, PROMPT, { skipObstacles: true }));
      assert.equal(readFileSync(a ?? '', 'utf8'), 'was\n');
    });
  });

  it('a file whose copies cannot exist, because a file is in place of their folder', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      rmSync(place.backupFolder, { recursive: true });
      writeFileSync(place.backupFolder, '');
      const { checkpoints, problem } = await rewindsWith(place).listCheckpoints(sessionRefOf(place.filePath), null);
      assert.deepEqual([checkpoints.length, problem], [1, null]);
      assert.equal((await planOf(place)).files[0]?.why, 'The copy of it is missing.');
    });
  });

  it('whatever is not writable: a file, and a file in such a folder', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {
        'a.txt': backup(place, 'a.txt', 1, 'was\n'),
        'src/b.txt': backup(place, 'src/b.txt', 1, null),
        'c.txt': backup(place, 'c.txt', 1, 'was\n'),
      });
      const [a, b, c] = ['a.txt', 'src/b.txt', 'c.txt'].map((path) => writeFile(place, path, 'is\n'));
      const fs = new FaultyFs();
      // A process that started as root may write everything, whatever user it has switched to.
      const guarded = [a, join(place.cwd, 'src')];
      fs.faultOf = ({ name, path }) =>
        name === 'access' && guarded.includes(path) ? { kind: 'fails', code: 'EACCES' } : null;
      const plan = await rewindsWith(place, fs).planRewind(requestOf(place, PROMPT));
      assert.deepEqual(
        [a, b, c].map((path) => fileOf(plan, path ?? '')?.action),
        ['skipped', 'skipped', 'restore'],
      );
      assert.equal(notesOf(plan, 'readOnly').length, 2);
    });
  });
});

describe('A rewind changes only allowed folders', () => {
  it('whatever path a row names', async () => {
    await withPlace(async (place) => {
      const outside = join(place.root, 'outside.txt');
      const beside = `${place.cwd}-beside`;
      mkdirSync(beside);
      const files = [
        '../outside.txt',
        `${outside}2`,
        'src/../../outside3.txt',
        `${beside}/x.txt`,
        '/etc/rethread-never.txt',
      ];
      sessionWith(
        place,
        Object.fromEntries(files.map((path) => [path, backup(place, path.replaceAll('/', '_'), 1, 'was\n')])),
      );
      writeFileSync(outside, 'is\n');
      const plan = await planOf(place);
      assert.deepEqual([...new Set(plan.files.map(({ action }) => action))], ['skipped']);
      const waivable = plan.files.filter(({ isOutside }) => isOutside);
      assert.ok(waivable.length >= 4);
      assert.equal(notesOf(plan, 'outside').length, plan.files.length);
      const { result } = await rewindOf(place, { skipObstacles: true });
      assert.deepEqual(result.filesChanged, []);
      assert.equal(readFileSync(outside, 'utf8'), 'is\n');
      assert.equal(existsSync(`${outside}2`), false);
    });
  });

  it('also if a link on the path leads out of them', async () => {
    await withPlace(async (place) => {
      const elsewhere = join(place.root, 'elsewhere');
      mkdirSync(elsewhere);
      writeFileSync(join(elsewhere, 'a.txt'), 'is\n');
      symlinkSync(elsewhere, join(place.cwd, 'src'));
      sessionWith(place, {
        'src/a.txt': backup(place, 'src/a.txt', 1, 'was\n'),
        'src/new/b.txt': backup(place, 'src/new/b.txt', 1, 'was\n'),
      });
      const plan = await planOf(place);
      assert.deepEqual(
        plan.files.map(({ isOutside, action }) => [isOutside, action]),
        [
          [false, 'skipped'],
          [false, 'skipped'],
        ],
      );
      await rewindOf(place, { mayLeaveRoots: true, skipObstacles: true });
      assert.deepEqual([...readTree(elsewhere).keys()], ['a.txt']);
      assert.equal(readFileSync(join(elsewhere, 'a.txt'), 'utf8'), 'is\n');
    });
  });

  it('unless the person allows it to leave them', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { '../outside.txt': backup(place, '../outside.txt', 1, 'was\n') });
      const outside = join(place.root, 'outside.txt');
      writeFileSync(outside, 'is\n');
      const { result } = await rewindOf(place, { mayLeaveRoots: true, paths: [outside] });
      assert.deepEqual(result.filesChanged, [outside]);
      assert.deepEqual(
        result.coverage?.notCovered.filter((note) => note.includes('outside the folders')),
        [],
      );
      assert.equal(readFileSync(outside, 'utf8'), 'was\n');
    });
  });

  it('and never changes Claude’s own records, or those of the extension', async () => {
    await withPlace(async (place) => {
      const copy = backup(place, 'a.txt', 1, 'was\n');
      const kept = join(place.backupFolder, copy.backupFileName ?? '');
      const files = [kept, place.filePath, join(place.configDir, 'rethread', 'rewinds', 'x')];
      sessionWith(place, Object.fromEntries(files.map((path) => [path, { ...copy, backupFileName: null }])));
      const before = readTree(place.root);
      const { result } = await rewindOf(place, { roots: [place.root], skipObstacles: true });
      assert.deepEqual(result.filesChanged, []);
      assert.deepEqual(treeDifferences(before, readTree(place.root), true), []);
    });
  });

  it('which the caller may specify', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      const other = join(place.root, 'other');
      mkdirSync(other);
      const plan = await rewindsWith(place).planRewind(requestOf(place, PROMPT, { roots: [other] }));
      assert.equal(fileOf(plan, path)?.isOutside, true);
      await rewindOf(place, { roots: [other, place.root] });
      assert.equal(readFileSync(path, 'utf8'), 'was\n');
    });
  });
});
