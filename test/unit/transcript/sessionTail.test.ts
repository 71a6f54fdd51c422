import assert from 'node:assert/strict';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  LARGE_FILE_BYTES,
  scanFile,
  type ScannerFactory,
  type TranscriptIndex,
  TranscriptTail,
} from '../../rooms/transcript';
import type { Finding } from '../../../src/protocol/repair';
import { verdictOf } from '../../support/diagnosed';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, type RowFields, transcript } from '../../support/transcriptBuilder';
import { plainScanner } from '../../support/plainScanner';

const ROWS = [prompt('p1', null), reply('r1', 'p1')];
const START = transcript(ROWS);
/** The whole transcript again: an exact copy of each row, which is harmless. */
const COPIES = START;
/** Different rows with the same uuids. */
const OTHERS = transcript([prompt('p1', null, { isMeta: true }), reply('r1', 'p1', { isMeta: true })]);
/** Copies of the rows that another client wrote elsewhere. */
const REWRITTEN = transcript(ROWS.map((row) => ({ cwd: '/elsewhere', ...row })));

/** Counts the scanners that were created with row hashes and without. */
function countingScanners(): { readonly create: ScannerFactory; readonly made: { with: number; without: number } } {
  const create = wasmScanners();
  const made = { with: 0, without: 0 };
  return {
    made,
    create: (options) => {
      made[options?.withHashes === false ? 'without' : 'with']++;
      return create(options);
    },
  };
}

function findingsOf(index: TranscriptIndex): readonly Finding[] {
  return verdictOf(index).result.findings;
}

async function scannedFindings(path: string): Promise<readonly Finding[]> {
  return findingsOf((await scanFile(path, plainScanner)).index);
}

function withTranscript(use: (path: string) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const path = join(folder, 'session.jsonl');
    writeFileSync(path, START);
    await use(path);
  });
}

describe('TranscriptTail, when its file grows over 5 MiB', () => {
  const filler = (bytes: number): Buffer =>
    Buffer.from(`${JSON.stringify({ type: 'queue-operation', content: 'x'.repeat(bytes) })}\n`);
  /** A branch, which the client loses there. */
  const branch: readonly RowFields[] = [prompt('q1', 'r1'), reply('s1', 'q1')];

  const byBytes = (made: string[], create: ScannerFactory): ScannerFactory => {
    return (options) => {
      made.push(
        options?.withByteRows === true ? 'by bytes' : options?.withProvenByteRows === true ? 'proved' : 'small',
      );
      return create(options);
    };
  };
  const isAsScanned = async (index: TranscriptIndex, path: string, create: ScannerFactory): Promise<void> => {
    assert.notEqual(index.byteRows, null);
    assert.deepEqual(verdictOf(index, path), verdictOf((await scanFile(path, create)).index, path));
  };

  it('is not read by bytes if its rows prove what is needed, until it grows', () =>
    withTranscript(async (path) => {
      const made: string[] = [];
      const create = wasmScanners();
      appendFileSync(path, transcript([...branch, prompt('p2', 'r1')]));
      appendFileSync(path, filler(LARGE_FILE_BYTES));
      const tail = new TranscriptTail(path, byBytes(made, create));
      const first = tail.read();
      await isAsScanned(first.index, path, create);
      assert.equal(tail.read().index, first.index, 'what is known is not computed again');
      assert.deepEqual(made, ['proved']);
      appendFileSync(path, transcript([reply('r2', 'p2')]));
      assert.equal(tail.read().change, 'scanned');
      appendFileSync(path, transcript([prompt('p3', 'r2')]));
      const grown = tail.read();
      assert.equal(grown.change, 'grown');
      await isAsScanned(grown.index, path, create);
      assert.deepEqual(made, ['proved', 'by bytes']);
    }));

  it('is read by bytes at once if its rows do not prove what is needed', () =>
    withTranscript(async (path) => {
      const made: string[] = [];
      const create = wasmScanners();
      // No client writes the uuid first.
      const { uuid, ...others } = prompt('p2', 'r1');
      appendFileSync(path, transcript([...branch, { uuid, ...others }]));
      appendFileSync(path, filler(LARGE_FILE_BYTES));
      const tail = new TranscriptTail(path, byBytes(made, create));
      await isAsScanned(tail.read().index, path, create);
      await isAsScanned(tail.finish(), path, create);
      assert.deepEqual(made, ['proved', 'by bytes']);
    }));

  it('is read once more, and from then on only where it grew', () =>
    withTranscript(async (path) => {
      const made: string[] = [];
      const create = wasmScanners();
      const tail = new TranscriptTail(path, byBytes(made, create));
      appendFileSync(path, transcript([...branch, prompt('p2', 'r1')]));
      assert.equal(tail.read().index.byteRows, null);
      appendFileSync(path, filler(LARGE_FILE_BYTES));
      const { change, index } = tail.read();
      assert.equal(change, 'scanned');
      assert.deepEqual(verdictOf(index, path), verdictOf((await scanFile(path, create)).index, path));
      appendFileSync(path, transcript([reply('r2', 'p2')]));
      const grown = tail.read();
      assert.equal(grown.change, 'grown');
      assert.deepEqual(verdictOf(grown.index, path), verdictOf((await scanFile(path, create)).index, path));
      assert.deepEqual(made, ['small', 'by bytes']);
    }));

  it('is read once if it has more from the start', () =>
    withTranscript((path) => {
      appendFileSync(path, filler(LARGE_FILE_BYTES));
      const made: string[] = [];
      const create = wasmScanners();
      const tail = new TranscriptTail(path, byBytes(made, create));
      assert.equal(tail.read(1000).change, 'scanned');
      tail.read();
      assert.deepEqual(made, ['proved']);
      return Promise.resolve();
    }));
});

describe('TranscriptTail, when a row arrives line by line', () => {
  const lines = `${JSON.stringify(prompt('p2', 'r1'), null, 2)}\n`.split(/(?<=\n)/);
  const scanners: Readonly<Record<string, ScannerFactory>> = {
    plain: plainScanner,
    fast: wasmScanners(),
  };

  for (const [name, create] of Object.entries(scanners)) {
    it(`gives the facts of a scan after each line, with the ${name} scanner`, () =>
      withTranscript(async (path) => {
        const tail = new TranscriptTail(path, create);
        tail.read();
        const changes: string[] = [];
        for (const line of [...lines, transcript([reply('r2', 'p2')]).toString()]) {
          appendFileSync(path, line);
          const { change, index } = tail.read();
          changes.push(change);
          assert.deepEqual(verdictOf(index, path), verdictOf((await scanFile(path, create)).index, path));
          assert.equal(tail.read().change, 'unchanged');
        }
        // The first line is read as the client would read it; then the file is read again until the row is whole.
        assert.deepEqual(changes, ['grown', ...lines.slice(1).map(() => 'scanned'), 'grown']);
        assert.deepEqual(verdictOf(tail.finish(), path).result.chainDepth, 4);
      }));

    it(`counts a last line without a newline that ends the row, with the ${name} scanner`, () =>
      withTranscript(async (path) => {
        const tail = new TranscriptTail(path, create);
        appendFileSync(path, lines.join('').trimEnd());
        assert.equal(verdictOf(tail.read().index, path).result.chainDepth, 2);
        assert.deepEqual(verdictOf(tail.finish(), path), verdictOf((await scanFile(path, create)).index, path));
        assert.equal(verdictOf(tail.finish(), path).result.chainDepth, 3);
      }));

    it(`reads a file in parts of any size, with the ${name} scanner`, () =>
      withTranscript(async (path) => {
        appendFileSync(path, lines.join(''));
        const tail = new TranscriptTail(path, create);
        let reads = 0;
        do tail.read(START.length + 9);
        while (!tail.isAtEnd && ++reads < 20);
        assert.equal(tail.read().index.rows.count, 3);
        assert.deepEqual(verdictOf(tail.finish(), path), verdictOf((await scanFile(path, create)).index, path));
      }));
  }
});

describe('TranscriptTail', () => {
  it('takes no row hashes while every uuid is unique', () =>
    withTranscript(async (path) => {
      const { create, made } = countingScanners();
      const tail = new TranscriptTail(path, create);
      assert.deepEqual(findingsOf(tail.read().index), await scannedFindings(path));
      assert.deepEqual(made, { with: 0, without: 1 });
    }));

  for (const [what, rows, severity, readings] of [
    ['copies of its rows', COPIES, 'info', 1],
    ['copies in another form', REWRITTEN, 'info', 2],
    ['other rows of the same uuids', OTHERS, 'error', 2],
  ] as const) {
    it(`reads the file again, as often as it must and no more, when ${what} are appended`, () =>
      withTranscript(async (path) => {
        const { create, made } = countingScanners();
        const tail = new TranscriptTail(path, create);
        tail.read();
        appendFileSync(path, rows);
        const { change, index } = tail.read();
        assert.equal(change, 'scanned');
        const findings = findingsOf(index);
        assert.deepEqual(
          findings.map((finding) => [finding.code, finding.severity]),
          [['duplicate-uuid', severity]],
        );
        assert.deepEqual(findings, await scannedFindings(path));
        appendFileSync(path, rows);
        assert.equal(tail.read().change, 'grown');
        assert.deepEqual(made, { with: readings, without: 1 });
      }));

    it(`reads the file again when the last of ${what} ends without a newline`, () =>
      withTranscript(async (path) => {
        const { create, made } = countingScanners();
        const tail = new TranscriptTail(path, create);
        appendFileSync(path, rows.subarray(rows.indexOf(10) + 1, -1));
        tail.read();
        assert.deepEqual(made, { with: 0, without: 1 });
        assert.deepEqual(findingsOf(tail.finish()), await scannedFindings(path));
        assert.deepEqual(made, { with: readings, without: 1 });
        assert.equal(tail.read().change, 'unchanged');
      }));
  }
});
