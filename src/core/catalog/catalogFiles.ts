import { readdir, realpath, stat } from 'node:fs/promises';

/** Two equal stamps of one path mean the same bytes: a write, a rename and `utimes` each change the ctime. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
  readonly isFolder: boolean;
}

/** The little that the catalog asks of a disk. None of it rejects. */
export interface CatalogFiles {
  /** null when there is no such file, or it may not be looked at. */
  stamp(path: string): Promise<FileStamp | null>;
  /** Names in a folder; none when there is no such folder, or it may not be read. */
  names(folder: string): Promise<readonly string[]>;
  /** The path without symbolic links; the path itself when it cannot be resolved. */
  realPath(path: string): Promise<string>;
}

export const diskCatalogFiles: CatalogFiles = {
  stamp: async (path) => {
    try {
      const stats = await stat(path);
      const { size, mtimeMs, ctimeMs, ino } = stats;
      return { size, mtimeMs, ctimeMs, inode: ino, isFolder: stats.isDirectory() };
    } catch {
      return null;
    }
  },
  names: (folder) => readdir(folder).catch(() => []),
  realPath: (path) => realpath(path).catch(() => path),
};

export function isSameStamp(a: FileStamp | null, b: FileStamp | null): boolean {
  if (a === null || b === null) return false;
  return a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.inode === b.inode;
}
