import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  clearDebris,
  keptOriginalPath,
  nodeWriteFs,
  pruneBackups,
  transcriptsWithDebris,
  unfinishedPath,
} from '../../rooms/storage';
import {
  ageLock,
  BACKUP_MS,
  guardOf,
  namesBeside,
  row,
  type TranscriptFixture,
  withTranscriptFile,
} from './transcriptFixture';

const DEPS = { fs: nodeWriteFs, now: () => Date.now(), random: () => Math.random().toString(36).slice(2) };
const free = (): Promise<void> => Promise.resolve();

async function found({ folder }: TranscriptFixture): Promise<readonly string[]> {
  return transcriptsWithDebris(folder, DEPS);
}

describe('What a killed repair leaves', () => {
  const leftovers: Readonly<Record<string, (fixture: TranscriptFixture) => void>> = {
    'an unfinished file': ({ filePath }) => {
      writeFileSync(unfinishedPath(filePath, 'x'), 'half');
    },
    'a replaced transcript': ({ filePath, original }) => {
      const path = keptOriginalPath(filePath, 'x', {
        size: original.length,
        mtimeNs: 1_000_000_000n,
        replacedBySize: 1,
      });
      writeFileSync(path, original);
      utimesSync(path, 1, 1);
    },
    'an old lock': (fixture) => {
      mkdirSync(`${fixture.filePath}.lock`);
      ageLock(fixture);
    },
    'a name for a backup': ({ filePath }) => {
      writeFileSync(`${filePath}.backup-5`, '');
    },
  };

  for (const [name, leave] of Object.entries(leftovers)) {
    it(`is found and cleared: ${name}`, () =>
      withTranscriptFile(async (fixture) => {
        assert.deepEqual(await found(fixture), []);
        leave(fixture);
        assert.deepEqual(await found(fixture), [basename(fixture.filePath)]);
        assert.equal(await clearDebris(fixture.filePath, free, DEPS), null);
        assert.deepEqual([await found(fixture), namesBeside(fixture)], [[], []]);
        assert.ok(readFileSync(fixture.filePath).equals(fixture.original));
      }));
  }

  it('is found and cleared: a second backup of the same content, but no other backup', () =>
    withTranscriptFile(async (fixture) => {
      const backup = (ms: number, text: string): void => {
        writeFileSync(`${fixture.filePath}.backup-${ms}`, text);
      };
      backup(BACKUP_MS, 'one');
      backup(BACKUP_MS + 1, 'two');
      assert.deepEqual(await found(fixture), []);
      backup(BACKUP_MS + 2, 'one');
      assert.deepEqual(await found(fixture), [basename(fixture.filePath)]);
      assert.equal(await clearDebris(fixture.filePath, free, DEPS), null);
      const left = namesBeside(fixture).map((name) => name.slice(name.indexOf('.backup-')));
      assert.deepEqual(left, [`.backup-${BACKUP_MS + 1}`, `.backup-${BACKUP_MS + 2}`]);
    }));

  it('is left alone while a process works on the transcript, and while a client runs the session', () =>
    withTranscriptFile(async (fixture) => {
      writeFileSync(unfinishedPath(fixture.filePath, 'x'), 'half');
      mkdirSync(`${fixture.filePath}.lock`);
      assert.deepEqual(await found(fixture), []);
      ageLock(fixture);
      assert.equal((await clearDebris(fixture.filePath, guardOf([true]), DEPS))?.reason, 'live');
      assert.ok(existsSync(unfinishedPath(fixture.filePath, 'x')));
    }));

  it('includes no backup until it is old, and never the newest one, or one without a transcript', () =>
    withTranscriptFile(async (fixture) => {
      const day = 24 * 60 * 60 * 1000;
      const nowMs = 100 * day;
      const gone = join(fixture.folder, '99999999-2222-4333-8444-555555555555.jsonl');
      const backups = [50, 69, 71].map((days) => `${fixture.filePath}.backup-${days * day}`);
      const ofGone = [1, 2].map((days) => `${gone}.backup-${days * day}`);
      for (const path of [...backups, ...ofGone]) writeFileSync(path, path);
      const prune = (days: number): Promise<readonly string[]> =>
        pruneBackups(fixture.folder, days, { ...DEPS, now: () => nowMs });
      assert.deepEqual(await prune(60), []);
      assert.deepEqual([...(await prune(30))].sort(), backups.slice(0, 2));
      assert.deepEqual(await prune(1), []);
      assert.deepEqual(
        [...backups.slice(2), ...ofGone].filter((path) => !existsSync(path)),
        [],
      );
    }));

  it('does not include a fork that another process is writing', () =>
    withTranscriptFile(async (fixture) => {
      const fork = join(fixture.folder, '99999999-2222-4333-8444-555555555555.jsonl');
      writeFileSync(unfinishedPath(fork, 'x-fork'), 'half');
      assert.deepEqual(await found(fixture), []);
    }));

  it('is removed without a transcript, unless it may be the last copy', () =>
    withTranscriptFile(async (fixture) => {
      const gone = join(fixture.folder, '99999999-2222-4333-8444-555555555555.jsonl');
      writeFileSync(unfinishedPath(gone, 'x'), 'half');
      const last = keptOriginalPath(gone, 'y', { size: 1, mtimeNs: 1n, replacedBySize: 1 });
      writeFileSync(last, row(1, null));
      assert.deepEqual(await found(fixture), [basename(gone)]);
      assert.equal((await clearDebris(gone, free, DEPS))?.reason, 'missing');
      assert.deepEqual(
        readdirSync(fixture.folder).filter((name) => name.startsWith('.')),
        [basename(last)],
      );
    }));
});
