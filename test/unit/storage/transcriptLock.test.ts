import assert from 'node:assert/strict';
import { existsSync, rmdirSync, utimesSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { lockTranscript, nodeWriteFs } from '../../rooms/storage';
import { FaultyFs } from './faultyFs';
import { ageLock, withTranscriptFile } from './transcriptFixture';

/** Resolves when the lock was refreshed `times` times. */
function refreshes(fs: FaultyFs, filePath: string, times: number): Promise<void> {
  let seen = 0;
  return new Promise((resolve) => {
    fs.beforeCall = ({ name, path }) => {
      if (name === 'utimes' && path === `${filePath}.lock` && ++seen === times) resolve();
    };
  });
}

describe('lockTranscript', () => {
  it('is held until it is released', () =>
    withTranscriptFile(async ({ filePath }) => {
      const lock = await lockTranscript(filePath, nodeWriteFs);
      await assert.rejects(lockTranscript(filePath, nodeWriteFs), { code: 'locked' });
      await lock.release();
      assert.ok(!existsSync(`${filePath}.lock`));
      await (await lockTranscript(filePath, nodeWriteFs)).release();
    }));

  it('is refreshed and not lost for as long as it is held', () =>
    withTranscriptFile(async ({ filePath }) => {
      const fs = new FaultyFs();
      const lock = await lockTranscript(filePath, fs);
      // The second refresh finds the time that the first one set.
      await refreshes(fs, filePath, 2);
      assert.equal(lock.isLost(), false);
      await lock.release();
    })).timeout(20_000);

  it('reads back exactly the time that a refresh sets', () =>
    withTranscriptFile(async ({ filePath }) => {
      for (let ms = 1_795_300_872_000; ms < 1_795_300_872_400; ms++) {
        await nodeWriteFs.utimes(filePath, new Date(ms), new Date(ms));
        assert.equal((await nodeWriteFs.stat(filePath)).mtime.getTime(), ms);
      }
    }));

  it('notices that another process took the lock over, and does not remove that process’s lock', () =>
    withTranscriptFile(async (fixture) => {
      const { filePath } = fixture;
      const fs = new FaultyFs();
      const lock = await lockTranscript(filePath, fs);
      ageLock(fixture);
      const isNoticed = new Promise<void>((resolve) => {
        fs.beforeCall = ({ name }) => {
          if (name === 'stat') setImmediate(resolve);
        };
      });
      await isNoticed;
      while (!lock.isLost()) await new Promise(setImmediate);
      await lock.release();
      assert.ok(existsSync(`${filePath}.lock`));
      rmdirSync(`${filePath}.lock`);
    })).timeout(20_000);

  it('leaves no lock behind when it cannot be taken, however long its removal takes', () =>
    withTranscriptFile(async ({ filePath }) => {
      const fs = new FaultyFs();
      fs.faultOf = ({ name }) => (name === 'utimes' ? { kind: 'fails', code: 'EIO' } : null);
      const { rmdir } = fs;
      fs.rmdir = async (path) => {
        await setTimeout(50);
        await rmdir(path);
      };
      await assert.rejects(lockTranscript(filePath, fs), { code: 'EIO' });
      assert.ok(!existsSync(`${filePath}.lock`));
    }));

  it('takes over the lock of a dead process, but not a fresh one', () =>
    withTranscriptFile(async (fixture) => {
      await nodeWriteFs.mkdir(`${fixture.filePath}.lock`);
      await assert.rejects(lockTranscript(fixture.filePath, nodeWriteFs), { code: 'locked' });
      utimesSync(`${fixture.filePath}.lock`, 1, 1);
      await (await lockTranscript(fixture.filePath, nodeWriteFs)).release();
      assert.ok(!existsSync(`${fixture.filePath}.lock`));
    }));
});
