import type { ScannedSession } from '../../protocol/session';
import { SessionTail } from '../tail/sessionTail';
import type { ScannerFactory } from '../transcript/scanner';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import { fileProblem } from '../util/openForeignFile';
import { describeSession, describeUnread } from './describeSession';
import { GrowingSession } from './growingSession';
import { examineFacts } from './scanSession';

/** Follows a transcript that is being written. */
export interface SessionFollower {
  /**
   * The session as its complete lines say: a last line without a newline is still being written. Costs what was appended
   * since the last call. Never throws for what is on disk.
   */
  read(): ScannedSession;
}

export function followSession(filePath: string, createScanner: ScannerFactory): SessionFollower {
  let tail = new SessionTail(filePath, createScanner);
  let known: ScannedSession | null = null;
  let growing: GrowingSession | null = null;
  const examine = (facts: TranscriptFacts): ScannedSession => {
    const examination = examineFacts(facts);
    const session = describeSession(filePath, examination);
    growing = GrowingSession.from(session, examination);
    return session;
  };
  return {
    read: () => {
      try {
        const { change, facts } = tail.read();
        if (change === 'unchanged' && known !== null) return known;
        known = (change === 'grown' ? growing?.grow(facts) : null) ?? examine(facts);
        return known;
      } catch (error) {
        // What comes back is another file.
        tail = new SessionTail(filePath, createScanner);
        known = null;
        growing = null;
        return describeUnread(filePath, fileProblem(error, filePath));
      }
    },
  };
}
