import { basename } from 'node:path';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import type { Translate } from '../text/translate';
import { sessionAppearance, type SessionIcon } from '../sessions/sessionAppearance';
import { containsWords, searchWords } from '../sessions/sessionFilter';
import { canBeRepaired } from '../sessions/sessionsState';
import { type Formats, shortenHome } from '../text/formats';

/** Which sessions a command applies to. */
export type SessionNeed = 'any' | 'repairable' | 'undoable' | 'rewound';

export interface SessionPick {
  readonly session: SessionSummary;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly icon: SessionIcon;
}

/** VS Code renders every item of a list, visible or not, and again with each change. */
const MAX_PICKS = 200;

export interface SessionPicks {
  readonly picks: readonly SessionPick[];
  /** Number of sessions to choose from, including those not in `picks`. */
  readonly total: number;
}

export interface SessionQuery {
  readonly need: SessionNeed;
  readonly typed: string;
  /** A rewind of the session can be undone. */
  readonly isRewound: (sessionId: string) => boolean;
  /** The config folder of another account that contains a project; null if the main one does. */
  readonly extraConfigDirOf: (projectFolder: string) => string | null;
}

/**
 * The sessions to choose from, in tree order. If there are many, the first that match the typed text; VS Code then filters
 * them by its own rules.
 */
export function sessionPicks(
  snapshot: SessionsSnapshot,
  { need, typed, isRewound, extraConfigDirOf }: SessionQuery,
  nowMs: number,
  homeDir: string,
  formats: Formats,
  t: Translate,
): SessionPicks {
  const candidates = snapshot.projects.flatMap((project) => {
    const configDir = extraConfigDirOf(project.folder);
    const account = configDir === null ? [] : [shortenHome(configDir, homeDir)];
    const detail = [projectName(project, homeDir), ...account].join(' · ');
    return project.sessions
      .filter((session) => isNeeded(session, need, isRewound))
      .map((session) => ({ session, detail }));
  });
  const query = typed.trim().toLowerCase();
  const words = searchWords(query);
  const isMany = candidates.length > MAX_PICKS;
  const fitting: typeof candidates = [];
  for (const candidate of candidates) {
    if (fitting.length === MAX_PICKS) break;
    if (!isMany || query === '' || fits(candidate.session, candidate.detail, query, words)) fitting.push(candidate);
  }
  const picks = fitting.map(({ session, detail }) => {
    const { label, description, icon } = sessionAppearance(session, nowMs, formats, t);
    return { session, label: withoutIcons(label), description, detail, icon };
  });
  return { picks, total: candidates.length };
}

function fits(session: SessionSummary, projectName: string, query: string, words: readonly string[]): boolean {
  return containsWords(session, words) || session.id.includes(query) || projectName.toLowerCase().includes(query);
}

function isNeeded(session: SessionSummary, need: SessionNeed, isRewound: SessionQuery['isRewound']): boolean {
  switch (need) {
    case 'any':
      return true;
    case 'repairable':
      return canBeRepaired(session);
    case 'undoable':
      return session.hasBackup;
    case 'rewound':
      return isRewound(session.id);
  }
}

function projectName(project: ProjectSummary, homeDir: string): string {
  return project.cwd === null ? basename(project.folder) : shortenHome(project.cwd, homeDir);
}

/** A quick pick renders `$(name)` as an icon; this keeps such a title verbatim. */
function withoutIcons(label: string): string {
  return label.replaceAll('$(', '\\$(');
}
