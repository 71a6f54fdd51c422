import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  fileIdentity,
  findBackups,
  nodeWriteFs,
  rewriteTranscript,
  type UndoOutcome,
  undoRewrite,
} from '../../rooms/storage';
import { FaultyFs } from './faultyFs';
import { backupOf } from './operations';
import {
  BACKUP_MS,
  depsOn,
  MODE,
  mtimeNs,
  namesBeside,
  ORIGINAL,
  repairRequest,
  row,
  type TranscriptFixture,
  withTranscriptFile,
  writeAged,
  guardOf,
} from './transcriptFixture';

const DEPS = depsOn(nodeWriteFs);
const assertNotLive = () => Promise.resolve();

async function repair({ filePath }: TranscriptFixture): Promise<void> {
  assert.equal((await rewriteTranscript(repairRequest(filePath), DEPS)).kind, 'written');
}

function undo({ filePath }: TranscriptFixture): Promise<UndoOutcome> {
  return undoRewrite({ filePath, assertNotLive }, DEPS);
}

function assertRefused(outcome: UndoOutcome, reason: string): asserts outcome is UndoOutcome & { kind: 'refused' } {
  assert.equal(outcome.kind, 'refused');
  assert.equal(outcome.reason, reason);
}

describe('undoRewrite', () => {
  it('restores the bytes, the mode and the mtime, and removes the backup', () =>
    withTranscriptFile(async (fixture) => {
      const before = mtimeNs(fixture.filePath);
      await repair(fixture);
      const outcome = await undo(fixture);
      assert.equal(outcome.kind, 'restored');
      assert.equal(outcome.backupPath, backupOf(fixture));
      assert.equal(outcome.keptBytes, 0);
      assert.equal(outcome.warning, null);
      assert.deepEqual(readFileSync(fixture.filePath), fixture.original);
      const stat = statSync(fixture.filePath, { bigint: true });
      assert.equal(stat.mtimeNs / 1000n, before / 1000n);
      assert.equal(Number(stat.mode) & 0o7777, MODE);
      assert.deepEqual(outcome.identity, fileIdentity(stat));
      assert.deepEqual(namesBeside(fixture), []);
    }));

  it('keeps the rows that were appended since the repair, and the mtime', () =>
    withTranscriptFile(async (fixture) => {
      await repair(fixture);
      const since = row(8, null) + row(9, null);
      appendFileSync(fixture.filePath, since);
      utimesSync(fixture.filePath, 1_755_000_000.5, 1_755_000_000.5);
      const outcome = await undo(fixture);
      assert.equal(outcome.kind, 'restored');
      assert.equal(outcome.keptBytes, Buffer.byteLength(since));
      assert.equal(readFileSync(fixture.filePath, 'utf8'), fixture.original.toString() + since);
      assert.equal(statSync(fixture.filePath).mtimeMs, 1_755_000_000_500);
    }));

  it('gives the transcript the mtime of the backup when nothing was appended', () =>
    withTranscriptFile(async (fixture) => {
      const before = mtimeNs(fixture.filePath);
      await repair(fixture);
      utimesSync(fixture.filePath, 1_755_000_000.5, 1_755_000_000.5);
      await undo(fixture);
      assert.equal(mtimeNs(fixture.filePath) / 1000n, before / 1000n);
    }));

  it('undoes several repairs one after the other', () =>
    withTranscriptFile(async (fixture) => {
      await repair(fixture);
      appendFileSync(fixture.filePath, ORIGINAL);
      await repair(fixture);
      assert.equal((await undo(fixture)).kind, 'restored');
      assert.deepEqual(readFileSync(fixture.filePath), Buffer.concat([fixture.repaired, ORIGINAL]));
      assert.equal((await undo(fixture)).kind, 'restored');
      assert.deepEqual(readFileSync(fixture.filePath), Buffer.concat([fixture.original, ORIGINAL]));
      assertRefused(await undo(fixture), 'no-backup');
    }));

  it('removes the backup without writing when the transcript already has its bytes', () =>
    withTranscriptFile(async (fixture) => {
      const since = row(8, null);
      writeFileSync(backupOf(fixture), fixture.original);
      appendFileSync(fixture.filePath, since);
      const before = statSync(fixture.filePath, { bigint: true });
      const outcome = await undo(fixture);
      assert.equal(outcome.kind, 'restored');
      assert.equal(outcome.keptBytes, Buffer.byteLength(since));
      assert.deepEqual(outcome.identity, fileIdentity(before));
      assert.deepEqual(fileIdentity(statSync(fixture.filePath, { bigint: true })), fileIdentity(before));
      assert.deepEqual(namesBeside(fixture), []);
    }));

  it('keeps appended rows on separate lines when the backup ends in NULs or without a newline', async () => {
    for (const end of ['\0\0\0', '{"parentUuid":"torn']) {
      const original = Buffer.concat([ORIGINAL, Buffer.from(end)]);
      await withTranscriptFile(async (fixture) => {
        const since = row(8, null);
        writeAged(backupOf(fixture), original);
        const repaired = fixture.repaired.toString().replaceAll('\0', '');
        writeFileSync(fixture.filePath, `${repaired}${repaired.endsWith('\n') ? '' : '\n'}${since}`);
        assert.equal((await undo(fixture)).kind, 'restored');
        assert.equal(readFileSync(fixture.filePath, 'utf8'), `${original.toString()}\n${since}`);
      }, original);
    }
  });

  it('refuses when the transcript has changes other than new rows, and names the backup', () =>
    withTranscriptFile(async (fixture) => {
      await repair(fixture);
      const changed = fixture.repaired.toString().replace('Prompt 3', 'Prompt three');
      writeFileSync(fixture.filePath, changed);
      const before = mtimeNs(fixture.filePath);
      const outcome = await undo(fixture);
      assertRefused(outcome, 'changed-since-repair');
      assert.ok(outcome.problem.includes(backupOf(fixture)));
      assert.equal(readFileSync(fixture.filePath, 'utf8'), changed);
      assert.equal(mtimeNs(fixture.filePath), before);
      assert.deepEqual(namesBeside(fixture), [basename(backupOf(fixture))]);
      assert.deepEqual(readFileSync(backupOf(fixture)), fixture.original);
    }));

  it('refuses without a backup, and when there is no transcript', () =>
    withTranscriptFile(async (fixture) => {
      assertRefused(await undo(fixture), 'no-backup');
      writeFileSync(`${fixture.folder}/gone.jsonl.backup-17`, ORIGINAL);
      assertRefused(await undoRewrite({ filePath: `${fixture.folder}/gone.jsonl`, assertNotLive }, DEPS), 'missing');
    }));

  it('refuses a live session, also one that becomes live meanwhile', () =>
    withTranscriptFile(async (fixture) => {
      await repair(fixture);
      for (const answers of [[true], [false, true]]) {
        const outcome = await undoRewrite({ filePath: fixture.filePath, assertNotLive: guardOf(answers) }, DEPS);
        assertRefused(outcome, 'live');
        assert.deepEqual(readFileSync(fixture.filePath), fixture.repaired);
        assert.deepEqual(namesBeside(fixture), [basename(backupOf(fixture))]);
      }
    }));

  it('names the unreadable file when the backup cannot be read', () =>
    withTranscriptFile(async (fixture) => {
      await repair(fixture);
      const fs = new FaultyFs();
      fs.faultOf = ({ name, path }) =>
        name === 'open read' && path === backupOf(fixture) ? { kind: 'fails', code: 'EACCES' } : null;
      const outcome = await undoRewrite({ filePath: fixture.filePath, assertNotLive }, depsOn(fs));
      assertRefused(outcome, 'unreadable');
      assert.ok(outcome.problem.includes(backupOf(fixture)));
      assert.deepEqual(readFileSync(fixture.filePath), fixture.repaired);
    }));

  it('keeps the backup when the swap might not survive a power failure', () =>
    withTranscriptFile(async (fixture) => {
      await repair(fixture);
      const fs = new FaultyFs();
      fs.faultOf = ({ name, path }) =>
        name === 'fsync' && path === fixture.folder ? { kind: 'fails', code: 'EIO' } : null;
      assert.equal((await undoRewrite({ filePath: fixture.filePath, assertNotLive }, depsOn(fs))).kind, 'restored');
      assert.deepEqual(readFileSync(fixture.filePath), fixture.original);
      assert.deepEqual(readFileSync(backupOf(fixture)), fixture.original);
    }));
});

describe('findBackups', () => {
  it('lists the backups of this transcript, newest first', () =>
    withTranscriptFile(async ({ filePath, folder }) => {
      const times = [999, BACKUP_MS, BACKUP_MS - 1, BACKUP_MS + 1];
      for (const ms of times) writeFileSync(`${filePath}.backup-${ms}`, 'x');
      const others = ['x.backup-', 'x.backup-12a', 'x.backup-1.old', 'x.backup--1', 'x.backup-01'];
      for (const name of others) writeFileSync(`${filePath}${name.slice(1)}`, 'x');
      writeFileSync(`${folder}/other.jsonl.backup-5`, 'x');
      writeFileSync(`${filePath}.backup-7`, '');
      mkdirSync(`${filePath}.backup-8`);
      symlinkSync(filePath, `${filePath}.backup-9`);
      const found = await findBackups(filePath, nodeWriteFs);
      assert.deepEqual(
        found,
        [BACKUP_MS + 1, BACKUP_MS, BACKUP_MS - 1, 999].map((ms) => `${filePath}.backup-${ms}`),
      );
    }));

  it('returns an empty list where there are none', () =>
    withTranscriptFile(async ({ filePath }) => {
      assert.deepEqual(await findBackups(filePath, nodeWriteFs), []);
    }));
});
