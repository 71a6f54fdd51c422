import { basename } from 'node:path';
import type { SessionsSnapshot, SessionSummary } from '../../shared/api/worker';
import { findSession } from './sessionsState';

/** As much of a session as it takes to do something with it and to name it. */
export type NamedSession = Pick<SessionSummary, 'filePath' | 'sessionId' | 'title'>;

export interface PlacedSession extends NamedSession {
  /** Working directory of the session; null when it is not known. */
  readonly cwd: string | null;
}

/** As much as the window knows of the session in a transcript, which need not be listed. */
export function sessionAt(snapshot: SessionsSnapshot, filePath: string): PlacedSession {
  const found = findSession(snapshot, filePath);
  const sessionId = basename(filePath, '.jsonl');
  return { filePath, sessionId, title: found?.session.title ?? null, cwd: found?.project.cwd ?? null };
}
