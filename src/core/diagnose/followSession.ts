import type { ScannedSession } from '../../protocol/session';
import type { SessionFollower } from '../providers/provider';
import type { LiveTranscript, OpenTranscript } from '../transcript/liveTranscript';
import type { ScannerFactory } from '../transcript/scanner';
import { TranscriptTail } from '../transcript/transcriptTail';
import { fileProblem } from '../util/openForeignFile';
import { LiveVerdict, liveVerdictBy } from './growingSession';
import { describeUnread } from './scanSession';
import type { Diagnostics } from './verdict';

/** Closing the follower closes `open`. */
export function followSession(
  open: OpenTranscript,
  createScanner: ScannerFactory,
  diagnostics: Diagnostics,
): SessionFollower {
  return {
    read: async () => {
      const { transcript } = open;
      // Other owners share the transcript, so it may take several refreshes until everything is read.
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
  if (failure !== null) return describeUnread(filePath, failure, diagnostics.client);
  const verdict = reading?.isFinished === true ? null : transcript.get(liveVerdictBy(diagnostics));
  if (verdict !== null) return verdict.session;
  // The last line is shown although no newline ends it. This is rare, and not worth a second index.
  try {
    const { index } = new TranscriptTail(filePath, createScanner, { files: transcript.files }).read();
    return new LiveVerdict(filePath, index, diagnostics).session;
  } catch (error) {
    return describeUnread(filePath, fileProblem(error, filePath), diagnostics.client);
  }
}
