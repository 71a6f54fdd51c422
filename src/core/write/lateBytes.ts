import { readChunks, writeFully } from './fileBytes';
import type { OpenFile, ReadableFile } from './writeFs';

/**
 * Appends what `original` holds from byte `from` on to `target`, and again what arrives meanwhile, until nothing does.
 * Returns the number of bytes appended; they are on the disk then.
 */
export async function appendLateBytes(original: ReadableFile, from: number, target: OpenFile): Promise<number> {
  let taken = from;
  for (;;) {
    const size = Number((await original.stat()).size);
    if (size <= taken) return taken - from;
    for await (const chunk of readChunks(original, taken, size)) await writeFully(target, chunk);
    taken = size;
    await target.sync();
  }
}
