import { isAbsolute, parse, relative, sep } from 'node:path';
import type { SessionHealth, SessionSummary } from '../../protocol/channels/sessions';
import { isMendable, type Severity } from '../../protocol/repair';
import type { QuickMetadata, ScannedSession, SessionAction } from '../../protocol/session';
import type { SessionActivity } from '../../protocol/sessionActivity';
import { doingOf, isUnrecoverable } from '../../protocol/sessionInfo';
import { sessionTimes, type SessionTimes } from '../diagnose/sessionTimes';
import type { SessionCapabilities } from '../providers/provider';
import type { KnownActivity } from './sessionActivities';
import type { SessionEntry } from './sessionEntries';

const ACTIONS: readonly SessionAction[] = ['repair', 'fork', 'rewind'];

/** What the tree shows about one session. `known`: what it is doing; null if that was not looked at. */
export function summariseSession(
  entry: SessionEntry,
  known: KnownActivity | null,
  capabilities: SessionCapabilities,
): SessionSummary {
  const { found, scan, hasBackup } = entry;
  const metadata = knownMetadata(entry);
  const times = timesOf(entry);
  const activity = activityOf(entry, known);
  const lacks = ACTIONS.filter((action) => !capabilities[action]);
  const isCounted = scan !== null && scan.result.status !== 'unreadable';
  return {
    provider: found.provider,
    id: found.id,
    path: found.path,
    title: metadata?.title ?? null,
    parentSessionId: scan?.metadata.parentSessionId ?? null,
    health: health(entry),
    live: known?.live ?? 'not-live',
    activity,
    doing: activity === null ? null : doingOf(activity, known?.call ?? null),
    lastMessageMs: times.lastMessageMs,
    activityMs: activityMs(entry),
    createdMs: times.createdMs,
    bytes: entry.stamp?.size ?? scan?.result.fileSize ?? null,
    loads: isCounted ? scan.result.resume.loads : null,
    of: isCounted ? scan.result.resume.of : null,
    errorCount: countFindings(scan, 'error'),
    warningCount: countFindings(scan, 'warning'),
    isRepairable: capabilities.repair && (scan?.result.findings.some(({ action }) => action === 'auto') ?? false),
    hasBackup,
    ...(lacks.length > 0 ? { lacks } : {}),
    ...(entry.absence === undefined ? {} : { isAbsent: true }),
    ...(found.isProjectFolder === true ? { isProjectFolder: true } : {}),
  };
}

const NOT_RUNNING: SessionActivity = {
  state: 'ended',
  isInferred: true,
  source: 'unknown',
  pid: null,
  sinceMs: null,
  waitingFor: null,
  agentName: null,
};

function activityOf({ scan, absence }: SessionEntry, known: KnownActivity | null): SessionActivity | null {
  const activity = known?.activity ?? null;
  const base = activity ?? NOT_RUNNING;
  // A client that certainly runs still has the conversation.
  if (absence === 'gone' && known?.live !== 'live') return { ...base, state: 'missing', isInferred: false, pid: null };
  if (scan === null || scan.result.status === 'unreadable') return activity;
  const { resume, findings } = scan.result;
  const live = known?.live ?? 'not-live';
  const isLost = isUnrecoverable({ live, resume, isMendable: findings.some(isMendable) });
  return isLost ? { ...base, state: 'unrecoverable', isInferred: false } : activity;
}

function countFindings(scan: ScannedSession | null, severity: Severity): number {
  return scan?.result.findings.filter((finding) => finding.severity === severity).length ?? 0;
}

/** From the scan, or from the quick metadata until then; null before either. */
export function knownMetadata({ scan, quickMetadata }: SessionEntry): QuickMetadata | null {
  return scan?.metadata ?? quickMetadata;
}

/** The time of the last message, or the file's mtime until that is known. Milliseconds since the epoch. */
export function activityMs(entry: SessionEntry): number {
  const known = timesOf(entry).lastMessageMs;
  return known ?? (entry.scan === null ? (entry.stamp?.mtimeMs ?? 0) : 0);
}

function timesOf({ scan, quickMetadata, stamp }: SessionEntry): SessionTimes {
  if (scan === null) return { createdMs: null, lastMessageMs: quickMetadata?.lastMessageMs ?? null };
  return sessionTimes(scan.metadata, stamp);
}

function health({ scan, hasBackup, absence }: SessionEntry): SessionHealth {
  if (absence !== undefined) return absence === 'gone' ? 'missing' : 'empty';
  if (scan === null) return 'unscanned';
  switch (scan.result.status) {
    case 'missing':
    case 'unreadable':
      return 'unreadable';
    case 'corrupted':
      return 'corrupted';
    case 'healthy':
      if (scan.result.messageCount === 0) return 'empty';
      return hasBackup ? 'repaired' : 'healthy';
  }
}

/** An open workspace folder, and the names that identify its sessions. */
export interface WorkspaceFolder {
  readonly path: string;
  /** Without symbolic links: Claude Code names project folders by it. */
  readonly realPath: string;
  /** Name of the project folder of sessions started in it. */
  readonly projectName: string;
}

/**
 * Index of the first workspace folder to which a project belongs, or -1. A project belongs to a workspace folder if its
 * sessions ran in the folder, in one of its subfolders, or in one of its parents. The home folder and the root are
 * parents of nearly everything, so they count only if they are open themselves.
 */
export function workspaceIndex(
  project: { readonly name: string; readonly cwd: string | null },
  folders: readonly WorkspaceFolder[],
  homeDir: string,
): number {
  const byName = folders.findIndex((folder) => folder.projectName === project.name);
  const cwd = project.cwd;
  if (byName >= 0 || cwd === null) return byName;
  const inside = folders.findIndex((folder) => isWithin(cwd, folder.path) || isWithin(cwd, folder.realPath));
  if (inside >= 0 || isWithin(homeDir, cwd) || cwd === parse(cwd).root) return inside;
  return folders.findIndex((folder) => isWithin(folder.path, cwd) || isWithin(folder.realPath, cwd));
}

/** `path` is `folder` or lies in it, by the platform's own rules of case and separators. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
