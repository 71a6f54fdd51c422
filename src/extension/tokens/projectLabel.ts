import { basename } from 'node:path';
import type { ProjectSpending } from '../../protocol/usage';
import { shortenHome } from '../text/formats';

/** What a bar of a project is called: its folder's name, as in the tree. */
export function projectLabel({ cwd, folder }: Pick<ProjectSpending, 'cwd' | 'folder'>, homeDir: string): string {
  // The name of the folder under `projects/` cannot be decoded: it stands for itself.
  const path = cwd === null || cwd.trim() === '' ? folder : cwd;
  if (path === homeDir) return shortenHome(path, homeDir);
  return basename(path) || path;
}
