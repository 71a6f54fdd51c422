import { readChunks, writeFully } from './fileBytes';
import type { FileStat, OpenFile, ReadableFile } from './writeFs';

/**
 * Appends what `original` holds from byte `from` on to `target`, and again what arrives meanwhile, until nothing does.
 * What was appended is on the disk then.
 */
export async function appendLateBytes(
  original: ReadableFile,
  from: number,
  target: OpenFile,
): Promise<{ readonly appended: number; /** Of `original`, when nothing more was there. */ readonly last: FileStat }> {
  let taken = from;
  for (;;) {
    const last = await original.stat();
    const size = Number(last.size);
    if (size <= taken) return { appended: taken - from, last };
    for await (const chunk of readChunks(original, taken, size)) await writeFully(target, chunk);
    taken = size;
    await target.sync();
  }
}
