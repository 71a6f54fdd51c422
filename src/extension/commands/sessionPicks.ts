import { basename } from 'node:path';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import type { Translate } from '../text/translate';
import { sessionAppearance, type SessionIcon } from '../sessions/sessionAppearance';
import { type Formats, shortenHome } from '../text/formats';

/** Which sessions a command can do something with. */
export type SessionNeed = 'any' | 'repairable' | 'undoable' | 'rewound';

export interface SessionPick {
  readonly session: SessionSummary;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly icon: SessionIcon;
}

/** VS Code draws each item of a list, seen or not, and does so anew with each change. */
const MAX_PICKS = 200;

export interface SessionPicks {
  readonly picks: readonly SessionPick[];
  /** Sessions to choose from, `picks` and others. */
  readonly total: number;
}

export interface SessionQuery {
  readonly need: SessionNeed;
  readonly typed: string;
  /** A rewind of the session can be undone. */
  readonly isRewound: (sessionId: string) => boolean;
}

/**
 * The sessions to choose from, in the order of the tree. Of many, the first of those are picked that fit what the person
 * typed; VS Code then filters them by its own rules.
 */
export function sessionPicks(
  snapshot: SessionsSnapshot,
  { need, typed, isRewound }: SessionQuery,
  nowMs: number,
  homeDir: string,
  formats: Formats,
  t: Translate,
): SessionPicks {
  const candidates = snapshot.projects.flatMap((project) => {
    const detail = projectName(project, homeDir);
    return project.sessions
      .filter((session) => isNeeded(session, need, isRewound))
      .map((session) => ({ session, detail }));
  });
  const sought = typed.trim().toLowerCase();
  const isMany = candidates.length > MAX_PICKS;
  const fitting: typeof candidates = [];
  for (const candidate of candidates) {
    if (fitting.length === MAX_PICKS) break;
    if (!isMany || sought === '' || fits(candidate.session, candidate.detail, sought)) fitting.push(candidate);
  }
  const picks = fitting.map(({ session, detail }) => {
    const { label, description, icon } = sessionAppearance(session, nowMs, formats, t);
    return { session, label: withoutIcons(label), description, detail, icon };
  });
  return { picks, total: candidates.length };
}

/** Lower-case titles, so that a letter typed does not change the case of all of them again. */
const soughtTitles = new WeakMap<SessionSummary, string>();

function fits(session: SessionSummary, projectName: string, sought: string): boolean {
  const title = soughtTitles.get(session) ?? session.title?.replace(/\s+/g, ' ').toLowerCase() ?? '';
  soughtTitles.set(session, title);
  return title.includes(sought) || session.sessionId.includes(sought) || projectName.toLowerCase().includes(sought);
}

function isNeeded(session: SessionSummary, need: SessionNeed, isRewound: SessionQuery['isRewound']): boolean {
  switch (need) {
    case 'any':
      return true;
    case 'repairable':
      return session.health === 'corrupted' || session.isRepairable;
    case 'undoable':
      return session.hasBackup;
    case 'rewound':
      return isRewound(session.sessionId);
  }
}

function projectName(project: ProjectSummary, homeDir: string): string {
  return project.cwd === null ? basename(project.folder) : shortenHome(project.cwd, homeDir);
}

/** A quick pick draws `$(name)` as an icon: a title that holds it is shown as it is. */
function withoutIcons(label: string): string {
  return label.replaceAll('$(', '\\$(');
}
