import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readTree, treeDifferences } from '../../rewind/support/fileTree';
import { HOME } from '../../rewind/support/place';
import { asUnprivileged } from '../../support/asUnprivileged';
import { prompt, uuidOf } from '../../support/transcriptBuilder';
import { FaultyFs } from '../write/faultyFs';
import { fileOf, notesOf, planOf, PROMPT, rewindOf, sessionWith, writeFile } from './oneFile';
import { backup, requestOf, rewindsWith, safetyFolders, SESSION, withPlace } from './rewindFixture';

describe('the plan of a rewind', () => {
  it('says what is done with each file, and its lines', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {
        'restored.txt': backup(place, 'restored.txt', 1, 'one\ntwo\n'),
        'made.txt': backup(place, 'made.txt', 1, null),
        'gone/since.txt': backup(place, 'gone/since.txt', 1, 'a\nb\nc\n'),
        'same.txt': backup(place, 'same.txt', 1, 'same\n'),
        'never.txt': backup(place, 'never.txt', 1, null),
      });
      writeFile(place, 'restored.txt', 'one\n2\n3\n');
      writeFile(place, 'made.txt', 'x\ny\n');
      writeFile(place, 'same.txt', 'same\n');
      const plan = await planOf(place);
      const told = plan.files.map(({ path, action, insertions, deletions }) => [
        path.slice(place.cwd.length + 1),
        action,
        insertions,
        deletions,
      ]);
      assert.deepEqual(told, [
        ['gone/since.txt', 'create', 3, 0],
        ['made.txt', 'delete', 0, 2],
        ['restored.txt', 'restore', 1, 2],
        ['never.txt', 'unchanged', 0, 0],
        ['same.txt', 'unchanged', 0, 0],
      ]);
      assert.deepEqual([plan.insertions, plan.deletions, plan.problem, plan.kind], [4, 4, null, 'client']);
      assert.equal(plan.prompt, 'prompt first');
    });
  });

  it('touches nothing, as a dry run does, which tells the same as the rewind', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n'), 'b.txt': backup(place, 'b.txt', 1, null) });
      writeFile(place, 'a.txt', 'is\n');
      writeFile(place, 'b.txt', 'made\n');
      const before = readTree(place.root);
      const rewinds = rewindsWith(place);
      const dry = await rewinds.dryRun(requestOf(place, PROMPT));
      await planOf(place);
      await rewinds.checkpoints(place.filePath, []);
      await rewinds.rewindState(place.filePath);
      assert.deepEqual(await rewinds.rewoundSessions(), []);
      assert.deepEqual(treeDifferences(before, readTree(place.root), true), []);
      assert.deepEqual((await rewindOf(place)).result, dry.result);
      assert.deepEqual(await rewinds.rewoundSessions(), [SESSION]);
    });
  });

  it('compares bytes, whatever the times say: a file of the same size may be another', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'now\n');
      utimesSync(path, 1, 1);
      await rewindOf(place);
      assert.equal(readFileSync(path, 'utf8'), 'was\n');
    });
  });

  it('restores permissions alone, and counts no line and no changed file for them, as the client does not', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'run.sh': backup(place, 'run.sh', 1, 'same\n', 0o755) });
      const path = writeFile(place, 'run.sh', 'same\n');
      chmodSync(path, 0o644);
      const plan = await planOf(place);
      assert.deepEqual(fileOf(plan, path)?.modeChange, { from: 0o644, to: 0o755 });
      const { result } = await rewindOf(place);
      assert.deepEqual(result.filesChanged, []);
      assert.equal(result.files?.[0]?.action, 'restore');
      assert.equal(statSync(path).mode & 0o777, 0o755);
    });
  });

  it('restores a binary file byte for byte, and counts none of its lines', async () => {
    await withPlace(async (place) => {
      const bytes = Buffer.from([0, 255, 254, 10, 13, 0]);
      sessionWith(place, { 'x.bin': backup(place, 'x.bin', 1, bytes) });
      const path = writeFile(place, 'x.bin', Buffer.from([0, 255, 253, 10, 13, 0]));
      const file = fileOf(await planOf(place), path);
      assert.deepEqual([file?.isBinary, file?.insertions, file?.deletions], [true, 0, 0]);
      const { result } = await rewindOf(place);
      assert.deepEqual(result.filesChanged, [path]);
      assert.ok(readFileSync(path).equals(bytes));
    });
  });

  it('is none for a prompt that is not there, or of which nothing was kept', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {}, [prompt('later', 'reply')]);
      const rewinds = rewindsWith(place);
      for (const [uuid, reason] of [
        [uuidOf('nowhere'), 'unknown-prompt'],
        ['no uuid', 'unknown-prompt'],
        [uuidOf('later'), 'no-checkpoint'],
        [uuidOf('reply'), 'no-checkpoint'],
      ] as const) {
        const outcome = await rewinds.rewind(requestOf(place, uuid));
        assert.equal(outcome.reason, reason);
        assert.equal(outcome.result.canRewind, false);
        assert.match(outcome.result.error ?? '', /^[A-Z].*\.$/);
        assert.notEqual((await rewinds.planRewind(requestOf(place, uuid))).problem, null);
      }
      assert.equal(existsSync(join(place.configDir, 'rethread')), false);
    });
  });

  it('is none for a transcript that is not there', async () => {
    await withPlace(async (place) => {
      const outcome = await rewindOf(place);
      assert.equal(outcome.reason, 'missing');
      assert.deepEqual(await rewindsWith(place).checkpoints(place.filePath, []), []);
    });
  });

  it('is refused when anything changed since it was shown', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      const { token } = await planOf(place);
      writeFileSync(path, 'is more\n');
      const outcome = await rewindOf(place, { token });
      assert.equal(outcome.reason, 'changed-since-preview');
      assert.equal(readFileSync(path, 'utf8'), 'is more\n');
      assert.equal((await rewindOf(place, { token: (await planOf(place)).token })).reason, null);
    });
  });

  it('is applied to the files that the person chose alone', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n'), 'b.txt': backup(place, 'b.txt', 1, 'was\n') });
      const [a, b] = [writeFile(place, 'a.txt', 'is\n'), writeFile(place, 'b.txt', 'is\n')];
      const { result } = await rewindOf(place, { paths: [b] });
      assert.deepEqual([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')], ['is\n', 'was\n']);
      assert.deepEqual(result.filesChanged, [b]);
      assert.deepEqual(result.files?.find(({ path }) => path === a)?.action, 'skipped');
      assert.equal((await rewindOf(place, { paths: [join(place.cwd, 'other')] })).reason, 'no-checkpoint');
    });
  });

  it('is refused while Claude uses the session, unless the person says that it may be', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      const rewinds = rewindsWith(place, undefined, {
        liveSessions: () => Promise.resolve(new Map([[SESSION, 'idle' as const]])),
      });
      assert.equal((await rewinds.planRewind(requestOf(place, PROMPT))).isLive, true);
      assert.equal((await rewinds.rewind(requestOf(place, PROMPT))).reason, 'live');
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
      assert.equal((await rewinds.rewind(requestOf(place, PROMPT, { mayBeLive: true }))).reason, null);
      assert.equal(readFileSync(path, 'utf8'), 'was\n');
    });
  });
});

describe('a rewind leaves as it is, and tells', () => {
  it('a symbolic link, and what it leads to', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'link.txt': backup(place, 'link.txt', 1, 'was\n') });
      const aim = writeFile(place, 'aim.txt', 'is\n');
      symlinkSync(aim, join(place.cwd, 'link.txt'));
      const plan = await planOf(place);
      assert.equal(plan.files[0]?.action, 'skipped');
      assert.equal(notesOf(plan, 'symlink').length, 1);
      await rewindOf(place);
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

  it('a folder where a file was, and a file where its folder was', async () => {
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
      await rewindOf(place);
      assert.equal(readFileSync(join(place.cwd, 'a.txt/inside.txt'), 'utf8'), 'is\n');
    });
  });

  it('a file whose copy is missing, or has a name that the client never gives', async () => {
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

  it('a file that was moved behind a link since', async () => {
    await withPlace(async (place) => {
      const told = { ...backup(place, 'src/a.txt', 1, 'was\n'), realParentDir: join(place.cwd, 'src') };
      sessionWith(place, { 'src/a.txt': told });
      const path = writeFile(place, 'src/a.txt', 'is\n');
      renameSync(join(place.cwd, 'src'), join(place.cwd, 'moved'));
      symlinkSync(join(place.cwd, 'moved'), join(place.cwd, 'src'));
      const plan = await planOf(place);
      assert.equal(fileOf(plan, path)?.action, 'skipped');
      assert.equal(notesOf(plan, 'symlink').length, 1);
    });
  });

  it('what may not be written: a file, and one in such a folder', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {
        'a.txt': backup(place, 'a.txt', 1, 'was\n'),
        'src/b.txt': backup(place, 'src/b.txt', 1, null),
        'c.txt': backup(place, 'c.txt', 1, 'was\n'),
      });
      const [a, b, c] = ['a.txt', 'src/b.txt', 'c.txt'].map((path) => writeFile(place, path, 'is\n'));
      const fs = new FaultyFs();
      // A process that began as root may write everything, whoever it is now.
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

describe('a rewind stays in the folders that it may change', () => {
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
      const { result } = await rewindOf(place);
      assert.deepEqual(result.filesChanged, []);
      assert.equal(readFileSync(outside, 'utf8'), 'is\n');
      assert.equal(existsSync(`${outside}2`), false);
    });
  });

  it('also where a link in the way leads out of them', async () => {
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
          [true, 'skipped'],
          [true, 'skipped'],
        ],
      );
      await rewindOf(place);
      assert.deepEqual([...readTree(elsewhere).keys()], ['a.txt']);
      assert.equal(readFileSync(join(elsewhere, 'a.txt'), 'utf8'), 'is\n');
    });
  });

  it('unless the person says that it may leave them', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { '../outside.txt': backup(place, '../outside.txt', 1, 'was\n') });
      const outside = join(place.root, 'outside.txt');
      writeFileSync(outside, 'is\n');
      const { result } = await rewindOf(place, { mayLeaveRoots: true });
      assert.deepEqual(result.filesChanged, [outside]);
      assert.deepEqual(
        result.coverage?.notCovered.filter((note) => note.includes('outside the folders')),
        [],
      );
      assert.equal(readFileSync(outside, 'utf8'), 'was\n');
    });
  });

  it('and never changes Claude’s own records, or ours', async () => {
    await withPlace(async (place) => {
      const copy = backup(place, 'a.txt', 1, 'was\n');
      const kept = join(place.backupFolder, copy.backupFileName ?? '');
      const files = [kept, place.filePath, join(place.configDir, 'rethread', 'rewinds', 'x')];
      sessionWith(place, Object.fromEntries(files.map((path) => [path, { ...copy, backupFileName: null }])));
      const before = readTree(place.root);
      const { result } = await rewindOf(place, { mayLeaveRoots: true, roots: [place.root] });
      assert.deepEqual(result.filesChanged, []);
      assert.deepEqual(treeDifferences(before, readTree(place.root), true), []);
    });
  });

  it('which the caller may name', async () => {
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

describe('a rewind', () => {
  it('keeps everything that it touches in a private safety snapshot, and leaves the client’s copies alone', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n'), 'b.txt': backup(place, 'b.txt', 1, null) });
      const path = writeFile(place, 'a.txt', 'is\n');
      writeFile(place, 'b.txt', 'made\n');
      chmodSync(path, 0o640);
      const copies = readTree(place.backupFolder);
      const { safetyPath } = await rewindOf(place);
      assert.deepEqual(safetyFolders(place), [safetyPath]);
      const kept = readTree(safetyPath ?? '');
      assert.equal(kept.get('files/0')?.bytes.toString(), 'is\n');
      assert.equal(kept.get('files/1')?.bytes.toString(), 'made\n');
      assert.deepEqual([...new Set([...kept.values()].map((file) => file?.mode))], [0o600]);
      assert.equal(statSync(safetyPath ?? '').mode & 0o777, 0o700);
      assert.deepEqual(treeDifferences(copies, readTree(place.backupFolder), true), []);
    });
  });

  it('changes nothing when the system refuses one of its changes', async () => {
    await withPlace(async (place) => {
      sessionWith(place, {
        'a.txt': backup(place, 'a.txt', 1, 'was\n'),
        'src/b.txt': backup(place, 'src/b.txt', 1, 'was\n'),
      });
      const [a, b] = [writeFile(place, 'a.txt', 'is\n'), writeFile(place, 'src/b.txt', 'is\n')];
      for (const folder of [place.cwd, place.root, place.configDir, place.home]) chmodSync(folder, 0o777);
      for (const path of [a, b]) chmodSync(path, 0o666);
      chmodSync(join(place.cwd, 'src'), 0o555);
      const outcome = await asUnprivileged(() => rewindOf(place));
      chmodSync(join(place.cwd, 'src'), 0o755);
      // Whoever is bound by permissions from the start is told before.
      if (outcome.reason !== null) assert.equal(outcome.reason, 'read-only');
      assert.deepEqual(
        [readFileSync(a, 'utf8'), readFileSync(b, 'utf8')],
        [outcome.reason === null ? 'was\n' : 'is\n', 'is\n'],
      );
    });
  });

  it('stops, and changes nothing, when another program changes a file in the moment before', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n'), 'b.txt': backup(place, 'b.txt', 1, 'was\n') });
      const [a, b] = [writeFile(place, 'a.txt', 'is\n'), writeFile(place, 'b.txt', 'is\n')];
      const fs = new FaultyFs();
      fs.beforeCall = ({ name, path }) => {
        // The first file is in its place.
        if (name === 'rename' && path === a) writeFileSync(b, 'by another program\n');
      };
      const outcome = await rewindsWith(place, fs).rewind(requestOf(place, PROMPT));
      assert.equal(outcome.reason, 'changed-since-preview');
      assert.deepEqual([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')], ['is\n', 'by another program\n']);
      assert.deepEqual([...readTree(place.root, [HOME]).keys()], ['project/a.txt', 'project/b.txt']);
    });
  });

  it('never follows a link that takes a file’s place in the moment before', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      const aim = join(place.root, 'aim.txt');
      writeFileSync(aim, 'precious\n');
      const fs = new FaultyFs();
      fs.beforeCall = ({ name, path: at }) => {
        if (name === 'fsync' && at.endsWith('.tmp') && at.startsWith(place.cwd) && !existsSync(`${path}.old`)) {
          renameSync(path, `${path}.old`);
          symlinkSync(aim, path);
        }
      };
      const outcome = await rewindsWith(place, fs).rewind(requestOf(place, PROMPT));
      assert.equal(outcome.reason, 'changed-since-preview');
      assert.equal(readFileSync(aim, 'utf8'), 'precious\n');
      unlinkSync(path);
    });
  });
});
