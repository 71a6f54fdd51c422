import { dirname, parse } from 'node:path';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';

/** Nothing has been listed yet. */
export const NO_SESSIONS: SessionsSnapshot = {
  revision: 0,
  phase: { kind: 'idle' },
  projects: [],
  problem: null,
  isFolderMissing: false,
};

/** Why there are no sessions to show, before anything was read. */
export type ModelProblem = 'invalid-config-dir' | 'worker-gave-up';

/** What the Sessions view has to show; the value of a context key that its welcome texts depend on. */
export type SessionsViewState = 'starting' | 'listed' | 'empty' | 'folderMissing' | 'invalidConfigDir' | 'failed';

/** `problem`: why there can be no sessions, whatever the snapshot says. */
export function sessionsViewState(snapshot: SessionsSnapshot, problem: ModelProblem | null): SessionsViewState {
  if (snapshot.projects.length > 0) return 'listed';
  if (problem === 'invalid-config-dir') return 'invalidConfigDir';
  if (problem !== null || snapshot.problem !== null) return 'failed';
  if (snapshot.revision === 0 || snapshot.phase.kind !== 'idle') return 'starting';
  return snapshot.isFolderMissing ? 'folderMissing' : 'empty';
}

export function allSessions(snapshot: SessionsSnapshot): readonly SessionSummary[] {
  return snapshot.projects.flatMap((project) => project.sessions);
}

export function findSession(
  snapshot: SessionsSnapshot,
  filePath: string,
): { readonly project: ProjectSummary; readonly session: SessionSummary } | null {
  for (const project of snapshot.projects) {
    const session = project.sessions.find((candidate) => candidate.filePath === filePath);
    if (session !== undefined) return { project, session };
  }
  return null;
}

/** The session that one was forked from: an id may lie in two project folders, and a fork lies beside its source. */
export function findParent(
  snapshot: SessionsSnapshot,
  { filePath }: SessionSummary,
  parentSessionId: string,
): SessionSummary | null {
  const parents = allSessions(snapshot).filter(({ sessionId }) => sessionId === parentSessionId);
  const folder = dirname(filePath);
  return parents.find((parent) => dirname(parent.filePath) === folder) ?? parents[0] ?? null;
}

/** The corrupted sessions that this window is about: those of its folders, or all when no folder is open. */
export function corruptedSessions(snapshot: SessionsSnapshot, hasOpenFolder: boolean): readonly SessionSummary[] {
  return snapshot.projects
    .filter((project) => project.inWorkspace || !hasOpenFolder)
    .flatMap((project) => project.sessions)
    .filter((session) => session.health === 'corrupted');
}

/** As much of a session as it takes to do something with it and to name it. */
export type NamedSession = Pick<SessionSummary, 'filePath' | 'sessionId' | 'title'>;

export interface PlacedSession extends NamedSession {
  /** Working directory of the session; null when it is not known. */
  readonly cwd: string | null;
}

/** What the window knows of the session in a transcript. A session that is not listed goes by the name of its file. */
export function sessionAt(snapshot: SessionsSnapshot, filePath: string): PlacedSession {
  const found = findSession(snapshot, filePath);
  const sessionId = found?.session.sessionId ?? parse(filePath).name;
  return { filePath, sessionId, title: found?.session.title ?? null, cwd: found?.project.cwd ?? null };
}
