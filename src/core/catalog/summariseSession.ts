import { basename } from 'node:path';
import type {
  ProjectSummary,
  ScanPhase,
  SessionHealth,
  SessionsSnapshot,
  SessionSummary,
} from '../../shared/api/worker';
import type { LiveStatus, ScannedSession } from '../../shared/session';
import { encodeProjectPath } from '../claude/projectPath';
import type { CatalogEntry } from './catalogEntry';
import type { WorkspaceFolder } from './workspaceMatch';
import { workspaceIndex } from './workspaceMatch';

/** Everything a snapshot is made of. */
export interface BoardState {
  readonly revision: number;
  readonly phase: ScanPhase;
  readonly problem: string | null;
  readonly isFolderMissing: boolean;
  readonly entries: Iterable<CatalogEntry>;
  /** Running sessions by session id. */
  readonly live: ReadonlyMap<string, LiveStatus>;
  readonly workspaceFolders: readonly WorkspaceFolder[];
  readonly homeDir: string;
}

/** The state of the tree: workspace projects in window order, then the others, latest activity first. */
export function assembleSnapshot(state: BoardState): SessionsSnapshot {
  const projects = [...groupByFolder(state.entries)].map(([folder, entries]) => rankProject(folder, entries, state));
  projects.sort(
    (a, b) => a.rank - b.rank || b.activityMs - a.activityMs || compare(a.summary.folder, b.summary.folder),
  );
  return {
    revision: state.revision,
    phase: state.phase,
    problem: state.problem,
    isFolderMissing: state.isFolderMissing,
    projects: projects.map((project) => project.summary),
  };
}

function groupByFolder(entries: Iterable<CatalogEntry>): Map<string, CatalogEntry[]> {
  const groups = new Map<string, CatalogEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.found.projectFolder);
    if (group === undefined) groups.set(entry.found.projectFolder, [entry]);
    else group.push(entry);
  }
  return groups;
}

function rankProject(folder: string, entries: readonly CatalogEntry[], state: BoardState) {
  const latestFirst = entries.toSorted(
    (a, b) => activityMs(b) - activityMs(a) || compare(a.found.filePath, b.found.filePath),
  );
  const name = basename(folder);
  const index = workspaceIndex({ name, cwd: rowsCwd(name, latestFirst) }, state.workspaceFolders, state.homeDir);
  const named = state.workspaceFolders.find((candidate) => candidate.projectName === name);
  const summary: ProjectSummary = {
    folder,
    cwd: named?.path ?? rowsCwd(name, latestFirst),
    inWorkspace: index >= 0,
    sessions: latestFirst.map((entry) => summarise(entry, state.live.get(entry.found.sessionId) ?? null)),
  };
  const newest = latestFirst[0];
  return {
    summary,
    rank: index < 0 ? Number.MAX_SAFE_INTEGER : index,
    activityMs: newest === undefined ? 0 : activityMs(newest),
  };
}

/**
 * Sessions resumed elsewhere carry other directories in their rows, so the one that the folder is named after wins.
 */
function rowsCwd(projectName: string, latestFirst: readonly CatalogEntry[]): string | null {
  const cwds = latestFirst.map((entry) => entry.scan?.metadata.cwd ?? null).filter((cwd) => cwd !== null);
  return cwds.find((cwd) => encodeProjectPath(cwd) === projectName) ?? cwds[0] ?? null;
}

function summarise(entry: CatalogEntry, live: LiveStatus | null): SessionSummary {
  const { found, scan, hasBackup } = entry;
  const isCounted = scan !== null && scan.result.status !== 'unreadable';
  return {
    sessionId: found.sessionId,
    filePath: found.filePath,
    title: scan?.metadata.title ?? null,
    health: health(scan, hasBackup),
    live,
    lastMessageMs: scan?.metadata.lastMessageMs ?? null,
    loads: isCounted ? scan.result.resume.loads : null,
    of: isCounted ? scan.result.resume.of : null,
    errorCount: scan?.result.findings.filter((finding) => finding.severity === 'error').length ?? 0,
    isRepairable: scan?.result.findings.some((finding) => finding.action === 'auto') ?? false,
    hasBackup,
  };
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

/** When the last message was written; the file's own time stands in for it until the scan. Milliseconds. */
function activityMs(entry: CatalogEntry): number {
  if (entry.scan === null) return entry.stamp?.mtimeMs ?? 0;
  return entry.scan.metadata.lastMessageMs ?? 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
