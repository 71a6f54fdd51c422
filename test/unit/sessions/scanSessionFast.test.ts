import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diagnosticsFor, scanSession } from '../../rooms/diagnose';
import {
  LARGE_FILE_BYTES,
  type OnePassScanner,
  scanFileOnce,
  type ScannerFactory,
  type TranscriptIndex,
} from '../../rooms/transcript';
import type { ScannedSession } from '../../../src/protocol/session';
import { damage } from '../../support/damage';
import { DIAGNOSTICS } from '../../support/diagnosed';
import { FIXTURES, listCorruptCases, listRecordings } from '../../support/fixtures';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { call, prompt, reply, result, transcript, uuidOf } from '../../support/transcriptBuilder';
import { plainScanner } from '../../support/plainScanner';

const DAMAGES_OF_EACH = 40;
const NEWLINE = 10;

const fast = wasmScanners();

/** Number of transcripts that were proven straight. */
let straight = 0;

function scanWith(createScanner: ScannerFactory, filePath: string, diagnostics = DIAGNOSTICS): Promise<ScannedSession> {
  const scanOnce: OnePassScanner = (path, look, options) => {
    const count = (index: TranscriptIndex): ReturnType<typeof look> => {
      if (index.straight !== null) straight++;
      return look(index);
    };
    return scanFileOnce(path, createScanner, count, options);
  };
  return scanSession(filePath, scanOnce, diagnostics);
}

async function assertSame(path: string, bytes: Buffer, what?: string): Promise<void> {
  writeFileSync(path, bytes);
  assert.deepEqual(await scanWith(fast, path), await scanWith(plainScanner, path), what);
}

describe('scanSession with the fast scanner', () => {
  beforeEach(() => {
    straight = 0;
  });

  it('gives the same verdict as the plain scanner for every recording and every damaged recording', () =>
    withTemporaryFolder(async (folder) => {
      const recordings = listRecordings().map((file) => readFileSync(join(FIXTURES, file)));
      const all = [...recordings, ...listCorruptCases().map(({ bytes }) => bytes)];
      assert.ok(all.length > 200);
      const path = join(folder, 's.jsonl');
      for (const bytes of all) {
        await assertSame(path, bytes);
      }
      assert.ok(straight > all.length / 4, `${straight} of ${all.length} were straight`);
    }));

  it('gives the same verdict as the plain scanner for every recording, cut after each of its lines', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 's.jsonl');
      for (const file of listRecordings()) {
        const bytes = readFileSync(join(FIXTURES, file));
        for (let end = bytes.indexOf(NEWLINE) + 1; end > 0; end = bytes.indexOf(NEWLINE, end) + 1) {
          await assertSame(path, bytes.subarray(0, end), `${file} up to byte ${end}`);
        }
      }
      assert.ok(straight > 200, `${straight} were straight`);
    }));

  it('gives the same verdict as the plain scanner for random damage', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 's.jsonl');
      for (const [at, file] of listRecordings().entries()) {
        const bytes = readFileSync(join(FIXTURES, file));
        for (let seed = 1; seed <= DAMAGES_OF_EACH; seed++) {
          const damaged = damage(bytes, seed * 100 + at);
          await assertSame(path, damaged.bytes, damaged.operations.join('; '));
        }
      }
      assert.ok(straight > 30, `${straight} were straight`);
    }));

  it('proves a transcript with a torn last line straight, but not one with lost parents or two rows on one line', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 's.jsonl');
      const [first, answer] = [prompt('p1', null), reply('r1', 'p1')];
      const rows = [first, answer, prompt('p2', 'r1'), reply('r2', 'gone')];
      const line = transcript([answer]).toString().trimEnd();
      const glued = Buffer.from(
        transcript(rows)
          .toString()
          .replace(line, line + line),
      );
      const torn = Buffer.concat([transcript(rows.slice(0, 3)), Buffer.from('{"type":')]);
      for (const [bytes, expected] of [
        [torn, 1],
        [transcript(rows), 0],
        [glued, 0],
      ] as const) {
        straight = 0;
        await assertSame(path, bytes);
        assert.equal(straight, expected);
      }
    }));

  it('proves no large transcript straight for a client that drops rows of it', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 's.jsonl');
      const loads = async (version: string): Promise<number> =>
        (await scanWith(fast, path, diagnosticsFor(version))).result.resume.loads;
      const padding = { type: 'queue-operation', content: 'x'.repeat(LARGE_FILE_BYTES) };
      const calls = [
        prompt('p', null),
        call('c1', 'p', 't1', { message: 'm' }),
        call('c2', 'c1', 't2', { message: 'm' }),
        result('o1', 'c1', 't1'),
        result('o2', 'c2', 't2'),
      ];
      writeFileSync(path, transcript([...calls, padding]));
      assert.deepEqual([await loads('2.1.281'), straight], [5, 1]);
      assert.deepEqual([await loads('2.1.266'), straight], [4, 1]);
      const spaced = transcript([prompt('p', null), reply('r', 'p'), padding]).toString();
      writeFileSync(path, spaced.replace('"parentUuid":"', '"parentUuid": "'));
      assert.deepEqual([await loads('2.1.281'), straight], [2, 2]);
      assert.deepEqual([await loads('2.1.280'), straight], [1, 2]);
    }));

  it('reads a file again for the hashes if, and only if, two rows share a uuid, and once more if they differ in their bytes', () =>
    withTemporaryFolder(async (folder) => {
      const rows = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1')];
      const whole = transcript(rows);
      const repeated = Buffer.concat([
        whole,
        transcript([{ ...prompt('p1', null), timestamp: '2026-01-01T00:00:00.000Z' }]),
      ]);
      const asked: unknown[] = [];
      const noting: ScannerFactory = (options) => {
        asked.push(options?.withMessageHashes === true ? 'messages' : options?.withHashes);
        return fast(options);
      };
      const path = join(folder, 'p.jsonl');
      writeFileSync(path, whole);
      await scanWith(noting, path);
      assert.deepEqual(asked, [false]);
      writeFileSync(path, repeated);
      const { result } = await scanWith(noting, path);
      assert.deepEqual(asked, [false, false, true, 'messages']);
      const finding = result.findings.find(({ code }) => code === 'duplicate-uuid');
      assert.deepEqual([finding?.severity, finding?.uuids], ['error', [uuidOf('p1'), uuidOf('p1')]]);
      asked.length = 0;
      writeFileSync(path, Buffer.concat([whole, whole]));
      await scanWith(noting, path);
      assert.deepEqual(asked, [false, true]);
    }));
});
