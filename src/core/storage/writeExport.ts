import { fileIdentity, isSameFile } from './fileAttributes';
import { ChunkWriter } from './fileBytes';
import type { WriteDeps } from './openTranscript';
import { errorName } from './refusal';
import { unfinishedPath } from './staleFiles';
import { closeQuietly, createHidden, removeQuietly } from './writeFs';

export type Written =
  | { readonly kind: 'written'; readonly bytes: number }
  /** One sentence to show; the path is unchanged. */
  | { readonly kind: 'failed'; readonly problem: string };

/**
 * Writes a file that only its owner can read. The file gets its name when it is complete, so that its path holds either
 * all of it or what was there before. If `pieces` throws, rethrows that error and leaves nothing behind.
 *
 * `source`: the transcript from which the file is made, which is never overwritten; null if there is no single one.
 */
export async function writeExport(
  path: string,
  source: string | null,
  pieces: AsyncIterable<string> | Iterable<string>,
  { fs, random }: Pick<WriteDeps, 'fs' | 'random'>,
): Promise<Written> {
  const hiddenPath = unfinishedPath(path, random());
  const [existing, transcript] = await Promise.all(
    [path, source].map(async (each) => (each === null ? null : fs.lstat(each).catch(() => null))),
  );
  if (existing && transcript && isSameFile(existing, fileIdentity(transcript)))
    return failed('This is the transcript.');
  if (existing?.isDirectory() === true) return failed('There is a folder of this name.');
  const file = await createHidden(hiddenPath, fs).catch(failedWith);
  if ('kind' in file) return file;
  let bytes = 0;
  let isWriting = false;
  try {
    const writer = new ChunkWriter(file);
    for await (const piece of pieces) {
      const encoded = Buffer.from(piece);
      bytes += encoded.length;
      isWriting = true;
      await writer.write(encoded);
      isWriting = false;
    }
    isWriting = true;
    await writer.flush();
    await file.sync();
    await file.close();
    await fs.rename(hiddenPath, path);
    return { kind: 'written', bytes };
  } catch (error) {
    await closeQuietly(file);
    await removeQuietly(hiddenPath, fs);
    if (isWriting) return failedWith(error);
    throw error;
  }
}

function failed(problem: string): Written & { readonly kind: 'failed' } {
  return { kind: 'failed', problem };
}

function failedWith(error: unknown): Written & { readonly kind: 'failed' } {
  return failed(`The file could not be written (${errorName(error)}).`);
}
