import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TranscriptIndex } from '../../../rooms/transcript';
import { repeating } from '../../../support/repeating';
import { type DumpedRow, dumpFacts } from '../dumpFacts';
import { mangledTranscript } from '../mangledTranscript';
import { readSlowly } from '../slowReference';
import type { ScannerProbe } from './scannerProbe';

/** Randomly damaged transcripts. */
export function describeMangled(name: string, { scan, dump, scanInPieces }: ScannerProbe): void {
  describe(`${name}: mangled transcripts`, () => {
    it('are read as by a naive reader that uses only split and JSON.parse', () => {
      fc.assert(
        fc.property(mangledTranscript, (bytes) => {
          assertReadAlike(scan(bytes), bytes);
        }),
        { numRuns: 500 },
      );
    });

    it('are read the same way in one-byte chunks', () => {
      fc.assert(
        fc.property(mangledTranscript, (bytes) => {
          assert.deepEqual(
            scanInPieces(bytes, () => repeating(1)),
            dump(bytes),
          );
        }),
        { numRuns: 40 },
      );
    });
  });
}

function assertReadAlike(index: TranscriptIndex, bytes: Buffer): void {
  const expected = readSlowly(bytes);
  const { rows } = dumpFacts(index);
  const rowLines = new Set(expected.map(({ line }) => line));
  const own = rows.filter(({ line }) => rowLines.has(line));
  assert.deepEqual(
    own.map(({ line, kind, uuid, parent, parentForm, timestamp, flags }) => ({
      line,
      kind,
      uuid,
      parent,
      parentForm,
      timestamp,
      isCounted: flags.includes('counted'),
      isSidechain: flags.includes('sidechain'),
    })),
    expected.map(({ toolUses: _uses, toolResults: _results, ...row }) => row),
  );
  assertSameKeys(
    own,
    expected.flatMap(({ toolUses }) => toolUses),
    ({ toolUses }) => toolUses,
  );
  assertSameKeys(
    own,
    expected.flatMap(({ toolResults }) => toolResults),
    ({ toolResults }) => toolResults,
  );
  const faulty = new Set(dumpFacts(index).lineFaults.map(({ line }) => line));
  for (const row of rows.filter(({ line }) => !rowLines.has(line))) {
    assert.ok(faulty.has(row.line), `line ${row.line} holds a row that is not its own, without a fault`);
    assert.ok(!row.flags.includes('counted'), `line ${row.line} counts although it is no row`);
  }
  const newlines = bytes.toString('latin1').split('\n').length - 1;
  assert.equal(index.lineCount, newlines + (bytes.length > 0 && bytes.at(-1) !== 10 ? 1 : 0));
  assert.equal(index.fileSize, bytes.length);
}

/** Keys are numbers chosen by the scanner: they must map to the same texts, one to one. */
function assertSameKeys(
  rows: readonly DumpedRow[],
  texts: readonly string[],
  keysOf: (row: DumpedRow) => readonly number[],
): void {
  const keys = rows.flatMap(keysOf);
  assert.equal(keys.length, texts.length);
  const pairs = new Set(keys.map((key, at) => `${key} ${texts[at] ?? ''}`));
  assert.deepEqual([pairs.size, pairs.size], [new Set(keys).size, new Set(texts).size]);
}
