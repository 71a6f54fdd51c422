import type { SessionHealth, SessionSummary } from '../../shared/api/worker';
import type { LiveStatus, ScannedSession } from '../../shared/session';
import type { CatalogEntry, FirstLook } from './catalogEntry';

/** What the tree shows of one session. */
export function summariseSession(entry: CatalogEntry, live: LiveStatus | null): SessionSummary {
  const { found, scan, hasBackup } = entry;
  const known = knownMetadata(entry);
  const isCounted = scan !== null && scan.result.status !== 'unreadable';
  return {
    sessionId: found.sessionId,
    filePath: found.filePath,
    title: known?.title ?? null,
    parentSessionId: scan?.metadata.parentSessionId ?? null,
    health: health(scan, hasBackup),
    live,
    lastMessageMs: known?.lastMessageMs ?? null,
    activityMs: activityMs(entry),
    loads: isCounted ? scan.result.resume.loads : null,
    of: isCounted ? scan.result.resume.of : null,
    errorCount: scan?.result.findings.filter((finding) => finding.severity === 'error').length ?? 0,
    isRepairable: scan?.result.findings.some((finding) => finding.action === 'auto') ?? false,
    hasBackup,
  };
}

/** By its scan, or by a first look until then; null before either. */
export function knownMetadata({ scan, look }: CatalogEntry): FirstLook | null {
  return scan?.metadata ?? look;
}

/** When the last message was written; the file's own time stands in for it until it is known. Milliseconds. */
export function activityMs(entry: CatalogEntry): number {
  const known = knownMetadata(entry)?.lastMessageMs ?? null;
  return known ?? (entry.scan === null ? (entry.stamp?.mtimeMs ?? 0) : 0);
}

function health(scan: ScannedSession | null, hasBackup: boolean): SessionHealth {
  if (scan === null) return 'unscanned';
  switch (scan.result.status) {
    case 'missing':
    case 'unreadable':
      return 'unreadable';
    case 'corrupted':
      return 'corrupted';
    case 'healthy':
      if (scan.result.messageCount === 0) return 'ghost';
      return hasBackup ? 'repaired' : 'healthy';
  }
}
