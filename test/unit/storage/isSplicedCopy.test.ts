import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isSplicedCopy, nodeWriteFs, type Splice } from '../../rooms/storage';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { applySplices } from './transcriptFixture';

const ORIGINAL = Buffer.from(Array.from({ length: 40 }, (_, at) => `row ${at}\n`).join(''));
const SPLICES: readonly Splice[] = [
  { offset: 0, length: 3, bytes: Buffer.from('') },
  { offset: 20, length: 0, bytes: Buffer.from('inserted, and longer than a chunk of the comparison') },
  { offset: 20, length: 90, bytes: Buffer.from('short') },
  { offset: ORIGINAL.length, length: 0, bytes: Buffer.from('end') },
];

async function compare(copy: Buffer): Promise<boolean> {
  return withTemporaryFolder(async (folder) => {
    writeFileSync(join(folder, 'original'), ORIGINAL);
    writeFileSync(join(folder, 'copy'), copy);
    const files = [
      await nodeWriteFs.open(join(folder, 'original'), 'read'),
      await nodeWriteFs.open(join(folder, 'copy'), 'read'),
    ] as const;
    try {
      return await isSplicedCopy({ file: files[0], size: ORIGINAL.length }, files[1], SPLICES, 16);
    } finally {
      await Promise.all(files.map((file) => file.close()));
    }
  });
}

describe('isSplicedCopy', () => {
  const copy = applySplices(ORIGINAL, SPLICES);

  it('accepts a copy with the splices applied', async () => {
    assert.equal(await compare(copy), true);
  });

  it('rejects a copy that differs in any single byte', async () => {
    for (let at = 0; at < copy.length; at++) {
      const wrong = Buffer.from(copy);
      wrong[at] = (wrong[at] ?? 0) ^ 1;
      assert.equal(await compare(wrong), false, `byte ${at}`);
    }
  });

  it('rejects a copy that is too short or too long', async () => {
    assert.equal(await compare(copy.subarray(0, -1)), false);
    assert.equal(await compare(Buffer.concat([copy, Buffer.from('x')])), false);
  });
});
