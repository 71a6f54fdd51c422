import { basename } from 'node:path';
import type { ProjectSpending } from '../../protocol/usage';
import { shortenHome } from '../text/formats';

/** Label of a project's bar: its folder's name, as in the tree. */
export function projectLabel({ cwd, folder }: Pick<ProjectSpending, 'cwd' | 'folder'>, homeDir: string): string {
  // The name of the folder under `projects/` cannot be decoded, so it is shown unchanged.
  const path = cwd === null || cwd.trim() === '' ? folder : cwd;
  if (path === homeDir) return shortenHome(path, homeDir);
  return basename(path) || path;
}
