import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { memoryFolderOf, sessionFolderOf } from '../format/paths';

/** A file in which the client keeps its memory of a project. */
export interface MemoryFile {
  /** Absolute path. */
  readonly filePath: string;
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
}

/** Files listed for one project. */
const MAX_FILES = 1_000;

/**
 * The memory files of the project that a transcript belongs to: `<project>/memory/*.md`, sorted by name. Empty if there
 * are none or if they cannot be listed. Never rejects. (docs/format.md, "Project folders")
 */
export async function readMemoryFiles(filePath: string): Promise<readonly MemoryFile[]> {
  const folder = memoryFolderOf(dirname(sessionFolderOf(filePath)));
  const names = await readdir(folder).catch((): string[] => []);
  const found: MemoryFile[] = [];
  for (const name of names
    .filter((each) => each.endsWith('.md'))
    .sort()
    .slice(0, MAX_FILES)) {
    const path = join(folder, name);
    const info = await stat(path).catch(() => null);
    if (info?.isFile() === true) found.push({ filePath: path, name, size: info.size, mtimeMs: info.mtimeMs });
  }
  return found;
}
