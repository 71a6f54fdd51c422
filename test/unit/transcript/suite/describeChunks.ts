import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { FIXTURES, listCorruptCases, listRecordings } from '../../../support/fixtures';
import { repeating } from '../../../support/repeating';
import { A, B, BOM } from './exampleRows';
import type { ScannerProbe } from './scannerProbe';

/** Chunks may be cut anywhere, and their memory may be reused. */
export function describeChunks(name: string, { dump, scanInPieces, uuids }: ScannerProbe): void {
  describe(`${name}: chunks`, () => {
    const files = [
      ...listRecordings().map((file) => readFileSync(join(FIXTURES, file))),
      ...listCorruptCases()
        .filter(({ spacing }) => spacing === 'far')
        .filter(({ name: variant }) => /^[ehqxy]/.test(variant))
        .map(({ bytes }) => bytes),
    ];

    it('give the same index when they are one byte long', () => {
      for (const bytes of files.filter(({ length }) => length < 30_000)) {
        assert.deepEqual(
          scanInPieces(bytes, () => repeating(1)),
          dump(bytes),
        );
      }
    });

    it('give the same index when they are 64 bytes long', () => {
      for (const bytes of files)
        assert.deepEqual(
          scanInPieces(bytes, () => repeating(64)),
          dump(bytes),
        );
    });

    it('give the same index wherever they are cut', () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...files),
          fc.array(fc.oneof(fc.nat(5), fc.nat(3000)), { minLength: 1, maxLength: 40 }),
          (bytes, sizes) => {
            const isMoving = sizes.some((size) => size > 0);
            assert.deepEqual(
              scanInPieces(bytes, () => (isMoving ? repeating(...sizes) : repeating(7))),
              dump(bytes),
            );
          },
        ),
        { numRuns: 30 },
      );
    });

    it('may be cut inside a character, a CRLF and a byte order mark', () => {
      const bytes = Buffer.from(`${BOM}${A.replace('one', '☕️é𝄞')}\r\n${B}\r\n`);
      assert.deepEqual(
        scanInPieces(bytes, () => repeating(1)),
        dump(bytes),
      );
      assert.deepEqual(uuids(bytes), ['a', 'b']);
    });
  });
}
