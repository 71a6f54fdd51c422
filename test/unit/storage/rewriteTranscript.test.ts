import assert from 'node:assert/strict';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileIdentity, nodeWriteFs, type RewriteOutcome, rewriteTranscript } from '../../rooms/storage';
import { FaultyFs } from './faultyFs';
import {
  applySplices,
  BACKUP_MS,
  depsOn,
  mtimeNs,
  namesBeside,
  ORIGINAL,
  repairRequest,
  row,
  type TranscriptFixture,
  withTranscriptFile,
  guardOf,
} from './transcriptFixture';

const DEPS = depsOn(nodeWriteFs);

function assertRefused(outcome: RewriteOutcome, reason: string): void {
  assert.equal(outcome.kind, 'refused');
  assert.equal(outcome.reason, reason);
  assert.match(outcome.problem, /^[A-Z][^\n]*\.$/);
}

function assertUntouched(fixture: TranscriptFixture, before: bigint): void {
  assert.deepEqual(readFileSync(fixture.filePath), fixture.original);
  assert.equal(mtimeNs(fixture.filePath), before);
  assert.deepEqual(namesBeside(fixture), []);
}

describe('rewriteTranscript', () => {
  it('changes only the spliced bytes, and returns the new identity of the file', () =>
    withTranscriptFile(async (fixture) => {
      const outcome = await rewriteTranscript(repairRequest(fixture.filePath), DEPS);
      assert.equal(outcome.kind, 'written');
      assert.equal(outcome.warning, null);
      assert.deepEqual(readFileSync(fixture.filePath), fixture.repaired);
      assert.deepEqual(outcome.identity, fileIdentity(statSync(fixture.filePath, { bigint: true })));
    }));

  it('keeps an exact backup with the mode and mtime of the original, and leaves nothing else', () =>
    withTranscriptFile(async (fixture) => {
      const before = statSync(fixture.filePath, { bigint: true });
      const outcome = await rewriteTranscript(repairRequest(fixture.filePath), DEPS);
      assert.equal(outcome.kind, 'written');
      assert.equal(outcome.backupPath, `${fixture.filePath}.backup-${BACKUP_MS}`);
      assert.deepEqual(readFileSync(outcome.backupPath), fixture.original);
      const backup = statSync(outcome.backupPath, { bigint: true });
      assert.equal(backup.mode, before.mode);
      assert.equal(backup.mtimeNs / 1000n, before.mtimeNs / 1000n);
      assert.deepEqual(namesBeside(fixture), [basename(outcome.backupPath)]);
    }));

  it('preserves the mode, and the mtime to the microsecond', () =>
    withTranscriptFile(async (fixture) => {
      for (const [at, seconds] of [
        1_750_000_000.001, 1_750_000_000.999, 1_749_999_999, 1_750_000_000.123456, 1.5,
      ].entries()) {
        const mode = [0o600, 0o640, 0o644, 0o400, 0o600][at] ?? 0;
        writeFileSync(fixture.filePath, fixture.original);
        chmodSync(fixture.filePath, mode);
        utimesSync(fixture.filePath, seconds, seconds);
        const before = statSync(fixture.filePath, { bigint: true });
        const outcome = await rewriteTranscript(repairRequest(fixture.filePath), DEPS);
        assert.equal(outcome.kind, 'written');
        const after = statSync(fixture.filePath, { bigint: true });
        assert.equal(after.mtimeNs / 1000n, before.mtimeNs / 1000n);
        assert.equal(Number(after.mode) & 0o7777, mode);
        rmSync(fixture.filePath);
      }
    }));

  it('preserves the owner where that is permitted, and continues where it is not', () =>
    withTranscriptFile(async (fixture) => {
      const { uid } = statSync(fixture.filePath);
      const given: number[] = [];
      const fs = new FaultyFs();
      fs.faultOf = ({ name }) => (name === 'fchown' ? { kind: 'fails', code: 'EPERM' } : null);
      fs.afterOpen = (file, path) => ({
        ...file,
        // The transcript seems to belong to someone else.
        stat: async () => Object.assign(await file.stat(), path === fixture.filePath ? { uid: BigInt(uid) + 7n } : {}),
        chown: async (to, gid) => {
          given.push(to);
          await file.chown(to, gid);
        },
      });
      const outcome = await rewriteTranscript(repairRequest(fixture.filePath), depsOn(fs));
      assert.equal(outcome.kind, 'written');
      assert.deepEqual(given, [uid + 7, uid + 7]);
    }));

  it('takes the next free millisecond when a backup of that name exists', () =>
    withTranscriptFile(async (fixture) => {
      for (const ms of [BACKUP_MS, BACKUP_MS + 1]) writeFileSync(`${fixture.filePath}.backup-${ms}`, 'earlier');
      const outcome = await rewriteTranscript(repairRequest(fixture.filePath), DEPS);
      assert.equal(outcome.kind, 'written');
      assert.equal(outcome.backupPath, `${fixture.filePath}.backup-${BACKUP_MS + 2}`);
      assert.equal(readFileSync(`${fixture.filePath}.backup-${BACKUP_MS}`, 'utf8'), 'earlier');
      assert.deepEqual(readFileSync(outcome.backupPath), fixture.original);
    }));

  it('lets the caller verify the result in a hidden file that Claude does not list', () =>
    withTranscriptFile(async (fixture) => {
      const seen: string[] = [];
      await rewriteTranscript(
        {
          ...repairRequest(fixture.filePath),
          verify: (path) => {
            seen.push(path);
            assert.deepEqual(readFileSync(path), fixture.repaired);
            assert.deepEqual(readFileSync(fixture.filePath), fixture.original);
            for (const name of namesBeside(fixture)) assert.ok(!name.endsWith('.jsonl'), name);
            return Promise.resolve(true);
          },
        },
        DEPS,
      );
      assert.equal(seen.length, 1);
      assert.equal(dirname(seen[0] ?? ''), fixture.folder);
      assert.match(basename(seen[0] ?? ''), /^\..*\.tmp$/);
    }));

  it('refuses when the caller’s verification fails or throws', () =>
    withTranscriptFile(async (fixture) => {
      const before = mtimeNs(fixture.filePath);
      const request = repairRequest(fixture.filePath);
      assertRefused(
        await rewriteTranscript({ ...request, verify: () => Promise.resolve(false) }, DEPS),
        'not-repairable',
      );
      assertUntouched(fixture, before);
      const failing = () => Promise.reject(new Error('The simulation failed.'));
      assertRefused(await rewriteTranscript({ ...request, verify: failing }, DEPS), 'write-failed');
      assertUntouched(fixture, before);
    }));

  it('refuses a live session, also one that becomes live during the repair', () =>
    withTranscriptFile(async (fixture) => {
      const before = mtimeNs(fixture.filePath);
      for (const answers of [[true], [false, true]]) {
        const request = { ...repairRequest(fixture.filePath), assertNotLive: guardOf(answers) };
        assertRefused(await rewriteTranscript(request, DEPS), 'live');
        assertUntouched(fixture, before);
      }
    }));

  it('refuses a transcript that differs from the one the plan was made for', () =>
    withTranscriptFile(async (fixture) => {
      const request = repairRequest(fixture.filePath);
      appendFileSync(fixture.filePath, row(9, null));
      assertRefused(await rewriteTranscript(request, DEPS), 'changed-while-repairing');
      assert.equal(readFileSync(fixture.filePath, 'utf8'), fixture.original.toString() + row(9, null));
      assert.deepEqual(namesBeside(fixture), []);
    }));

  it('refuses a different file with the same bytes and mtime in the transcript’s place', () =>
    withTranscriptFile(async (fixture) => {
      const request = repairRequest(fixture.filePath);
      const { atimeMs, mtimeMs } = statSync(fixture.filePath);
      writeFileSync(`${fixture.filePath}.new`, fixture.original);
      utimesSync(`${fixture.filePath}.new`, atimeMs / 1000, mtimeMs / 1000);
      renameSync(`${fixture.filePath}.new`, fixture.filePath);
      assertRefused(await rewriteTranscript(request, DEPS), 'changed-while-repairing');
    }));

  it('refuses splices that do not fit the transcript', () =>
    withTranscriptFile(async (fixture) => {
      const before = mtimeNs(fixture.filePath);
      const splices = [{ offset: fixture.original.length, length: 1, bytes: Buffer.from('x') }];
      assertRefused(await rewriteTranscript({ ...repairRequest(fixture.filePath), splices }, DEPS), 'not-repairable');
      assertUntouched(fixture, before);
    }));

  it('refuses a missing file, a folder and a symbolic link, and leaves no lock behind', () =>
    withTranscriptFile(async (fixture) => {
      const request = repairRequest(fixture.filePath);
      const missing = join(fixture.folder, 'missing.jsonl');
      assertRefused(await rewriteTranscript({ ...request, filePath: missing }, DEPS), 'missing');
      const nowhere = join(fixture.folder, 'no-such-folder', 'missing.jsonl');
      assertRefused(await rewriteTranscript({ ...request, filePath: nowhere }, DEPS), 'missing');
      const insideFile = join(fixture.filePath, 'inside.jsonl');
      assertRefused(await rewriteTranscript({ ...request, filePath: insideFile }, DEPS), 'missing');
      const folder = join(fixture.folder, 'folder.jsonl');
      mkdirSync(folder);
      assertRefused(await rewriteTranscript({ ...request, filePath: folder }, DEPS), 'not-a-file');
      const link = join(fixture.folder, 'link.jsonl');
      symlinkSync(fixture.filePath, link);
      assertRefused(await rewriteTranscript({ ...request, filePath: link }, DEPS), 'symlink');
      assert.deepEqual(readdirSync(fixture.folder).sort(), [basename(fixture.filePath), 'folder.jsonl', 'link.jsonl']);
      assert.deepEqual(readFileSync(fixture.filePath), fixture.original);
    }));

  it('reports unreadable when the transcript cannot be read', () =>
    withTranscriptFile(async (fixture) => {
      const before = mtimeNs(fixture.filePath);
      for (const name of ['open read', 'read', 'fstat', 'lstat']) {
        const fs = new FaultyFs();
        fs.faultOf = (call) =>
          call.name === name && call.path === fixture.filePath ? { kind: 'fails', code: 'EACCES' } : null;
        assertRefused(await rewriteTranscript(repairRequest(fixture.filePath), depsOn(fs)), 'unreadable');
        assertUntouched(fixture, before);
      }
    }));

  it('reports read-only when the folder is not writable', () =>
    withTranscriptFile(async (fixture) => {
      const before = mtimeNs(fixture.filePath);
      for (const code of ['EACCES', 'EROFS', 'EPERM']) {
        const fs = new FaultyFs();
        fs.faultOf = ({ name }) => (name === 'mkdir' ? { kind: 'fails', code } : null);
        assertRefused(await rewriteTranscript(repairRequest(fixture.filePath), depsOn(fs)), 'read-only');
        assertUntouched(fixture, before);
      }
    }));

  it('reports read-only for a real folder and unreadable for a real file without permissions', async function () {
    // Root may read and write whatever the mode is; the injected errors above cover that case.
    if (process.getuid?.() === 0) this.skip();
    await withTranscriptFile(async (fixture) => {
      const before = mtimeNs(fixture.filePath);
      const request = repairRequest(fixture.filePath);
      chmodSync(fixture.filePath, 0);
      assertRefused(await rewriteTranscript(request, DEPS), 'unreadable');
      chmodSync(fixture.filePath, 0o600);
      chmodSync(fixture.folder, 0o500);
      assertRefused(await rewriteTranscript(request, DEPS), 'read-only');
      chmodSync(fixture.folder, 0o700);
      assertUntouched(fixture, before);
    });
  });

  it('repairs one name of a hard-linked transcript and leaves the other name its bytes', () =>
    withTranscriptFile(async (fixture) => {
      const snapshot = join(fixture.folder, 'snapshot');
      linkSync(fixture.filePath, snapshot);
      const outcome = await rewriteTranscript(repairRequest(fixture.filePath), DEPS);
      assert.equal(outcome.kind, 'written');
      assert.deepEqual(readFileSync(fixture.filePath), fixture.repaired);
      assert.deepEqual(readFileSync(snapshot), fixture.original);
    }));

  it('works on a file system without hard links', () =>
    withTranscriptFile(async (fixture) => {
      const late = row(9, null);
      const fs = new FaultyFs();
      fs.faultOf = ({ name }) => (name === 'link' ? { kind: 'fails', code: 'EPERM' } : null);
      fs.beforeCall = ({ name, path }) => {
        if (name === 'rename' && path.endsWith('.old')) appendFileSync(fixture.filePath, late);
      };
      const outcome = await rewriteTranscript(repairRequest(fixture.filePath), depsOn(fs));
      assert.equal(outcome.kind, 'written');
      assert.equal(outcome.warning, null);
      assert.equal(readFileSync(fixture.filePath, 'utf8'), fixture.repaired.toString() + late);
      assert.equal(fs.openFiles, 0);
    }));

  it('detects a wrong backup or a wrong new file, even when both are wrong in the same way', () =>
    withTranscriptFile(async (fixture) => {
      const before = mtimeNs(fixture.filePath);
      for (const garbled of [/-backup\.tmp$/, /(?<!-backup)\.tmp$/, /\.tmp$/]) {
        const fs = new FaultyFs();
        fs.afterOpen = (file, path) => {
          const garble = (bytes: Uint8Array) => Buffer.from(bytes).fill(0x20, 10, 11);
          return garbled.test(path) ? { ...file, write: (bytes) => file.write(garble(bytes)) } : file;
        };
        assertRefused(await rewriteTranscript(repairRequest(fixture.filePath), depsOn(fs)), 'write-failed');
        assertUntouched(fixture, before);
      }
    }));

  it('rewrites a transcript of many chunks, with splices inside chunks and across their borders', async () => {
    const chunk = 1024 * 1024;
    const big = Buffer.alloc(3 * chunk + 17, 'abcdefghijklm\n');
    const splices = [
      { offset: 0, length: 0, bytes: Buffer.from('start') },
      { offset: chunk - 3, length: 6, bytes: Buffer.from('') },
      { offset: 2 * chunk, length: 0, bytes: Buffer.alloc(chunk + 5, 'x') },
      { offset: big.length, length: 0, bytes: Buffer.from('end') },
    ];
    await withTranscriptFile(async (fixture) => {
      const outcome = await rewriteTranscript({ ...repairRequest(fixture.filePath), splices }, DEPS);
      assert.equal(outcome.kind, 'written');
      assert.ok(readFileSync(fixture.filePath).equals(applySplices(big, splices)));
      assert.ok(readFileSync(outcome.backupPath).equals(big));
    }, big);
  });

  it('lets only one of several repairs in the same process write', () =>
    withTranscriptFile(async (fixture) => {
      const request = repairRequest(fixture.filePath);
      const outcomes = await Promise.all([1, 2, 3].map(() => rewriteTranscript(request, DEPS)));
      const kinds = outcomes.map((outcome) => (outcome.kind === 'written' ? 'written' : outcome.reason)).sort();
      assert.deepEqual(kinds, ['locked', 'locked', 'written']);
      assert.deepEqual(readFileSync(fixture.filePath), fixture.repaired);
      assert.equal(namesBeside(fixture).length, 1);
    }));

  it('gives up when the lock was lost', () =>
    withTranscriptFile(async (fixture) => {
      const before = mtimeNs(fixture.filePath);
      const lock = () => Promise.resolve({ isLost: () => true, release: () => Promise.resolve() });
      assertRefused(await rewriteTranscript(repairRequest(fixture.filePath), { ...DEPS, lock }), 'locked');
      assertUntouched(fixture, before);
    }));

  it('does not touch files of another transcript in the folder', () =>
    withTranscriptFile(async (fixture) => {
      const others = ['.other.jsonl.rethread-abc.tmp', 'other.jsonl', 'other.jsonl.backup-17', '.env'];
      for (const name of others) writeFileSync(join(fixture.folder, name), 'keep');
      await rewriteTranscript(repairRequest(fixture.filePath), DEPS);
      for (const name of others) assert.equal(readFileSync(join(fixture.folder, name), 'utf8'), 'keep');
    }));

  it('can repair again after a repair', () =>
    withTranscriptFile(async (fixture) => {
      assert.equal((await rewriteTranscript(repairRequest(fixture.filePath), DEPS)).kind, 'written');
      appendFileSync(fixture.filePath, ORIGINAL);
      const second = await rewriteTranscript(repairRequest(fixture.filePath), DEPS);
      assert.equal(second.kind, 'written');
      assert.equal(second.backupPath, `${fixture.filePath}.backup-${BACKUP_MS + 1}`);
      assert.deepEqual(readFileSync(fixture.filePath), Buffer.concat([fixture.repaired, fixture.repaired]));
    }));
});
