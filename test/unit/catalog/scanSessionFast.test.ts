import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scanSession } from '../../../src/core/catalog/scanSession';
import { ReferenceScanner } from '../../../src/core/scan/referenceScanner';
import { scanFile } from '../../../src/core/scan/scanFile';
import type { ScannerFactory } from '../../../src/core/scan/scanner';
import type { ScannedSession } from '../../../src/shared/session';
import { damage } from '../../support/damage';
import { FIXTURES, listCorruptCases, listRecordings } from '../../support/fixtures';
import { wasmScanners } from '../../support/scannerModule';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { prompt, reply, transcript, uuidOf } from '../../support/transcriptBuilder';

const DAMAGES_OF_EACH = 40;

const fast = wasmScanners();

function scanWith(createScanner: ScannerFactory, filePath: string): Promise<ScannedSession> {
  return scanSession(filePath, (path, options) => scanFile(path, createScanner, options));
}

describe('scanSession with the fast scanner', () => {
  it('says of every recording and every damaged one what it says with the plain scanner', () =>
    withTemporaryFolder(async (folder) => {
      const recordings = listRecordings().map((file) => readFileSync(join(FIXTURES, file)));
      const all = [...recordings, ...listCorruptCases().map(({ bytes }) => bytes)];
      assert.ok(all.length > 200);
      const path = join(folder, 's.jsonl');
      for (const bytes of all) {
        writeFileSync(path, bytes);
        assert.deepEqual(await scanWith(fast, path), await scanWith(() => new ReferenceScanner(), path));
      }
    }));

  it('says of what is damaged in any way what it says with the plain scanner', () =>
    withTemporaryFolder(async (folder) => {
      const path = join(folder, 's.jsonl');
      for (const [at, file] of listRecordings().entries()) {
        const bytes = readFileSync(join(FIXTURES, file));
        for (let seed = 1; seed <= DAMAGES_OF_EACH; seed++) {
          const damaged = damage(bytes, seed * 100 + at);
          writeFileSync(path, damaged.bytes);
          const said = await scanWith(fast, path);
          assert.deepEqual(said, await scanWith(() => new ReferenceScanner(), path), damaged.operations.join('; '));
        }
      }
    }));

  it('reads a file anew for the hashes when two rows have one uuid, and only then', () =>
    withTemporaryFolder(async (folder) => {
      const rows = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1')];
      const plain = transcript(rows);
      const repeated = Buffer.concat([
        plain,
        transcript([{ ...prompt('p1', null), timestamp: '2026-01-01T00:00:00.000Z' }]),
      ]);
      const asked: (boolean | undefined)[] = [];
      const noting: ScannerFactory = (options) => {
        asked.push(options?.withHashes);
        return fast(options);
      };
      const path = join(folder, 'p.jsonl');
      writeFileSync(path, plain);
      await scanWith(noting, path);
      assert.deepEqual(asked, [false]);
      writeFileSync(path, repeated);
      const { result } = await scanWith(noting, path);
      assert.deepEqual(asked, [false, false, undefined]);
      const finding = result.findings.find(({ code }) => code === 'duplicate-uuid');
      assert.deepEqual([finding?.severity, finding?.uuids], ['error', [uuidOf('p1'), uuidOf('p1')]]);
    }));
});
