import { type BigIntStats, statSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';

/** Two equal stamps of one path mean the same bytes: a write, a rename and `utimes` each change the ctime. */
export interface FileStamp {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, for sorting and for people; sameness goes by the nanoseconds. */
  readonly mtimeMs: number;
  /** Nanoseconds since the epoch, as is `ctimeNs`. */
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** Beyond 2^53 on some file systems. */
  readonly inode: bigint;
  readonly isFolder: boolean;
}

/** The little that the catalog asks of a disk. None of it rejects. */
export interface SessionFiles {
  /** null when there is no such file, or it may not be looked at. */
  stamp(path: string): Promise<FileStamp | null>;
  /**
   * As `stamp`, on the calling thread: a few microseconds where waiting for a promise takes four times as long. For
   * thousands of files in a row, on a thread that nobody waits for.
   */
  stampNow(path: string): FileStamp | null;
  /** Names in a folder; none when there is no such folder, or it may not be read. */
  names(folder: string): Promise<readonly string[]>;
  /** The path without symbolic links; the path itself when it cannot be resolved. */
  realPath(path: string): Promise<string>;
}

export const diskSessionFiles: SessionFiles = {
  stamp: async (path) => {
    try {
      return stampOf(await stat(path, { bigint: true }));
    } catch {
      return null;
    }
  },
  stampNow: (path) => {
    try {
      const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
      return stats === undefined ? null : stampOf(stats);
    } catch {
      return null;
    }
  },
  names: (folder) => readdir(folder).catch(() => []),
  realPath: (path) => realpath(path).catch(() => path),
};

export function isSameStamp(a: FileStamp | null, b: FileStamp | null): boolean {
  if (a === null || b === null) return false;
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.inode === b.inode;
}

function stampOf(stats: BigIntStats): FileStamp {
  return {
    size: Number(stats.size),
    mtimeMs: Number(stats.mtimeMs),
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    inode: stats.ino,
    isFolder: stats.isDirectory(),
  };
}
