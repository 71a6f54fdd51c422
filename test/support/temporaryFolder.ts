import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './removeFolder';

/** A new folder that is deleted when the process ends, if not before. Its path contains no symbolic link. */
export async function temporaryFolder(): Promise<{ readonly path: string; readonly remove: () => void }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'rethread-')));
  const remove = (): void => {
    process.off('exit', remove);
    removeFolder(path);
  };
  process.once('exit', remove);
  return { path, remove };
}

/** Calls `use` with a new folder and deletes it afterwards in any case. */
export async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const { path, remove } = await temporaryFolder();
  try {
    return await use(path);
  } finally {
    remove();
  }
}
