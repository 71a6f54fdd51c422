import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentFindings } from '../support/contentFindings';
import type { ForkResult } from '../../src/protocol/history';
import { type GiantTranscript, writeGiantTranscript } from './giantTranscript';
import { assertPeakBelow, type MeasuredRun, repairedIn, runMeasured, scannedIn } from './runMeasured';

const MIB = 1024 * 1024;
const MAX_PEAK_MIB = 250;
const LARGE_ROW_BYTES = 5000;
/** One broken link per this many copies of the recording, in the transcript that is repaired. */
const BREAK_EVERY = 50;

export interface GiantSizes {
  readonly scanBytes: number;
  readonly repairBytes: number;
}

/** Scans and repairs transcripts that are too large to be held in memory. */
export function describeGiant({ scanBytes, repairBytes }: GiantSizes): void {
  describe('A giant transcript', function () {
    this.timeout(0);
    let folder = '';

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'rethread-giant-'));
    });

    after(async () => {
      await rm(folder, { recursive: true, force: true });
    });

    /** Skips with a message if the disk has no room; removes what the previous test has left. */
    async function prepare(test: Mocha.Context, bytes: number): Promise<string> {
      await rm(folder, { recursive: true, force: true });
      folder = await mkdtemp(join(tmpdir(), 'rethread-giant-'));
      const { bavail, bsize } = await statfs(folder);
      if (bavail * bsize < bytes * 1.1) {
        console.log(`skipped: ${toMib(bytes)} MiB are needed in ${tmpdir()}, ${toMib(bavail * bsize)} MiB are free`);
        test.skip();
      }
      return join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    }

    it(`of ${toMib(scanBytes)} MiB in small rows is scanned within ${MAX_PEAK_MIB} MiB`, async function () {
      const filePath = await prepare(this, scanBytes);
      const giant = await writeGiantTranscript(filePath, { bytes: scanBytes });
      assertHealthy(await runMeasured(folder, ['scan', filePath]), giant);
    });

    it(`of ${toMib(scanBytes)} MiB in rows of 5 KB is scanned within ${MAX_PEAK_MIB} MiB`, async function () {
      const filePath = await prepare(this, scanBytes);
      const giant = await writeGiantTranscript(filePath, { bytes: scanBytes, rowBytes: LARGE_ROW_BYTES });
      assertHealthy(await runMeasured(folder, ['scan', filePath]), giant);
    });

    it(`of ${toMib(repairBytes)} MiB is repaired within ${MAX_PEAK_MIB} MiB, and loads completely`, async function () {
      // The transcript, its backup, and the repaired one before it replaces the first.
      const filePath = await prepare(this, 3 * repairBytes);
      const giant = await writeGiantTranscript(filePath, { bytes: repairBytes, breakEvery: BREAK_EVERY });
      assert.ok(giant.brokenLines.length > 20);
      const before = await runMeasured(folder, ['scan', filePath]);
      const broken = scannedIn(before);
      assert.deepEqual([before.code, broken.status, broken.orphanCount], [1, 'corrupted', giant.brokenLines.length]);
      assert.ok(broken.resume.loads < giant.counted / 10 && broken.resume.of === giant.counted);

      const run = await runMeasured(folder, ['repair', filePath]);
      const result = repairedIn(run);
      assert.deepEqual([run.code, result.status], [0, 'repaired'], run.stderr);
      assert.deepEqual(
        result.edits.map(({ line }) => line),
        giant.brokenLines,
      );
      assert.deepEqual(result.resumeAfter, { loads: giant.counted, of: giant.counted });
      assertPeakBelow(MAX_PEAK_MIB, run, 'repair');
      assert.equal((await stat(result.backupPath ?? '')).size, giant.bytes);
      assertHealthy(await runMeasured(folder, ['scan', filePath]), { ...giant, bytes: (await stat(filePath)).size });
    });

    it(`of ${toMib(repairBytes)} MiB is forked within ${MAX_PEAK_MIB} MiB, and loads completely`, async function () {
      const filePath = await prepare(this, 2 * repairBytes);
      const giant = await writeGiantTranscript(filePath, { bytes: repairBytes });
      const run = await runMeasured(folder, ['fork', filePath]);
      assert.equal(run.code, 0, run.stderr);
      // SAFETY: the shape is the contract of the command; its values are checked here.
      const fork = run.document as ForkResult;
      assert.equal(fork.rowsCopied, giant.chainRows);
      assertPeakBelow(MAX_PEAK_MIB, run, 'fork');
      assertHealthy(await runMeasured(folder, ['scan', fork.filePath]), {
        ...giant,
        bytes: (await stat(fork.filePath)).size,
      });
    });
  });
}

function assertHealthy(run: MeasuredRun, giant: GiantTranscript): void {
  const { status, resume, fileSize, orphanCount, ...scanned } = scannedIn(run);
  const findings = contentFindings(scanned);
  assert.deepEqual([run.code, status, findings, orphanCount], [0, 'healthy', [], 0], run.stderr);
  assert.deepEqual([resume.loads, resume.of, resume.missingLines], [giant.counted, giant.counted, []]);
  assert.equal(fileSize, giant.bytes);
  assertPeakBelow(MAX_PEAK_MIB, run, `scan of ${giant.chainRows.toLocaleString('en')} chain rows`);
}

function toMib(bytes: number): number {
  return Math.round(bytes / MIB);
}
