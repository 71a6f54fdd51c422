import assert from 'node:assert/strict';
import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  LARGE_FILE_BYTES,
  scanFile,
  scanFileOnce,
  type ScannerFactory,
  type ScannerOptions,
} from '../../rooms/transcript';
import { fileProblem } from '../../rooms/util';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, transcript } from '../../support/transcriptBuilder';
import { plainScanner } from '../../support/plainScanner';

/** Yields after every chunk. */
const pacer = { yieldIfDue: (): Promise<void> => nextTurn() };
const BIG = Buffer.from(`{"type":"summary","summary":"${'x'.repeat(1000)}"}\n`.repeat(12_000));

describe('scanFile', () => {
  it('reads a file of many chunks to its end and reports its progress', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'big.jsonl');
      await writeFile(path, BIG);
      const seen: number[] = [];
      const { index, identity } = await scanFile(path, plainScanner, {
        pacer,
        onProgress: (bytes) => seen.push(bytes),
      });
      assert.deepEqual([index.lineCount, index.fileSize, identity.size], [12_000, BIG.length, BigInt(BIG.length)]);
      assert.ok(seen.length >= 2 && seen.every((bytes, at) => bytes > (seen[at - 1] ?? 0) && bytes <= BIG.length));
    }));

  it('reads no further than the size the file had when it was opened', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'grows.jsonl');
      await writeFile(path, BIG);
      let grown = Promise.resolve();
      const onProgress = (): void => {
        grown = grown.then(() => appendFile(path, 'torn'));
      };
      const { index } = await scanFile(path, plainScanner, { pacer, onProgress });
      await grown;
      assert.equal(index.fileSize, BIG.length);
      assert.equal(index.lineFaults.count('torn'), 0);
    }));

  it('stops with the reason of its signal', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 'big.jsonl');
      await writeFile(path, BIG);
      const stop = new AbortController();
      const reason = new Error('enough');
      const scan = scanFile(path, plainScanner, {
        pacer,
        signal: stop.signal,
        onProgress: () => {
          stop.abort(reason);
        },
      });
      await assert.rejects(scan, reason);
    }));

  it('refuses anything but a regular file', () =>
    withTemporaryFolder(async (folder) => {
      await mkdir(join(folder, 'd.jsonl'));
      await assert.rejects(scanFile(join(folder, 'd.jsonl'), plainScanner), { code: 'EISDIR' });
      if (process.platform !== 'win32') await assert.rejects(scanFile('/dev/null', plainScanner), { code: 'EFTYPE' });
    }));
});

describe('A scan of a large file', () => {
  const straight = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];
  const branched = [...straight, prompt('q2', 'r1'), reply('s2', 'q2')];
  const padding = Buffer.from(
    `${JSON.stringify({ type: 'queue-operation', content: 'x'.repeat(LARGE_FILE_BYTES) })}\n`,
  );

  /** The options of each scanner that `scan` needs for the rows. */
  function scansOf(
    rows: Buffer,
    scan: (path: string, create: ScannerFactory) => Promise<unknown>,
  ): Promise<readonly ScannerOptions[]> {
    return withTemporaryFolder(async (folder) => {
      const path = join(folder, 'session.jsonl');
      await writeFile(path, rows);
      const made: ScannerOptions[] = [];
      const create = wasmScanners();
      await scan(path, (options = {}) => {
        made.push(options);
        return create(options);
      });
      return made;
    });
  }
  const byteRowsOf = (made: readonly ScannerOptions[]): boolean[] =>
    made.map((options) => options.withByteRows === true);
  const large = (rows: Parameters<typeof transcript>[0]): Buffer => Buffer.concat([padding, transcript(rows)]);
  const once = (path: string, create: ScannerFactory): Promise<unknown> => scanFileOnce(path, create, () => null);

  it('reads a straight transcript once, without its byte rows', async () => {
    assert.deepEqual(byteRowsOf(await scansOf(large(straight), once)), [false]);
  });

  it('reads any other once, too, if its rows have the usual form', async () => {
    assert.deepEqual(byteRowsOf(await scansOf(large(branched), once)), [false]);
  });

  it('reads any other once more, with its byte rows, if a row has another form', async () => {
    const spaced = Buffer.from(large(branched).toString().replace('{"parentUuid"', '{ "parentUuid"'));
    assert.deepEqual(byteRowsOf(await scansOf(spaced, once)), [false, true]);
  });

  it('reads a small file once, whatever it holds', async () => {
    assert.deepEqual(byteRowsOf(await scansOf(transcript(branched), once)), [false]);
  });

  it('reads it in the same way if its facts are kept, and without byte rows if nobody asks what is loaded', async () => {
    const kept = (path: string, create: ScannerFactory): Promise<unknown> => scanFile(path, create);
    const spaced = Buffer.from(large(branched).toString().replace('{"parentUuid"', '{ "parentUuid"'));
    assert.deepEqual(byteRowsOf(await scansOf(large(branched), kept)), [false]);
    assert.deepEqual(byteRowsOf(await scansOf(spaced, kept)), [false, true]);
    const none = { withByteRows: false };
    assert.deepEqual(byteRowsOf(await scansOf(large(branched), (path, create) => scanFile(path, create, none))), [
      false,
    ]);
    assert.deepEqual(byteRowsOf(await scansOf(transcript(branched), kept)), [false]);
  });
});

describe('fileProblem', () => {
  it('describes a file system error in one sentence', () =>
    withTemporaryFolder(async (folder) => {
      await symlink('loop.jsonl', join(folder, 'loop.jsonl'));
      await mkdir(join(folder, 'folder.jsonl'));
      await writeFile(join(folder, 'file'), '');
      const problemOf = async (name: string): Promise<string> => {
        const path = join(folder, name);
        const error: unknown = await scanFile(path, plainScanner).then(
          () => null,
          (reason: unknown) => reason,
        );
        const { kind, message } = fileProblem(error, path);
        assert.ok(message.startsWith(path) && message.endsWith('.') && !message.includes('\n'), message);
        return kind;
      };
      assert.equal(await problemOf('nothing.jsonl'), 'missing');
      assert.equal(await problemOf('file/inside.jsonl'), 'missing');
      assert.equal(await problemOf('folder.jsonl'), 'not-a-file');
      assert.equal(await problemOf('loop.jsonl'), 'unreadable');
    }));

  it('has a sentence for unknown errors', () => {
    for (const error of [new TypeError('x'), 'a string', undefined, Object.assign(new Error('x'), { code: 'EIO' })]) {
      const { kind, message } = fileProblem(error, '/t.jsonl');
      assert.equal(kind, 'unreadable');
      assert.match(message, /^\/t\.jsonl could not be read \(.+\)\.$/);
    }
    assert.match(fileProblem(Object.assign(new Error('x'), { code: 'EACCES' }), '/t').message, /permission denied/);
  });
});
