import { dirname, parse } from 'node:path';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import type { SessionRef } from '../../protocol/session';
import { isRunningState, isWaitingState, type SessionActivity, urgencyOf } from '../../protocol/sessionActivity';

/** The snapshot before the first listing. */
export const NO_SESSIONS: SessionsSnapshot = {
  revision: 0,
  phase: { kind: 'idle' },
  projects: [],
  problem: null,
  isFolderMissing: false,
};

/** Why there are no sessions to show, known before anything is read. */
export type ModelProblem = 'invalid-config-dir' | 'worker-gave-up';

/** What the Sessions view shows: the value of the context key that its welcome texts depend on. */
export type SessionsViewState = 'starting' | 'listed' | 'empty' | 'folderMissing' | 'invalidConfigDir' | 'failed';

/** @param problem why there can be no sessions, regardless of the snapshot */
export function sessionsViewState(snapshot: SessionsSnapshot, problem: ModelProblem | null): SessionsViewState {
  if (snapshot.projects.length > 0) return 'listed';
  if (problem === 'invalid-config-dir') return 'invalidConfigDir';
  if (problem !== null || snapshot.problem !== null) return 'failed';
  if (snapshot.revision === 0 || snapshot.phase.kind !== 'idle') return 'starting';
  return snapshot.isFolderMissing ? 'folderMissing' : 'empty';
}

/** The config folders without those of other accounts that are not there, as far as they were listed. */
export function existingConfigDirs(
  configDirs: readonly string[],
  { extraProblems = [] }: Pick<SessionsSnapshot, 'extraProblems'>,
): readonly string[] {
  const missing = extraProblems.flatMap(({ configDir, problem }) => (problem === null ? [configDir] : []));
  return configDirs.filter((configDir) => !missing.includes(configDir));
}

export function allSessions({ projects }: Pick<SessionsSnapshot, 'projects'>): readonly SessionSummary[] {
  return projects.flatMap(({ sessions }) => sessions);
}

export function findSession(
  snapshot: SessionsSnapshot,
  filePath: string,
): { readonly project: ProjectSummary; readonly session: SessionSummary } | null {
  for (const project of snapshot.projects) {
    const session = project.sessions.find((candidate) => candidate.path === filePath);
    if (session !== undefined) return { project, session };
  }
  return null;
}

/** The session that another one was forked from, in the same project: two project folders may hold the same id. */
export function findParent(
  snapshot: SessionsSnapshot,
  { path: filePath }: SessionSummary,
  parentSessionId: string,
): SessionSummary | null {
  const parents = allSessions(snapshot).filter(({ id: sessionId }) => sessionId === parentSessionId);
  const folder = dirname(filePath);
  return parents.find((parent) => dirname(parent.path) === folder) ?? parents[0] ?? null;
}

/** The sessions that were forked from each session, by the path of its transcript. */
export function forksOf(snapshot: Pick<SessionsSnapshot, 'projects'>): ReadonlyMap<string, readonly SessionSummary[]> {
  const sessions = allSessions(snapshot);
  const forks: SessionSummary[] = [];
  const parentIds = new Set<string>();
  for (const session of sessions) {
    const { parentSessionId } = session;
    if (parentSessionId === null) continue;
    forks.push(session);
    parentIds.add(parentSessionId);
  }
  if (forks.length === 0) return new Map();
  const byId = new Map<string, SessionSummary[]>();
  for (const session of sessions) if (parentIds.has(session.id)) add(byId, session.id, session);
  const byParent = new Map<string, SessionSummary[]>();
  for (const fork of forks) {
    const parents = byId.get(fork.parentSessionId ?? '') ?? [];
    // Two project folders may hold the same id.
    const parent = parents.find(({ path }) => dirname(path) === dirname(fork.path)) ?? parents[0];
    if (parent !== undefined) add(byParent, parent.path, fork);
  }
  return byParent;
}

function add(lists: Map<string, SessionSummary[]>, key: string, session: SessionSummary): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [session]);
  else list.push(session);
}

/** Whether a client runs the session, as far as is known. */
export function isRunning(session: Pick<SessionSummary, 'activity'> | null): boolean {
  const activity = session?.activity ?? null;
  return activity !== null && isRunningState(activity.state);
}

/** A running session with the project that it belongs to. */
export interface RunningSession {
  readonly project: ProjectSummary;
  readonly session: SessionSummary;
  readonly activity: SessionActivity;
}

/** The running sessions: those that wait for the person first, longest wait first; then those at work, then the others. */
export function runningSessions({ projects }: Pick<SessionsSnapshot, 'projects'>): readonly RunningSession[] {
  const running: RunningSession[] = [];
  for (const project of projects) {
    for (const session of project.sessions) {
      const { activity } = session;
      if (activity !== null && isRunningState(activity.state)) running.push({ project, session, activity });
    }
  }
  return running.sort((a, b) => {
    const since = (a.activity.sinceMs ?? 0) - (b.activity.sinceMs ?? 0);
    const order = isWaitingState(a.activity.state) ? since : -since;
    return (
      urgencyOf(a.activity.state) - urgencyOf(b.activity.state) || order || (a.session.path < b.session.path ? -1 : 1)
    );
  });
}

/** The sessions of the window's folders, or all of them when no folder is open. */
export function sessionsOfWindow(snapshot: SessionsSnapshot, hasOpenFolder: boolean): readonly SessionSummary[] {
  return snapshot.projects
    .filter((project) => project.inWorkspace || !hasOpenFolder)
    .flatMap((project) => project.sessions);
}

/** The corrupted sessions of the window's folders, or all of them when no folder is open. */
export function corruptedSessions(snapshot: SessionsSnapshot, hasOpenFolder: boolean): readonly SessionSummary[] {
  return sessionsOfWindow(snapshot, hasOpenFolder).filter((session) => session.health === 'corrupted');
}

/** Whether Rethread offers to repair the session: it is broken, or something else in it can be fixed without asking. */
export function canBeRepaired({ health, isRepairable, lacks }: SessionSummary): boolean {
  return (health === 'corrupted' || isRepairable) && lacks?.includes('repair') !== true;
}

/** What is needed to name a session and to act on it. */
export type NamedSession = SessionRef & Pick<SessionSummary, 'title'>;

export interface PlacedSession extends NamedSession {
  /** Working directory of the session; null when it is not known. */
  readonly cwd: string | null;
}

/** What the window knows of the session in a transcript. A session that is not listed goes by the name of its file. */
export function sessionAt(snapshot: SessionsSnapshot, filePath: string): PlacedSession {
  const found = findSession(snapshot, filePath);
  const { provider, id, path } = found?.session ?? unlistedSession(filePath);
  return { provider, id, path, title: found?.session.title ?? null, cwd: found?.project.cwd ?? null };
}

/**
 * Where the list has a transcript: at the given path, unless it is not listed there, but at exactly one other place. A file that is not
 * listed may be at the given path all the same.
 */
export function placeNow(snapshot: SessionsSnapshot, filePath: string): string {
  const { id } = unlistedSession(filePath);
  const places = allSessions(snapshot).filter((session) => session.id === id && session.health !== 'missing');
  const [first, ...others] = places.map(({ path }) => path);
  const isMoved = first !== undefined && others.length === 0;
  return isMoved ? first : filePath;
}

/** The session in a transcript that is not listed, such as one that was deleted. */
export function unlistedSession(filePath: string): SessionRef {
  return { provider: 'claude', id: parse(filePath).name, path: filePath };
}
