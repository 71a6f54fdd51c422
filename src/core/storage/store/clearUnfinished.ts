import { join } from 'node:path';
import { removeQuietly } from '../staleFiles';
import type { WriteFs } from '../writeFs';

/** Removes the unfinished files of dead processes: those that were not written since `beforeMs`. Never rejects. */
export async function clearUnfinished(
  folder: string,
  beforeMs: number,
  fs: Pick<WriteFs, 'readdir' | 'lstat' | 'unlink'>,
): Promise<void> {
  const names = await fs.readdir(folder).catch(() => []);
  for (const name of names) {
    if (!name.endsWith('.tmp')) continue;
    const path = join(folder, name);
    const stat = await fs.lstat(path).catch(() => null);
    if (stat?.isFile() === true && stat.mtimeMs < beforeMs) await removeQuietly(path, fs);
  }
}
