import type { ScannedSession } from '../../shared/session';
import { fileProblem } from '../scan/fileProblem';
import type { ScannerFactory } from '../scan/scanner';
import { SessionTail } from '../tail/sessionTail';
import { describeSession, describeUnread } from './describeSession';
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
  return {
    read: () => {
      try {
        const { change, facts } = tail.read();
        if (change !== 'unchanged' || known === null) known = describeSession(filePath, examineFacts(facts));
        return known;
      } catch (error) {
        // What comes back is another file.
        tail = new SessionTail(filePath, createScanner);
        known = null;
        return describeUnread(filePath, fileProblem(error, filePath));
      }
    },
  };
}
