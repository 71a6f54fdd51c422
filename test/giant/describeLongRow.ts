import assert from 'node:assert/strict';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionMessage } from '../../src/protocol/message';
import { lines, prompt, reply, type RowFields, uuidOf } from '../support/transcriptBuilder';
import { assertPeakBelow, type MeasuredRun, repairedIn, runMeasured, scannedIn } from './runMeasured';

/** What the program needs for a short transcript, and for the part of a long line that it holds. */
const BASE_MIB = 190;
const MIB = 1024 * 1024;
const MARK = '@@';
const LONG_LINE = 3;

export interface LongRowSizes {
  /** A row of which everything is known. */
  readonly longBytes: number;
  /** A row that is longer than the longest string that the program could make of it. */
  readonly tooLongBytes: number;
}

/** Scans, shows and repairs transcripts with one row of hundreds of megabytes. */
export function describeLongRow({ longBytes, tooLongBytes }: LongRowSizes): void {
  describe('A transcript with one very long row', function () {
    this.timeout(0);
    let folder = '';
    let filePath = '';

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'rethread-long-'));
      filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    });

    afterEach(async () => {
      await rm(folder, { recursive: true, force: true });
    });

    for (const bytes of [longBytes, tooLongBytes]) {
      const megabytes = Math.round(bytes / 1e6);
      // 400 MB for a row of 200 MB.
      const bound = BASE_MIB + (0.9 * Math.min(bytes, 200_000_000)) / MIB;

      it(`of ${megabytes} MB is scanned, shown and repaired within ${bound.toFixed(0)} MiB, and its row is kept`, async () => {
        const rows = [prompt('p1', null), reply('r1', 'p1'), longRow('lost'), reply('r2', 'p2')];
        await writeLongRow(filePath, rows, bytes);

        const scan = await runMeasured(folder, ['scan', filePath]);
        const before = scannedIn(scan);
        assert.deepEqual([scan.code, before.status, before.messageCount], [1, 'corrupted', 4], scan.stderr);
        assert.deepEqual([before.resume.loads, before.resume.of, before.orphanCount], [2, 4, 1]);
        const told = before.findings.find(({ code }) => code === 'long-row');
        if (bytes === tooLongBytes) assert.deepEqual([told?.lines, told?.severity], [[LONG_LINE], 'warning']);
        assert.equal(
          told?.message.startsWith(`Line 3 has ${megabytes} MB, which is too long`),
          bytes === tooLongBytes ? true : undefined,
        );
        assertPeakBelow(bound, scan, `scan of a row of ${megabytes} MB`);

        const shown = await runMeasured(folder, ['show', filePath]);
        assertShown(shown, megabytes);
        assertPeakBelow(bound, shown, `show of a row of ${megabytes} MB`);

        const repair = await runMeasured(folder, ['repair', filePath]);
        const { status, edits, resumeAfter } = repairedIn(repair);
        assert.deepEqual([repair.code, status, resumeAfter], [0, 'repaired', { loads: 4, of: 4 }], repair.stderr);
        assert.deepEqual(
          edits.map(({ line, field, to }) => [line, field, to]),
          [[LONG_LINE, 'parentUuid', uuidOf('r1')]],
        );
        assertPeakBelow(bound, repair, `repair of a row of ${megabytes} MB`);
        await assertHoldsLongRow(
          filePath,
          [prompt('p1', null), reply('r1', 'p1'), longRow('r1'), reply('r2', 'p2')],
          bytes,
        );
      });
    }
  });
}

function longRow(parent: string): RowFields {
  return prompt('p2', parent, { message: { role: 'user', content: MARK } });
}

function assertShown({ code, document, stderr }: MeasuredRun, megabytes: number): void {
  assert.equal(code, 0, stderr);
  // SAFETY: the shape is the contract of the command; its values are checked here.
  const { messages } = document as { messages: SessionMessage[] };
  const row = messages.find((message) => message.kind === 'message' && message.line === LONG_LINE);
  assert.ok(row?.kind === 'message' && row.uuid === uuidOf('p2'));
  assert.equal(row.parts.length, 1);
  const [part] = row.parts;
  assert.ok(part?.kind === 'raw');
  assert.equal(part.title, `Too long to be shown: the beginning of ${megabytes} MB of JSON`);
}

const PIECE = Buffer.from('The quick brown fox, with an escape:\\n'.repeat(26_000));

/** A text of this many bytes, as JSON. */
function* pieces(bytes: number): Generator<Buffer> {
  let left = bytes;
  for (; left >= PIECE.length; left -= PIECE.length) yield PIECE;
  yield Buffer.alloc(left, 'x');
}

async function writeLongRow(filePath: string, rows: readonly RowFields[], bytes: number): Promise<void> {
  const [before = '', after = ''] = textOf(rows);
  const file = await open(filePath, 'wx');
  try {
    await file.write(before);
    for (const piece of pieces(bytes)) await file.write(piece);
    await file.write(after);
  } finally {
    await file.close();
  }
}

function textOf(rows: readonly RowFields[]): string[] {
  return lines(rows)
    .map((line) => `${line}\n`)
    .join('')
    .split(MARK);
}

/** Whether the file is exactly what `writeLongRow` writes. */
async function assertHoldsLongRow(filePath: string, rows: readonly RowFields[], bytes: number): Promise<void> {
  const [before = '', after = ''] = textOf(rows);
  const file = await open(filePath, 'r');
  try {
    const seen = Buffer.alloc(PIECE.length);
    let at = 0;
    const next = async (expected: Buffer): Promise<void> => {
      const { bytesRead } = await file.read(seen, 0, expected.length, at);
      assert.ok(seen.subarray(0, bytesRead).equals(expected), `the file differs behind byte ${at}`);
      at += expected.length;
    };
    await next(Buffer.from(before));
    for (const piece of pieces(bytes)) await next(piece);
    await next(Buffer.from(after));
    assert.equal((await file.stat()).size, at);
  } finally {
    await file.close();
  }
}
