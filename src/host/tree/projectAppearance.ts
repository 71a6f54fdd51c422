import { basename, dirname } from 'node:path';
import type { ProjectSummary } from '../../shared/api/worker';
import type { Formats } from '../text/formats';
import { shortenHome } from '../text/paths';
import type { Translate } from '../text/translate';

/** How a project looks in the tree. */
export interface ProjectAppearance {
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
}

export function projectAppearance(
  project: ProjectSummary,
  homeDir: string,
  formats: Formats,
  t: Translate,
): ProjectAppearance {
  const corrupted = project.sessions.filter((session) => session.health === 'corrupted').length;
  const trouble = corrupted === 0 ? null : t('{0} corrupted', formats.number(corrupted));
  const count = project.sessions.length;
  const sessions = count === 1 ? t('1 session') : t('{0} sessions', formats.number(count));
  // The folder's name cannot be decoded: it stands for itself until a row tells the working directory.
  const path = project.cwd ?? project.folder;
  const isRootOrHome = project.cwd !== null && (path === homeDir || dirname(path) === path);
  const around = project.cwd === null || isRootOrHome ? null : shortenHome(dirname(path), homeDir);
  return {
    label: isRootOrHome ? shortenHome(path, homeDir) : basename(path),
    description: [trouble, around].filter((part) => part !== null).join(' · '),
    tooltip: [shortenHome(path, homeDir), trouble === null ? sessions : `${sessions}, ${trouble}`].join('\n'),
  };
}
