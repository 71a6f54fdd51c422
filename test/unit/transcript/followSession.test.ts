import assert from 'node:assert/strict';
import { appendFileSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { followSession as follow, scanSession } from '../../rooms/diagnose';
import type { SessionFollower } from '../../rooms/providers';
import {
  type OnePassScanner,
  readOnceTranscript,
  scanFileOnce,
  type ScannerFactory,
  type ScannerOptions,
} from '../../rooms/transcript';
import { createPacer } from '../../rooms/util';
import type { ScannedSession } from '../../../src/protocol/session';
import { DIAGNOSTICS } from '../../support/diagnosed';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, transcript } from '../../support/transcriptBuilder';
import { mangledTranscript } from './mangledTranscript';
import { plainScanner } from '../../support/plainScanner';

const NEWLINE = 10;
/** Pieces that a transcript grows by between a first and a last one. Each costs a scan of the whole file. */
const MAX_PIECES = 40;
const START = transcript([prompt('p1', null), reply('r1', 'p1')]);
const MORE = transcript([prompt('p2', 'r1'), reply('r2', 'p2')]);

function followSession(filePath: string, createScanner: ScannerFactory): SessionFollower {
  return follow(readOnceTranscript({ filePath, createScanner, pacer: createPacer(10) }), createScanner, DIAGNOSTICS);
}

/** A scan of the whole file by the plain scanner. */
function scanned(path: string): Promise<ScannedSession> {
  const scanOnce: OnePassScanner = (file, look, options) => scanFileOnce(file, plainScanner, look, options);
  return scanSession(path, scanOnce, DIAGNOSTICS);
}

/** A scan of the complete lines of a file that is being written. */
function scannedGrowing(filePath: string, createScanner: ScannerFactory): Promise<ScannedSession> {
  const scanOnce: OnePassScanner = (file, look, options) => scanFileOnce(file, createScanner, look, options);
  return scanSession(filePath, scanOnce, DIAGNOSTICS, { isGrowing: true });
}

/** Calls `use` with the path of a transcript that holds `START`. */
function withTranscript(use: (path: string) => Promise<void> | void): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const path = join(folder, 'session.jsonl');
    writeFileSync(path, START);
    await use(path);
  });
}

/** Counts the bytes that its scanners receive. */
function countingScanners(createScanner: ScannerFactory): { readonly create: ScannerFactory; bytes: number } {
  const counting = {
    bytes: 0,
    create: (options?: ScannerOptions): ReturnType<ScannerFactory> => {
      const scanner = createScanner(options);
      return {
        push: (chunk) => {
          counting.bytes += chunk.length;
          scanner.push(chunk);
        },
        index: () => scanner.index(),
        end: () => scanner.end(),
        read: (look) => scanner.read(look),
      };
    },
  };
  return counting;
}

for (const [name, createScanner] of [
  ['ReferenceScanner', plainScanner],
  ['WasmScanner', wasmScanners()],
] as const) {
  describe(`Following a transcript with ${name}`, () => {
    it('gives the same verdict after each appended row as a scan of the whole file', () =>
      withTranscript(async (path) => {
        const follower = followSession(path, createScanner);
        assert.deepEqual(await follower.read(), await scanned(path));
        appendFileSync(path, MORE);
        assert.deepEqual(await follower.read(), await scanned(path));
        assert.equal((await follower.read()).result.resume.loads, 4);
      }));

    it('gives the same verdict for a transcript that grows in random pieces as a scan of its complete lines', () =>
      withTemporaryFolder(async (folder) => {
        let files = 0;
        await fc.assert(
          fc.asyncProperty(
            mangledTranscript,
            fc.double({ min: 0, max: 1, noNaN: true }),
            fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: MAX_PIECES }),
            async (bytes, start, sizes) => {
              const path = join(folder, `${files++}.jsonl`);
              const follower = followSession(path, createScanner);
              writeFileSync(path, '');
              const pieces = [1 + Math.floor(start * bytes.length), ...sizes, bytes.length];
              let at = 0;
              for (const size of pieces) {
                if (at === bytes.length) break;
                appendFileSync(path, bytes.subarray(at, at + size));
                at = Math.min(bytes.length, at + size);
                const whole = join(folder, 'whole.jsonl');
                writeFileSync(whole, bytes.subarray(0, bytes.lastIndexOf(NEWLINE, at - 1) + 1));
                const expected = plain(await scanned(whole));
                assert.deepEqual(plain(await follower.read()), expected);
                assert.deepEqual(plain(await scannedGrowing(path, createScanner)), expected);
              }
            },
          ),
          { numRuns: 60 },
        );
      }));
  });
}

describe('Following a transcript', () => {
  it('reads only what was appended', () =>
    withTranscript(async (path) => {
      const counting = countingScanners(plainScanner);
      const follower = followSession(path, counting.create);
      await follower.read();
      assert.equal(counting.bytes, START.length);
      appendFileSync(path, MORE);
      await follower.read();
      await follower.read();
      assert.equal(counting.bytes, START.length + MORE.length);
    }));

  it('leaves a last line without a newline for the next reading', () =>
    withTranscript(async (path) => {
      const follower = followSession(path, wasmScanners());
      const cut = MORE.length - 40;
      appendFileSync(path, MORE.subarray(0, cut));
      const { result } = await follower.read();
      assert.deepEqual([result.resume.of, result.findings], [3, []]);
      appendFileSync(path, MORE.subarray(cut));
      assert.equal((await follower.read()).result.resume.of, 4);
    }));

  const replacements: readonly (readonly [string, (path: string) => void])[] = [
    [
      'was cut',
      (path) => {
        truncateSync(path, START.length / 2);
      },
    ],
    [
      'was replaced by another file',
      (path) => {
        writeFileSync(`${path}.new`, Buffer.concat([START, MORE, MORE]));
        renameSync(`${path}.new`, path);
      },
    ],
    [
      'was rewritten in place with other bytes of the same length',
      (path) => {
        const { atime, mtime } = statSync(path);
        writeFileSync(path, START.toString().replace('"uuid":"', '"uuId":"'));
        utimesSync(path, atime, new Date(mtime.getTime() + 1000));
      },
    ],
    [
      'was rewritten at its start and has grown',
      (path) => {
        writeFileSync(path, Buffer.concat([Buffer.from('{"type":"summary","summary":"x"}\n'), START, MORE]));
      },
    ],
    [
      'was rewritten right before its end and has grown',
      (path) => {
        writeFileSync(path, Buffer.concat([START.subarray(0, START.length - 9), MORE]));
      },
    ],
  ];
  for (const [what, replace] of replacements) {
    it(`starts again when the file ${what}`, () =>
      withTranscript(async (path) => {
        const follower = followSession(path, wasmScanners());
        await follower.read();
        replace(path);
        const seen = (await follower.read()).result;
        const expected = (await scanned(path)).result;
        assert.deepEqual([seen.resume, seen.messageCount], [expected.resume, expected.messageCount]);
      }));
  }

  it('reports a deleted file as missing, and reads the file that replaces it', () =>
    withTranscript(async (path) => {
      const follower = followSession(path, wasmScanners());
      assert.equal((await follower.read()).result.status, 'healthy');
      rmSync(path);
      assert.equal((await follower.read()).result.status, 'missing');
      writeFileSync(path, Buffer.concat([START, MORE]));
      assert.equal((await follower.read()).result.resume.loads, 4);
    }));
});

/** Without the fields that name the file. */
function plain({ result, metadata }: ScannedSession): unknown {
  return { ...result, filePath: null, sessionId: null, metadata };
}
