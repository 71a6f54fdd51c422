import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diskSessionFiles, type FileStamp, isSameStamp } from '../../rooms/util';
import { withTemporaryFolder } from '../../support/temporaryFolder';

const stampNow = (path: string): FileStamp | null => diskSessionFiles.stampNow(path);
const stampAgain = (path: string, known: FileStamp | null): FileStamp | null =>
  diskSessionFiles.stampAgain(path, known);

describe('A file that is asked for its state again', () => {
  it('gives the very stamp that is known as long as nothing has changed', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'a');
      writeFileSync(path, 'one');
      const [ofFile, ofFolder] = [stampNow(path), stampNow(folder)];
      assert.equal(stampAgain(path, ofFile), ofFile);
      assert.equal(stampAgain(folder, ofFolder), ofFolder);
      assert.ok(isSameStamp(stampAgain(path, null), await diskSessionFiles.stamp(path)));
    }));

  const changes: Record<string, (path: string) => void> = {
    'is appended to': (path) => {
      appendFileSync(path, 'x');
    },
    'is truncated': (path) => {
      truncateSync(path, 1);
    },
    'is written anew with the same size': (path) => {
      writeFileSync(path, 'two');
    },
    'is replaced by one of the same size and time': (path) => {
      writeFileSync(`${path}2`, 'two');
      utimesSync(`${path}2`, 1000, 1000);
      renameSync(`${path}2`, path);
    },
    'is written anew and given its old time': (path) => {
      writeFileSync(path, 'two');
      utimesSync(path, 1000, 1000);
    },
    'gives way to a folder': (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`gives another stamp when it ${what}`, async () =>
      withTemporaryFolder(async (folder) => {
        const path = join(folder, 'a');
        writeFileSync(path, 'one');
        utimesSync(path, 1000, 1000);
        const known = stampNow(path);
        // The clock of a file system ticks every few milliseconds.
        await new Promise((resolve) => setTimeout(resolve, 20));
        change(path);
        const again = stampAgain(path, known);
        assert.ok(!isSameStamp(again, known));
        assert.ok(isSameStamp(again, stampNow(path)));
      }));
  }

  it('gives nothing when it is gone, also behind a file that has taken the place of its folder', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'below', 'a');
      mkdirSync(join(folder, 'below'));
      writeFileSync(path, 'one');
      const known = stampNow(path);
      rmSync(join(folder, 'below'), { recursive: true });
      assert.equal(stampAgain(path, known), null);
      writeFileSync(join(folder, 'below'), '');
      assert.equal(stampAgain(path, known), await diskSessionFiles.stamp(path));
      assert.equal(stampAgain(path, known), null);
    }));
});
