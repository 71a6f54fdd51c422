import type { Finding } from '../../protocol/repair';
import type { ScannedSession, SessionStatus } from '../../protocol/session';
import { printable } from './format';

/** What a report keeps of one scanned session; small, because there may be very many. */
export interface SessionRow {
  readonly status: SessionStatus;
  readonly filePath: string;
  readonly sessionId: string;
  readonly title: string | null;
  /** Working directory, else the name of the folder that holds the transcript. */
  readonly project: string;
  readonly lastMessageMs: number | null;
  readonly fileSize: number;
  readonly loads: number;
  readonly of: number;
  readonly findings: readonly Finding[];
}

export function toSessionRow(session: ScannedSession, projectFolder: string): SessionRow {
  const { result, metadata } = session;
  return {
    status: result.status,
    filePath: result.filePath,
    sessionId: result.sessionId,
    title: metadata.title === null ? null : printable(metadata.title).slice(0, MAX_TITLE_LENGTH),
    project: printable(metadata.cwd ?? projectFolder),
    lastMessageMs: metadata.lastMessageMs,
    fileSize: result.fileSize,
    loads: result.resume.loads,
    of: result.resume.of,
    findings: result.findings,
  };
}

/** A prompt can be a page long; no table shows more than this. */
const MAX_TITLE_LENGTH = 80;
