import { basename } from 'node:path';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../shared/api/worker';
import type { Formats } from '../text/formats';
import { shortenHome } from '../text/paths';
import type { Translate } from '../text/translate';
import type { SessionIcon } from '../tree/sessionAppearance';
import { sessionAppearance } from '../tree/sessionAppearance';

/** Which sessions a command can do something with. */
export type SessionNeed = 'any' | 'repairable' | 'undoable';

export interface SessionPick {
  readonly session: SessionSummary;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly icon: SessionIcon;
}

/** The sessions to choose from, in the order of the tree. */
export function sessionPicks(
  snapshot: SessionsSnapshot,
  need: SessionNeed,
  nowMs: number,
  homeDir: string,
  formats: Formats,
  t: Translate,
): readonly SessionPick[] {
  return snapshot.projects.flatMap((project) =>
    project.sessions
      .filter((session) => isNeeded(session, need))
      .map((session) => {
        const { label, description, icon } = sessionAppearance(session, nowMs, formats, t);
        return { session, label: withoutIcons(label), description, detail: projectName(project, homeDir), icon };
      }),
  );
}

function isNeeded(session: SessionSummary, need: SessionNeed): boolean {
  switch (need) {
    case 'any':
      return true;
    case 'repairable':
      return session.health === 'corrupted' || session.isRepairable;
    case 'undoable':
      return session.hasBackup;
  }
}

function projectName(project: ProjectSummary, homeDir: string): string {
  return project.cwd === null ? basename(project.folder) : shortenHome(project.cwd, homeDir);
}

/** A quick pick draws `$(name)` as an icon: a title that holds it is shown as it is. */
function withoutIcons(label: string): string {
  return label.replaceAll('$(', '\\$(');
}
