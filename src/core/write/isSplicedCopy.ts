import { areNextBytes, areNextBytesEqual, ByteCursor } from './byteCursor';
import { CHUNK_BYTES } from './fileBytes';
import { splicedSize, type Splice } from './splice';
import type { ReadableFile } from './writeFs';

/**
 * Whether `copy` is the original with the splices applied and nothing else. Walks the two files side by side, without
 * the code that wrote the copy, so that a fault there is found. Splices must be in order.
 */
export async function isSplicedCopy(
  original: { readonly file: ReadableFile; readonly size: number },
  copy: ReadableFile,
  splices: readonly Splice[],
  chunkBytes = CHUNK_BYTES,
): Promise<boolean> {
  const copySize = Number((await copy.stat()).size);
  if (copySize !== splicedSize(original.size, splices)) return false;
  const from = new ByteCursor({ file: original.file, from: 0, to: original.size }, chunkBytes);
  const to = new ByteCursor({ file: copy, from: 0, to: copySize }, chunkBytes);
  for (const { offset, length, bytes } of splices) {
    if (!(await areNextBytesEqual(from, to, offset - from.position))) return false;
    if (!(await areNextBytes(to, bytes))) return false;
    from.advance(length);
  }
  return areNextBytesEqual(from, to, original.size - from.position);
}
