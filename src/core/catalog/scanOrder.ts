import { basename } from 'node:path';
import type { CatalogEntry } from './catalogEntry';
import type { WorkspaceFolder } from './workspaceMatch';
import { workspaceIndex } from './workspaceMatch';

/** What waits for a scan: workspace projects first, in window order; within and after them the latest changed file. */
export function scanOrder(
  entries: Iterable<CatalogEntry>,
  workspaceFolders: readonly WorkspaceFolder[],
  homeDir: string,
): readonly CatalogEntry[] {
  const rank = (entry: CatalogEntry): number => {
    const project = { name: basename(entry.found.projectFolder), cwd: entry.scan?.metadata.cwd ?? null };
    const index = workspaceIndex(project, workspaceFolders, homeDir);
    return index < 0 ? workspaceFolders.length : index;
  };
  return [...entries]
    .filter((entry) => entry.scanNumber === 0)
    .map((entry) => ({ entry, rank: rank(entry), mtimeMs: entry.stamp?.mtimeMs ?? 0 }))
    .sort((a, b) => a.rank - b.rank || b.mtimeMs - a.mtimeMs)
    .map(({ entry }) => entry);
}
