import type { SessionMetadata } from '../../protocol/session';
import type { FileStamp } from '../util/diskFiles';

/** When a session began and when it went on, in milliseconds since the epoch; null if unknown. */
export type SessionTimes = Pick<SessionMetadata, 'createdMs' | 'lastMessageMs'>;

/**
 * The times of a session as people see them. A fork copies messages with their times, so one to which nothing was added begins and ends
 * when its file was made.
 */
export function sessionTimes(
  { createdMs, lastMessageMs, parentSessionId }: SessionTimes & Pick<SessionMetadata, 'parentSessionId'>,
  stamp: Pick<FileStamp, 'bornMs'> | null,
): SessionTimes {
  const bornMs = stamp?.bornMs ?? 0;
  if (parentSessionId === null || createdMs !== null || bornMs <= 0) return { createdMs, lastMessageMs };
  return { createdMs: bornMs, lastMessageMs: Math.max(bornMs, lastMessageMs ?? 0) };
}
