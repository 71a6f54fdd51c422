import { isAbsolute, parse, relative, sep } from 'node:path';

/** An open workspace folder, with the names that sessions run in it go by. */
export interface WorkspaceFolder {
  readonly path: string;
  /** Without symbolic links: Claude Code names project folders by it. */
  readonly realPath: string;
  /** Name of the project folder of sessions started in it. */
  readonly projectName: string;
}

/**
 * Index of the first workspace folder that a project belongs to, or -1: sessions were run in the folder, inside it, or
 * in a folder around it. The home folder and the root are around nearly everything, so they count only when they are
 * open themselves.
 */
export function workspaceIndex(
  project: { readonly name: string; readonly cwd: string | null },
  folders: readonly WorkspaceFolder[],
  homeDir: string,
): number {
  const byName = folders.findIndex((folder) => folder.projectName === project.name);
  const cwd = project.cwd;
  if (byName >= 0 || cwd === null) return byName;
  const inside = folders.findIndex((folder) => isWithin(cwd, folder.path) || isWithin(cwd, folder.realPath));
  if (inside >= 0 || isWithin(homeDir, cwd) || cwd === parse(cwd).root) return inside;
  return folders.findIndex((folder) => isWithin(folder.path, cwd) || isWithin(folder.realPath, cwd));
}

/** `path` is `folder` or lies in it, by the platform's own rules of case and separators. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
