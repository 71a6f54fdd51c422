import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { readTree, treeDifferences } from '../../../rewind/support/fileTree';
import { HOME } from '../../../rewind/support/place';
import { asUnprivileged } from '../../../support/asUnprivileged';
import { prompt, uuidOf } from '../../../support/transcriptBuilder';
import { FaultyFs } from '../../storage/faultyFs';
import { fileOf, planOf, PROMPT, rewindOf, sessionWith, writeFile } from './oneFile';
import { backup, requestOf, rewindsWith, safetyFolders, SESSION, withPlace } from './rewindFixture';
import { sessionRefOf } from '../../../rooms/format';

describe('The plan of a rewind', () => {
  it('lists the action for each file, with its changed lines', async () => {
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
      const reported = plan.files.map(({ path, action, insertions, deletions }) => [
        path.slice(place.cwd.length + 1),
        action,
        insertions,
        deletions,
      ]);
      assert.deepEqual(reported, [
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

  it('touches nothing; nor does a dry run, which reports the same as the rewind', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n'), 'b.txt': backup(place, 'b.txt', 1, null) });
      writeFile(place, 'a.txt', 'is\n');
      writeFile(place, 'b.txt', 'made\n');
      const before = readTree(place.root);
      const rewinds = rewindsWith(place);
      const dry = await rewinds.dryRun(requestOf(place, PROMPT));
      await planOf(place);
      await rewinds.checkpoints(sessionRefOf(place.filePath), []);
      await rewinds.rewindState(sessionRefOf(place.filePath));
      assert.deepEqual(await rewinds.rewoundSessions(), []);
      assert.deepEqual(treeDifferences(before, readTree(place.root), true), []);
      assert.deepEqual((await rewindOf(place)).result, dry.result);
      assert.deepEqual(await rewinds.rewoundSessions(), [SESSION]);
    });
  });

  it('compares bytes rather than times, because a file of the same size may differ', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'now\n');
      utimesSync(path, 1, 1);
      await rewindOf(place);
      assert.equal(readFileSync(path, 'utf8'), 'was\n');
    });
  });

  it('restores permissions without counting lines or changed files for them, as the client does', async () => {
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

  it('restores a binary file byte for byte, without counting lines', async () => {
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

  it('reports a file of more than 16 MiB as too large to compare, not as binary', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'log.txt': backup(place, 'log.txt', 1, 'was\n') });
      const path = writeFile(place, 'log.txt', Buffer.alloc(16 * 1024 * 1024 + 1, 'x\n'));
      const plan = await planOf(place);
      const file = fileOf(plan, path);
      assert.deepEqual([file?.isTooLarge, file?.isBinary, file?.insertions, file?.deletions], [true, false, 0, 0]);
      assert.equal(plan.coverage.filter(({ message }) => message.includes('16 MiB')).length, 1);
      await rewindOf(place);
      assert.equal(readFileSync(path, 'utf8'), 'was\n');
    });
  });

  it('is refused for a prompt that does not exist or has no checkpoint', async () => {
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

  it('is refused without a transcript', async () => {
    await withPlace(async (place) => {
      const outcome = await rewindOf(place);
      assert.equal(outcome.reason, 'missing');
      assert.deepEqual(await rewindsWith(place).checkpoints(sessionRefOf(place.filePath), []), []);
    });
  });

  it('is rejected when anything changed since it was shown', async () => {
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

  it('is applied only to the files that the person chose', async () => {
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

  it('is refused while Claude uses the session, unless the person allows it', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      const rewinds = rewindsWith(place, undefined, {
        liveness: () => Promise.resolve({ live: 'live', why: null }),
      });
      assert.equal((await rewinds.planRewind(requestOf(place, PROMPT))).isLive, true);
      assert.equal((await rewinds.rewind(requestOf(place, PROMPT))).reason, 'live');
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
      assert.equal((await rewinds.rewind(requestOf(place, PROMPT, { mayBeLive: true }))).reason, null);
      assert.equal(readFileSync(path, 'utf8'), 'was\n');
    });
  });
});

describe('A rewind', () => {
  it('writes nothing at all while Claude uses the session, and stops if Claude begins to use it', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n') });
      const path = writeFile(place, 'a.txt', 'is\n');
      const live = { live: 'live', why: null } as const;
      const running = rewindsWith(place, undefined, { liveness: () => Promise.resolve(live) });
      assert.equal((await running.rewind(requestOf(place, PROMPT))).reason, 'live');
      assert.equal(existsSync(join(place.configDir, 'rethread')), false);
      const fs = new FaultyFs();
      const isPrepared = (): boolean =>
        fs.calls.some(({ path: at }) => at.endsWith('.tmp') && at.startsWith(place.cwd));
      const starting = rewindsWith(place, fs, {
        liveness: () => Promise.resolve(isPrepared() ? live : { live: 'not-live', why: null }),
      });
      assert.equal((await starting.rewind(requestOf(place, PROMPT))).reason, 'live');
      assert.equal(readFileSync(path, 'utf8'), 'is\n');
      assert.deepEqual(readdirSync(place.cwd), ['a.txt']);
    });
  });

  it('stores everything it changes in a private safety snapshot, and keeps the client’s copies unchanged', async () => {
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
      const copied = [...kept].filter(([name]) => !name.startsWith('displaced/')).map(([, file]) => file?.mode);
      assert.deepEqual([...new Set(copied)], [0o600]);
      // These are the very files that stood at the paths; the folder keeps them private.
      assert.deepEqual([kept.get('displaced/0')?.mode, kept.get('displaced/1')?.bytes.toString()], [0o640, 'made\n']);
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
      // A process without root rights is refused earlier.
      if (outcome.reason !== null) assert.equal(outcome.reason, 'read-only');
      assert.deepEqual(
        [readFileSync(a, 'utf8'), readFileSync(b, 'utf8')],
        [outcome.reason === null ? 'was\n' : 'is\n', 'is\n'],
      );
    });
  });

  it('stops without changes when another program changes a file just before', async () => {
    await withPlace(async (place) => {
      sessionWith(place, { 'a.txt': backup(place, 'a.txt', 1, 'was\n'), 'b.txt': backup(place, 'b.txt', 1, 'was\n') });
      const [a, b] = [writeFile(place, 'a.txt', 'is\n'), writeFile(place, 'b.txt', 'is\n')];
      const fs = new FaultyFs();
      fs.beforeCall = ({ name, path }) => {
        // The first file is already in place.
        if (name === 'link' && path === a) writeFileSync(b, 'by another program\n');
      };
      const outcome = await rewindsWith(place, fs).rewind(requestOf(place, PROMPT));
      assert.equal(outcome.reason, 'changed-since-preview');
      assert.deepEqual([readFileSync(a, 'utf8'), readFileSync(b, 'utf8')], ['is\n', 'by another program\n']);
      assert.deepEqual([...readTree(place.root, [HOME]).keys()], ['project/a.txt', 'project/b.txt']);
    });
  });

  it('never follows a link that replaces a file just before', async () => {
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
