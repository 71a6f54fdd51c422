import { basename } from 'node:path';
import { encodeProjectPath } from '../claude/projectPath';
import type { CatalogEntry } from './catalogEntry';
import { activityMs, knownMetadata } from './summariseSession';
import type { WorkspaceFolder } from './workspaceMatch';
import { workspaceIndex } from './workspaceMatch';

/** What there is to say of a project beside its sessions. */
export interface ProjectDescription {
  readonly folder: string;
  readonly cwd: string | null;
  /** Which of the open workspace folders it belongs to; -1 for none. */
  readonly workspaceIndex: number;
  /** Of its latest session, in milliseconds. */
  readonly activityMs: number;
}

/** null when it has no sessions. */
export function describeProject(
  folder: string,
  entries: Iterable<CatalogEntry>,
  workspaceFolders: readonly WorkspaceFolder[],
  homeDir: string,
): ProjectDescription | null {
  const name = basename(folder);
  const { isEmpty, rowsCwd, latestMs } = summarise(name, entries);
  if (isEmpty) return null;
  const named = workspaceFolders.find((candidate) => candidate.projectName === name);
  return {
    folder,
    cwd: named?.path ?? rowsCwd,
    workspaceIndex: workspaceIndex({ name, cwd: rowsCwd }, workspaceFolders, homeDir),
    activityMs: latestMs,
  };
}

/** Workspace projects first, in window order; then the latest activity first. */
export function compareProjects(a: ProjectDescription, b: ProjectDescription): number {
  return rank(a) - rank(b) || b.activityMs - a.activityMs || (a.folder < b.folder ? -1 : a.folder > b.folder ? 1 : 0);
}

function rank(project: ProjectDescription): number {
  return project.workspaceIndex < 0 ? Number.MAX_SAFE_INTEGER : project.workspaceIndex;
}

/**
 * The working directory by the rows: sessions resumed elsewhere carry other directories, so the one that the folder is
 * named after wins; else the latest.
 */
function summarise(projectName: string, entries: Iterable<CatalogEntry>) {
  let isEmpty = true;
  let latestMs = 0;
  /** When each directory was last worked in. */
  const cwds = new Map<string, number>();
  for (const entry of entries) {
    isEmpty = false;
    const entryMs = activityMs(entry);
    latestMs = Math.max(latestMs, entryMs);
    const cwd = knownMetadata(entry)?.cwd ?? null;
    if (cwd !== null) cwds.set(cwd, Math.max(cwds.get(cwd) ?? 0, entryMs));
  }
  const latestFirst = [...cwds].sort((a, b) => b[1] - a[1]).map(([cwd]) => cwd);
  const namesake = latestFirst.find((cwd) => encodeProjectPath(cwd) === projectName);
  return { isEmpty, rowsCwd: namesake ?? latestFirst[0] ?? null, latestMs };
}
