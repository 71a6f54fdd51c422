import type { SessionMetadata } from '../../shared/session';
import type { TranscriptFacts } from '../scan/transcriptFacts';

/** Longest title, in UTF-16 units. */
const MAX_TITLE_LENGTH = 200;

/** The title as Claude shows it, and where the session belongs. (docs/format.md, "Titles") */
export function readMetadata(facts: TranscriptFacts): SessionMetadata {
  const { titles, latest } = facts;
  const title = titles.custom ?? titles.ai ?? titles.lastPrompt ?? titles.summary ?? titles.firstPrompt;
  return {
    title: title === null ? null : oneLine(title),
    cwd: latest.cwd,
    model: latest.model,
    gitBranch: latest.gitBranch === '' ? null : latest.gitBranch,
    clientVersion: latest.clientVersion,
    lastMessageMs: latest.messageMs,
  };
}

function oneLine(text: string): string | null {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return null;
  return line.length <= MAX_TITLE_LENGTH ? line : `${line.slice(0, MAX_TITLE_LENGTH - 1)}…`;
}
