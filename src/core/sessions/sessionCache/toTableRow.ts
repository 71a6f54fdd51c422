import { sep } from 'node:path';
import type { ScannedSession, SessionScanResult, SessionStatus } from '../../../protocol/session';
import type { FileStamp } from '../../util/diskFiles';
import type { TableRow } from './tableLayout';

/** A status is stored as its place in the list, so that it is only ever added to at the end. */
export const STATUSES = ['healthy', 'corrupted', 'missing', 'unreadable'] as const satisfies readonly SessionStatus[];

const SUFFIX = '.jsonl';

/** What few sessions have; fields that would say what is usual are left out. */
export interface RowRest {
  readonly sessionId?: string;
  readonly filePath?: string;
  readonly findings?: SessionScanResult['findings'];
  readonly missingLines?: readonly number[];
  readonly parentSessionId?: string;
}

/** Of a transcript that was read. Each list is in the order of the layout. */
export function toTableRow(path: string, stamp: FileStamp, scannedAtMs: number, scan: ScannedSession): TableRow {
  const { result, metadata } = scan;
  const rest: RowRest = {
    ...(result.sessionId === plainSessionId(path) ? {} : { sessionId: result.sessionId }),
    ...(result.filePath === path ? {} : { filePath: result.filePath }),
    ...(result.findings.length === 0 ? {} : { findings: result.findings }),
    ...(result.resume.missingLines.length === 0 ? {} : { missingLines: result.resume.missingLines }),
    ...(metadata.parentSessionId === null ? {} : { parentSessionId: metadata.parentSessionId }),
  };
  return {
    bigints: [stamp.mtimeNs, stamp.ctimeNs, stamp.inode],
    doubles: [stamp.size, scannedAtMs, result.fileSize, metadata.lastMessageMs ?? Number.NaN],
    counts: [
      STATUSES.indexOf(result.status),
      result.chainDepth,
      result.orphanCount,
      result.messageCount,
      result.resume.loads,
      result.resume.of,
    ],
    texts: [
      path,
      metadata.title,
      metadata.cwd,
      metadata.model,
      metadata.gitBranch,
      metadata.clientVersion,
      result.resume.leafUuid,
      Object.keys(rest).length === 0 ? null : JSON.stringify(rest),
    ],
  };
}

/** The session id of a transcript at this path, as a rule. `basename` takes ten times as long. */
export function plainSessionId(path: string): string {
  const start = path.lastIndexOf(sep) + 1;
  return path.endsWith(SUFFIX) ? path.slice(start, -SUFFIX.length) : path.slice(start);
}
