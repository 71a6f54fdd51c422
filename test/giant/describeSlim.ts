import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { SlimResult } from '../../src/protocol/slim';
import { findClient } from '../support/findClient';
import { type MockApi, startMockApi } from '../support/mockApi';
import { type ClientRun, resumeWithRealClient } from '../support/realClient';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { writeOutputsTranscript } from './outputsTranscript';
import { writeProgressTranscript } from './progressTranscript';
import { assertPeakBelow, type MeasuredRun, runMeasured, scannedIn } from './runMeasured';

const MIB = 1024 * 1024;
const MAX_SHARE = 0.05;

/** Slims the session of an old client, 99 % of whose bytes are progress, and undoes that. */
export function describeSlim({ bytes, maxPeakMiB }: { readonly bytes: number; readonly maxPeakMiB: number }): void {
  describe(`A session of ${Math.round(bytes / MIB)} MiB, 99 % of which is progress`, function () {
    this.timeout(0);
    let folder = '';
    let api: MockApi;

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'rethread-slim-'));
      api = await startMockApi();
    });

    after(async () => {
      await api.close();
      await rm(folder, { recursive: true, force: true });
    });

    it(`is slimmed to 5 % within ${maxPeakMiB} MiB, is the same to the real client, and comes back byte for byte`, async function () {
      const client = await skipWhenUnavailable(this, () => findClient());
      const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
      const giant = await writeProgressTranscript(filePath, bytes);
      assert.ok(giant.progressBytes > 0.97 * giant.bytes);
      const hash = await hashOf(filePath);
      const before = await resumeWithRealClient(filePath, { client, api });
      assert.equal(before.exitCode, 0, before.stderr);

      const planned = await runMeasured(folder, ['slim', '--dry-run', filePath]);
      const slimmed = await runMeasured(folder, ['slim', filePath]);
      const result = slimIn(slimmed);
      assert.deepEqual([slimmed.code, result.status], [0, 'slimmed'], slimmed.stderr);
      assert.deepEqual(result.kinds, [
        { kind: 'progress', rows: giant.progressRows, bytesBefore: giant.progressBytes, bytesAfter: 0 },
      ]);
      assert.deepEqual([planned.code, slimIn(planned).kinds], [1, result.kinds]);
      assert.deepEqual(result.resumeAfter, { loads: giant.counted, of: giant.counted });
      assert.equal((await stat(filePath)).size, result.bytesAfter);
      assert.ok(result.bytesAfter <= MAX_SHARE * giant.bytes, `${result.bytesAfter} bytes are left`);
      assertPeakBelow(maxPeakMiB, planned, 'slim --dry-run');
      assertPeakBelow(maxPeakMiB, slimmed, 'slim');
      assert.equal(await hashOf(result.backupPath ?? ''), hash);
      const scan = scannedIn(await runMeasured(folder, ['scan', filePath]));
      assert.deepEqual([scan.status, scan.findings, scan.resume.loads], ['healthy', [], giant.counted]);

      assertSameRequest(await resumeWithRealClient(filePath, { client, api }), before);
      const again = await runMeasured(folder, ['slim', filePath]);
      assert.deepEqual([again.code, slimIn(again).status], [0, 'already_slim']);

      const undone = await runMeasured(folder, ['slim', '--undo', filePath]);
      assert.deepEqual([undone.code, slimIn(undone).status], [0, 'restored'], undone.stderr);
      assertPeakBelow(maxPeakMiB, undone, 'slim --undo');
      assert.equal(await hashOf(filePath), hash);
    });
  });
}

/** Slims a session whose bytes are long outputs, each of which goes to a file of its own. */
export function describeSlimOutputs({
  bytes,
  maxPeakMiB,
}: {
  readonly bytes: number;
  readonly maxPeakMiB: number;
}): void {
  describe(`A session of ${Math.round(bytes / MIB)} MiB of long outputs`, function () {
    this.timeout(0);

    it(`is slimmed to 5 % within ${maxPeakMiB} MiB, and comes back byte for byte`, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'rethread-slim-'));
      try {
        const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
        const written = await writeOutputsTranscript(filePath, bytes);
        const hash = await hashOf(filePath);
        const planned = await runMeasured(folder, ['slim', '--dry-run', filePath]);
        const slimmed = await runMeasured(folder, ['slim', filePath]);
        const result = slimIn(slimmed);
        assert.deepEqual([slimmed.code, result.status], [0, 'slimmed'], slimmed.stderr);
        assert.deepEqual([planned.code, slimIn(planned).kinds], [1, result.kinds]);
        assert.deepEqual(
          result.kinds.map(({ kind, rows }) => [kind, rows]),
          [['outputs', written.outputs]],
        );
        assert.ok(result.bytesAfter <= MAX_SHARE * written.bytes, `${result.bytesAfter} bytes are left`);
        assertPeakBelow(maxPeakMiB, planned, 'slim --dry-run');
        assertPeakBelow(maxPeakMiB, slimmed, 'slim');
        const again = await runMeasured(folder, ['slim', filePath]);
        assert.deepEqual([again.code, slimIn(again).status], [0, 'already_slim']);
        const undone = await runMeasured(folder, ['slim', '--undo', filePath]);
        assert.deepEqual([undone.code, slimIn(undone).status], [0, 'restored'], undone.stderr);
        assertPeakBelow(maxPeakMiB, undone, 'slim --undo');
        assert.equal(await hashOf(filePath), hash);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  });
}

/** Equal but for the folder of the run. */
function assertSameRequest(after: ClientRun, before: ClientRun): void {
  assert.deepEqual([after.exitCode, after.attachedTo], [before.exitCode, before.attachedTo], after.stderr);
  assert.ok(before.messages !== null && before.messages.length > 100);
  const [sent, sentBefore] = [after, before].map(({ messages }) =>
    JSON.stringify(messages).replaceAll(/rethread-client-\w+/g, 'folder-of-the-run'),
  );
  assert.equal(sent, sentBefore);
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

function slimIn({ document }: MeasuredRun): SlimResult {
  // SAFETY: the shape is the contract of the command; its values are checked by the caller.
  return document as SlimResult;
}
