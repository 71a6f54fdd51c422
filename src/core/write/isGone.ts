import { errorCode } from './refusal';
import type { WriteFs } from './writeFs';

/** Nothing is at the path. False when that cannot be told, as on a disk that does not answer. */
export async function isGone(path: string, fs: Pick<WriteFs, 'lstat'>): Promise<boolean> {
  return fs.lstat(path).then(
    () => false,
    // The second says that a folder above it is a file.
    (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? ''),
  );
}
