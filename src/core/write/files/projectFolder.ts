import { sep } from 'node:path';
import { errorCode } from '../refusal';
import type { WriteFs } from '../writeFs';
import { FilesRefusal } from './filesRefusal';

/**
 * Throws `folder-gone` when files are in a project folder that is not there any more: it was moved, as likely as not, and
 * writing them would make another one in its place. `cwd`: absolute; null when nothing tells it.
 */
export async function assertProjectIsThere(
  cwd: string | null,
  paths: readonly string[],
  fs: Pick<WriteFs, 'realpath'>,
): Promise<void> {
  const problem = await goneProject(cwd, paths, fs);
  if (problem !== null) throw new FilesRefusal('folder-gone', problem);
}

/** One sentence for people; null when the folder is there, or has none of the files. */
export async function goneProject(
  cwd: string | null,
  paths: readonly string[],
  fs: Pick<WriteFs, 'realpath'>,
): Promise<string | null> {
  if (cwd === null || !paths.some((path) => path.startsWith(cwd.endsWith(sep) ? cwd : cwd + sep))) return null;
  const code = await fs.realpath(cwd).then(() => null, errorCode);
  const isGone = code === 'ENOENT' || code === 'ENOTDIR';
  return isGone ? `The project folder ${cwd} is gone: it was moved or removed. Nothing was changed.` : null;
}
