import { sep } from 'node:path';

/** The path with the home folder written as `~`. */
export function shortenHome(path: string, homeDir: string): string {
  if (path === homeDir) return '~';
  return path.startsWith(homeDir + sep) ? `~${path.slice(homeDir.length)}` : path;
}
