import type { ScannedSession } from '../../../protocol/session';

/** The session with all its parts in hand, as it can be sent to another thread. */
export function plainSession({ result, metadata, problem }: ScannedSession): ScannedSession {
  return { result, metadata, problem };
}
