import { relative, isAbsolute, sep } from 'node:path';

/**
 * The folders in which a rewind may change files without a word: those of the window where the session belongs to one of
 * them; else none, which stands for the session's own working directory. All paths are absolute.
 */
export function rewindRoots(folders: readonly string[], cwd: string | null): readonly string[] {
  const isOfWindow = cwd === null || folders.some((folder) => holds(folder, cwd) || holds(cwd, folder));
  return isOfWindow ? folders : [];
}

function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
