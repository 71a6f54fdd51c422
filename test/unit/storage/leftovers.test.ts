import assert from 'node:assert/strict';
import { appendFileSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  keptOriginalPath,
  nodeWriteFs,
  removeStaleFiles,
  rewriteTranscript,
  unfinishedPath,
} from '../../rooms/storage';
import { FaultyFs } from './faultyFs';
import {
  depsOn,
  namesBeside,
  repairRequest,
  row,
  type TranscriptFixture,
  withTranscriptFile,
} from './transcriptFixture';

const LATE_ROWS = row(8, null, 'Too late.') + row(9, null, 'Later still.');

/** The state that a dead process leaves: the transcript is repaired, and the replaced file has its second name. */
function leaveKept({ filePath, original, repaired }: TranscriptFixture, late: string): string {
  const size = original.length;
  const path = (mtimeNs: bigint): string =>
    keptOriginalPath(filePath, 'token', { size, mtimeNs, replacedBySize: repaired.length });
  writeFileSync(path(0n), original);
  const kept = path(statSync(path(0n), { bigint: true }).mtimeNs);
  linkSync(path(0n), kept);
  rmSync(path(0n));
  appendFileSync(kept, late);
  writeFileSync(filePath, repaired);
  return kept;
}

describe('removeStaleFiles', () => {
  const clear = ({ filePath }: TranscriptFixture): Promise<boolean> => removeStaleFiles(filePath, nodeWriteFs);
  const textOf = ({ filePath }: TranscriptFixture): string => readFileSync(filePath, 'utf8');

  it('removes unfinished files and empty backups of this transcript, and nothing else', () =>
    withTranscriptFile(async (fixture) => {
      writeFileSync(unfinishedPath(fixture.filePath, 'token'), 'half');
      writeFileSync(`${fixture.filePath}.backup-12`, '');
      const others = ['.other.jsonl.rethread-token.tmp', 'other.jsonl.backup-12', '.rethread-x.tmp'];
      for (const name of others) writeFileSync(join(fixture.folder, name), '');
      writeFileSync(`${fixture.filePath}.backup-13`, 'x');
      assert.equal(await clear(fixture), false);
      assert.deepEqual(
        namesBeside(fixture).sort(),
        [...others, `${fixture.filePath.slice(fixture.folder.length + 1)}.backup-13`].sort(),
      );
    }));

  it('removes the second name of a transcript that was not replaced', () =>
    withTranscriptFile(async (fixture) => {
      const { size, mtimeNs } = statSync(fixture.filePath, { bigint: true });
      linkSync(
        fixture.filePath,
        keptOriginalPath(fixture.filePath, 't', { size: Number(size), mtimeNs, replacedBySize: 1 }),
      );
      assert.equal(await clear(fixture), false);
      assert.deepEqual(namesBeside(fixture), []);
      assert.deepEqual(readFileSync(fixture.filePath), fixture.original);
    }));

  it('removes a replaced file to which nothing was appended', () =>
    withTranscriptFile(async (fixture) => {
      leaveKept(fixture, '');
      const { mtimeNs } = statSync(fixture.filePath, { bigint: true });
      assert.equal(await clear(fixture), false);
      assert.deepEqual(namesBeside(fixture), []);
      assert.equal(statSync(fixture.filePath, { bigint: true }).mtimeNs, mtimeNs);
    }));

  it('restores late rows completely and once, however far the dead process got', async () => {
    for (let there = 0; there <= Buffer.byteLength(LATE_ROWS); there += 13) {
      await withTranscriptFile(async (fixture) => {
        leaveKept(fixture, LATE_ROWS);
        appendFileSync(fixture.filePath, Buffer.from(LATE_ROWS).subarray(0, there));
        assert.equal(await clear(fixture), true);
        assert.equal(textOf(fixture), fixture.repaired.toString() + LATE_ROWS);
        assert.deepEqual(namesBeside(fixture), []);
        assert.equal(await clear(fixture), false);
      });
    }
  });

  it('restores late rows as separate lines after what the client wrote since', async () => {
    for (const [since, between] of [
      [row(7, null), ''],
      ['{"parentUuid":"torn', '\n'],
    ] as const) {
      await withTranscriptFile(async (fixture) => {
        leaveKept(fixture, LATE_ROWS);
        appendFileSync(fixture.filePath, since);
        assert.equal(await clear(fixture), true);
        assert.equal(textOf(fixture), fixture.repaired.toString() + since + between + LATE_ROWS);
      });
    }
  });

  it('keeps a replaced file that was changed in another way, and one whose transcript was deleted', () =>
    withTranscriptFile(async (fixture) => {
      const kept = leaveKept(fixture, '');
      writeFileSync(kept, 'something else');
      assert.equal(await clear(fixture), false);
      assert.equal(readFileSync(kept, 'utf8'), 'something else');
      rmSync(kept);
      const late = leaveKept(fixture, LATE_ROWS);
      rmSync(fixture.filePath);
      assert.equal(await clear(fixture), false);
      assert.ok(readFileSync(late, 'utf8').endsWith(LATE_ROWS));
    }));

  it('makes a repair that was planned without these rows start again', () =>
    withTranscriptFile(async (fixture) => {
      leaveKept(fixture, LATE_ROWS);
      writeFileSync(fixture.filePath, fixture.original);
      const first = await rewriteTranscript(repairRequest(fixture.filePath), depsOn(nodeWriteFs));
      assert.ok(first.kind === 'refused' && first.reason === 'changed-while-repairing');
      assert.match(first.problem, /put back/);
      const second = await rewriteTranscript(repairRequest(fixture.filePath), depsOn(nodeWriteFs));
      assert.equal(second.kind, 'written');
      assert.ok(textOf(fixture).endsWith(LATE_ROWS));
    }));

  it('leaves the rows in the replaced file when they cannot be restored', () =>
    withTranscriptFile(async (fixture) => {
      const kept = leaveKept(fixture, LATE_ROWS);
      const fs = new FaultyFs();
      fs.faultOf = ({ name }) => (name === 'open append' ? { kind: 'fails', code: 'EACCES' } : null);
      const outcome = await rewriteTranscript(repairRequest(fixture.filePath), depsOn(fs));
      assert.ok(outcome.kind === 'refused' && outcome.reason === 'read-only');
      assert.ok(readFileSync(kept, 'utf8').endsWith(LATE_ROWS));
      assert.equal(textOf(fixture), fixture.repaired.toString());
      assert.equal(fs.openFiles, 0);
    }));
});

describe('rewriteTranscript without hard links', () => {
  it('keeps late rows that cannot be appended in a file, and names it in the warning', () =>
    withTranscriptFile(async (fixture) => {
      const fs = new FaultyFs();
      let isSwapped = false;
      fs.beforeCall = ({ name, path }) => {
        if (name !== 'rename' || !path.endsWith('.old')) return;
        appendFileSync(fixture.filePath, LATE_ROWS);
        isSwapped = true;
      };
      fs.faultOf = ({ name, path }) => {
        if (name === 'link') return { kind: 'fails', code: 'ENOTSUP' };
        return isSwapped && name === 'write' && path.endsWith('.tmp') ? { kind: 'fails', code: 'EIO' } : null;
      };
      const outcome = await rewriteTranscript(repairRequest(fixture.filePath), depsOn(fs));
      assert.ok(outcome.kind === 'written' && outcome.warning !== null);
      const [kept] = namesBeside(fixture).filter((name) => outcome.warning?.includes(name));
      assert.ok(readFileSync(join(fixture.folder, kept ?? ''), 'utf8').endsWith(LATE_ROWS));
      assert.equal(textOfPath(fixture.filePath), fixture.repaired.toString());
      assert.equal(fs.openFiles, 0);
    }));
});

function textOfPath(path: string): string {
  return readFileSync(path, 'utf8');
}
