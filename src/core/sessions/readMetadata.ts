import type { SessionMetadata } from '../../protocol/session';
import { chooseTitle } from '../providers/claude/rows/sessionMetadata';
import type { TranscriptFacts } from '../transcript/transcriptIndex';

/** What the session is called, and where it belongs. */
export function readMetadata({ titles, latest, parentSessionId }: TranscriptFacts): SessionMetadata {
  return {
    title: chooseTitle(titles),
    cwd: latest.cwd,
    model: latest.model,
    gitBranch: latest.gitBranch === '' ? null : latest.gitBranch,
    clientVersion: latest.clientVersion,
    lastMessageMs: latest.messageMs,
    parentSessionId,
  };
}
