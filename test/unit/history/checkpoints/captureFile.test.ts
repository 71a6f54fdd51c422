import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
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
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { captureFile } from '../../../rooms/history';
import { nodeWriteFs } from '../../../rooms/storage';
import { callOf, type StoreFixture, withStore } from '../sessionStore/storeFixture';

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

async function checkpointOf(store: StoreFixture['store'], id: string, ...paths: string[]) {
  const session = await store.open(id, '/');
  const checkpoint = await session.checkpoint(callOf(), paths);
  assert.ok(checkpoint !== null);
  assert.deepEqual((await store.checkpoints(id)).at(-1), checkpoint);
  return checkpoint.files;
}

describe('A checkpoint of the extension', () => {
  it('captures a file with its bytes, size and mode', () =>
    withStore(async ({ store, folder, pathsOf }) => {
      const path = join(folder, 'a b.txt');
      const bytes = Buffer.from([0, 255, 10, 13, 128]);
      writeFileSync(path, bytes);
      chmodSync(path, 0o754);
      const [file] = await checkpointOf(store, 'one', path);
      assert.deepEqual(file, {
        path,
        link: null,
        realFolder: folder,
        state: { kind: 'file', sha256: sha256(bytes), size: 5, mode: 0o754 },
      });
      writeFileSync(path, 'something else');
      assert.ok(readFileSync(join(pathsOf('one').content.own, sha256(bytes))).equals(bytes));
    }));

  it('records paths that did not exist or were not files', () =>
    withStore(async ({ store, folder }) => {
      writeFileSync(join(folder, 'file'), '');
      mkdirSync(join(folder, 'folder'));
      execFileSync('mkfifo', [join(folder, 'pipe')]);
      const names = ['missing', 'missing/deep', 'file/below', 'folder', 'pipe', 'nul\0byte', 'file'];
      const files = await checkpointOf(store, 'one', ...names.map((name) => join(folder, name)));
      assert.deepEqual(
        files.map(({ state }) => (state.kind === 'notKept' ? state.why : state.kind)),
        ['absent', 'absent', 'absent', 'notAFile', 'notAFile', 'unreadable', 'file'],
      );
    }));

  it('captures the target of a symbolic link under the link’s own path', () =>
    withStore(async ({ store, folder }) => {
      const target = join(folder, 'target.txt');
      writeFileSync(target, 'x');
      mkdirSync(join(folder, 'deep'));
      symlinkSync('../target.txt', join(folder, 'deep', 'link'));
      symlinkSync('deep/link', join(folder, 'link'));
      symlinkSync('nowhere', join(folder, 'dangling'));
      symlinkSync('deep', join(folder, 'folder-link'));
      symlinkSync('loop', join(folder, 'loop'));
      const named = ['link', 'dangling', 'folder-link', 'loop'].map((name) => join(folder, name));
      const files = await checkpointOf(store, 'one', ...named);
      const kept = { kind: 'file', sha256: sha256('x'), size: 1, mode: statSync(target).mode & 0o7777 };
      assert.deepEqual(files, [
        { path: target, link: named[0], realFolder: folder, state: kept },
        { path: named[1], link: null, realFolder: folder, state: { kind: 'notKept', why: 'notAFile' } },
        { path: join(folder, 'deep'), link: named[2], realFolder: folder, state: { kind: 'notKept', why: 'notAFile' } },
        { path: named[3], link: null, realFolder: folder, state: { kind: 'notKept', why: 'notAFile' } },
      ]);
    }));

  it('reports the real folder of a file, also if the folder does not exist yet', () =>
    withStore(async ({ store, folder, pathsOf }) => {
      mkdirSync(join(folder, 'lib'));
      symlinkSync('lib', join(folder, 'src'));
      const files = await checkpointOf(store, 'one', join(folder, 'src', 'a.txt'), join(folder, 'src/new/b.txt'));
      assert.deepEqual(
        files.map(({ realFolder }) => realFolder),
        [join(folder, 'lib'), join(folder, 'lib', 'new')],
      );
      const rows = pathsOf('one').checkpoints;
      writeFileSync(rows, readFileSync(rows, 'utf8').replaceAll('realFolder', 'unknown'));
      assert.equal((await store.checkpoints('one'))[0]?.files[0]?.realFolder, null);
    }));

  it('never reports a file that cannot be read or stored as absent', () =>
    withStore(async ({ folder, deps, pathsOf }) => {
      const path = join(folder, 'a.txt');
      writeFileSync(path, 'x');
      const { content } = pathsOf('one');
      // A file in place of the store's folder: storing fails with ENOTDIR, whatever the source is.
      mkdirSync(join(content.own, '..'), { recursive: true });
      writeFileSync(content.own, '');
      const { file, failed } = await captureFile(path, content, deps);
      assert.deepEqual([file.state, failed], [{ kind: 'notKept', why: 'unreadable' }, 'ENOTDIR']);
    }));

  it('stores the same bytes only once, within a session and across sessions', () =>
    withStore(async ({ store, folder, pathsOf }) => {
      for (const name of ['a', 'b']) writeFileSync(join(folder, name), 'same');
      const big = Buffer.alloc(3_000_000, 'big');
      writeFileSync(join(folder, 'c'), big);
      const names = ['a', 'b', 'c'].map((name) => join(folder, name));
      for (const id of ['one', 'two']) for (let times = 0; times < 2; times++) await checkpointOf(store, id, ...names);
      for (const id of ['one', 'two']) assert.equal(readdirSync(pathsOf(id).content.own).length, 2);
      for (const hash of [sha256('same'), sha256(big)]) {
        const [one, two] = ['one', 'two'].map((id) => statSync(join(pathsOf(id).content.own, hash)));
        assert.equal(one?.ino, two?.ino);
        assert.equal(one?.nlink, 3);
      }
    }));

  it('never gives the file another name, and keeps what it held whatever is written to it', () =>
    withStore(async ({ store, folder, pathsOf }) => {
      for (const [name, bytes] of [
        ['small', Buffer.from('small')],
        ['large', Buffer.alloc(3_000_000, 'large')],
      ] as const) {
        const path = join(folder, name);
        writeFileSync(path, bytes, { mode: 0o444 });
        await checkpointOf(store, 'one', path);
        assert.equal(statSync(path).nlink, 1);
        const kept = join(pathsOf('one').content.own, sha256(bytes));
        const { ino, mode } = statSync(kept);
        assert.notEqual(ino, statSync(path).ino);
        assert.equal(mode & 0o777, 0o600, 'nobody else can read the copy');
        chmodSync(path, 0o644);
        appendFileSync(path, 'more');
        assert.ok(readFileSync(kept).equals(bytes));
      }
    }));

  it('leaves the copying to the file system, which may share the blocks', () =>
    withStore(async ({ storeOn, folder }) => {
      const copied: string[] = [];
      const fs = {
        ...nodeWriteFs,
        copy: async (existing: string, path: string) => {
          copied.push(existing);
          await nodeWriteFs.copy(existing, path);
        },
      };
      const path = join(folder, 'a');
      writeFileSync(path, Buffer.alloc(3_000_000, 'x'));
      await checkpointOf(storeOn(fs), 'one', path);
      // The first attempt finds that the folder of the copies is missing.
      assert.deepEqual(copied, [path, path]);
    }));

  it('does not read a file again that is certainly the same', () =>
    withStore(async ({ storeOn, folder, pathsOf }) => {
      const read: string[] = [];
      const fs: typeof nodeWriteFs = {
        ...nodeWriteFs,
        open: (path, mode) => {
          if (path.startsWith(join(folder, 'file')) || path.startsWith(pathsOf('one').content.own)) read.push(path);
          return nodeWriteFs.open(path, mode);
        },
      };
      let nowMs = Date.now() + 10_000;
      const store = storeOn(fs, { now: () => nowMs });
      const path = join(folder, 'file');
      const readIn = async (): Promise<boolean> => {
        read.length = 0;
        const [file] = await checkpointOf(store, 'one', path);
        const bytes = readFileSync(path);
        assert.deepEqual(file?.state, { kind: 'file', sha256: sha256(bytes), size: bytes.length, mode: 0o644 });
        return read.length > 0;
      };
      writeFileSync(path, 'first', { mode: 0o644 });
      assert.equal(await readIn(), true);
      assert.equal(await readIn(), false);
      // The same size, and the time of before.
      const { atime, mtime } = statSync(path);
      writeFileSync(path, 'other');
      utimesSync(path, atime, mtime);
      assert.equal(await readIn(), true, 'other bytes');
      assert.equal(await readIn(), false);
      renameSync(path, join(folder, 'away'));
      writeFileSync(path, 'other', { mode: 0o644 });
      assert.equal(await readIn(), true, 'another file');
      nowMs = Date.now();
      appendFileSync(path, '!');
      assert.equal(await readIn(), true, 'just written');
      assert.equal(await readIn(), true, 'it may have been written again within one tick of the clock');
      nowMs = Date.now() + 10_000;
      assert.equal(await readIn(), true, 'the record is as young as the file');
      assert.equal(await readIn(), false);
      const kept = join(pathsOf('one').content.own, sha256('other!'));
      writeFileSync(kept, 'wrong!');
      assert.equal(await readIn(), true, 'the copy was altered');
      assert.equal(readFileSync(kept, 'utf8'), 'other!');
      rmSync(kept);
      assert.equal(await readIn(), true, 'the copy is gone');
      assert.equal(readFileSync(kept, 'utf8'), 'other!');
      assert.equal(await readIn(), false);
      const rows = pathsOf('one').checkpoints;
      writeFileSync(rows, readFileSync(rows, 'utf8').replaceAll('"seen"', '"unseen"'));
      assert.equal(await readIn(), true, 'an older version wrote the rows');
    }));

  it('stores a copy again if it was altered since, in this session or another', () =>
    withStore(async ({ store, folder, pathsOf }) => {
      const path = join(folder, 'a');
      writeFileSync(path, 'right');
      await checkpointOf(store, 'one', path);
      const kept = join(pathsOf('one').content.own, sha256('right'));
      writeFileSync(kept, 'wrong');
      await checkpointOf(store, 'two', path);
      assert.equal(readFileSync(join(pathsOf('two').content.own, sha256('right')), 'utf8'), 'right');
      await checkpointOf(store, 'one', path);
      assert.equal(readFileSync(kept, 'utf8'), 'right');
    }));

  it('does not store a file above the limit, also if it grows while it is read', () =>
    withStore(async ({ folder, deps, pathsOf }) => {
      const path = join(folder, 'large');
      for (const [size, why] of [
        [1_500_000, null],
        [1_500_001, 'tooLarge'],
      ] as const) {
        writeFileSync(path, Buffer.alloc(size, 1));
        const { file } = await captureFile(path, pathsOf('one').content, deps, 1_500_000);
        assert.equal(file.state.kind === 'notKept' ? file.state.why : null, why);
        if (why !== null) assert.deepEqual(file.state, { kind: 'notKept', why, size, maxBytes: 1_500_000 });
      }
      writeFileSync(path, Buffer.alloc(1_500_000, 2));
      const growing = {
        ...nodeWriteFs,
        open: async (...asked: Parameters<typeof nodeWriteFs.open>) => {
          if (asked[0] === path) truncateSync(path, 1_500_001);
          return nodeWriteFs.open(...asked);
        },
      };
      const { file } = await captureFile(path, pathsOf('one').content, { ...deps, fs: growing }, 1_500_000);
      assert.deepEqual(file.state, { kind: 'notKept', why: 'tooLarge' });
      assert.equal(readdirSync(pathsOf('one').content.own).length, 1, 'nothing of it is left');
    }));

  it('works on file systems without hard links', () =>
    withStore(async ({ storeOn, folder, pathsOf }) => {
      const path = join(folder, 'a');
      writeFileSync(path, 'x');
      const refuse = () => Promise.reject(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
      const store = storeOn({ ...nodeWriteFs, link: refuse });
      const session = await store.open('one', '/');
      await session.append({ at: 1 }, 'a');
      await checkpointOf(store, 'one', path);
      await store.fork('one', { id: 'two' });
      await store.delete('one');
      assert.equal((await store.load('two')).messages.length, 1);
      assert.equal(readFileSync(join(pathsOf('two').content.own, sha256('x')), 'utf8'), 'x');
    }));

  it('leaves the file unchanged, including its times and its other names', () =>
    withStore(async ({ store, folder }) => {
      const path = join(folder, 'a');
      writeFileSync(path, 'x');
      linkSync(path, join(folder, 'b'));
      utimesSync(path, 1000, 1000);
      const before = statSync(path);
      await checkpointOf(store, 'one', path);
      const after = statSync(path);
      assert.deepEqual([after.ino, after.nlink, after.mtimeMs], [before.ino, 2, before.mtimeMs]);
    }));
});
