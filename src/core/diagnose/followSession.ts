import type { ScannedSession } from '../../protocol/session';
import type { LiveTranscript, OpenTranscript } from '../transcript/liveTranscript';
import type { ScannerFactory } from '../transcript/scanner';
import { TranscriptTail } from '../transcript/transcriptTail';
import { fileProblem } from '../util/openForeignFile';
import { LiveVerdict, liveVerdictBy } from './growingSession';
import { describeUnread } from './scanSession';
import type { Diagnostics } from './verdict';

/** Follows a transcript that is being written. */
export interface SessionFollower {
  /**
   * The session as its complete lines say: a last line without a newline is still being written. Costs what was appended
   * since the last call. Never rejects for what is on disk.
   */
  read(): Promise<ScannedSession>;
  /** For good. */
  close(): void;
}

/** `open` is closed with the follower. */
export function followSession(
  open: OpenTranscript,
  createScanner: ScannerFactory,
  diagnostics: Diagnostics,
): SessionFollower {
  return {
    read: async () => {
      const { transcript } = open;
      // Much may be read on its behalf and another's before it is all there.
      do await transcript.refresh();
      while (transcript.reading === null && transcript.failure === null && !transcript.isClosed);
      return describeCompleteLines(transcript, createScanner, diagnostics);
    },
    close: () => {
      open.close();
    },
  };
}

function describeCompleteLines(
  transcript: LiveTranscript,
  createScanner: ScannerFactory,
  diagnostics: Diagnostics,
): ScannedSession {
  const { filePath, failure, reading } = transcript;
  if (failure !== null) return describeUnread(filePath, failure);
  const verdict = reading?.isFinished === true ? null : transcript.get(liveVerdictBy(diagnostics));
  if (verdict !== null) return verdict.session;
  // People are shown the last line, though no newline ends it. That is rare, and not worth a second index.
  try {
    const { index } = new TranscriptTail(filePath, createScanner, { files: transcript.files }).read();
    return new LiveVerdict(filePath, index, diagnostics).session;
  } catch (error) {
    return describeUnread(filePath, fileProblem(error, filePath));
  }
}
