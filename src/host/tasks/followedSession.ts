import type { SessionsSnapshot } from '../../shared/api/worker';

/** The session of the workspace that a client runs, the one with the latest activity first; null when none is run. */
export function liveSessionOf({ projects }: Pick<SessionsSnapshot, 'projects'>): string | null {
  const live = projects
    .filter(({ inWorkspace }) => inWorkspace)
    .flatMap(({ sessions }) => sessions.filter((session) => session.live !== null));
  live.sort((a, b) => b.activityMs - a.activityMs);
  return live[0]?.filePath ?? null;
}
