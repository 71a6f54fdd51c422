import { type BigIntStats, statSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';

/** Two equal stamps of one path mean the same bytes, because a write, a rename and `utimes` each change the ctime. */
export interface FileStamp {
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, for sorting and display; comparisons use the nanoseconds. */
  readonly mtimeMs: number;
  /** Nanoseconds since the epoch, like `ctimeNs`. */
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** Beyond 2^53 on some file systems. */
  readonly inode: bigint;
  /** When the file was made, in milliseconds since the epoch; 0 where the file system does not know. */
  readonly bornMs: number;
  readonly isFolder: boolean;
}

/** The file system calls that listing sessions needs. None of them rejects. */
export interface SessionFiles {
  /** Null if there is no such file or it cannot be accessed. */
  stamp(path: string): Promise<FileStamp | null>;
  /**
   * Like `stamp`, but synchronous: it takes a few microseconds, a quarter of the time of an awaited promise. For thousands of
   * files in a row, on a thread that may block.
   */
  stampNow(path: string): FileStamp | null;
  /** Like `stampNow`, but gives `known` itself if the file is still in that state, which costs much less. For looking again and again. */
  stampAgain(path: string, known: FileStamp | null): FileStamp | null;
  /** Names in a folder; empty if there is no such folder or it cannot be read. */
  names(folder: string): Promise<readonly string[]>;
  /** The path without symbolic links; the path itself if it cannot be resolved. */
  realPath(path: string): Promise<string>;
}

const NS_PER_MS = 1_000_000;
/** Times as doubles are exact to half of this. Nobody writes a file twice within it, as a look takes longer. In nanoseconds. */
const DOUBLE_NS = 1_000;

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
  stampAgain: (path, known) => (known !== null && isStill(path, known) ? known : diskSessionFiles.stampNow(path)),
  names: (folder) => readdir(folder).catch(() => []),
  realPath: (path) => realpath(path).catch(() => path),
};

export function isSameStamp(a: FileStamp | null, b: FileStamp | null): boolean {
  if (a === null || b === null) return false;
  if (a === b) return true;
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.inode === b.inode;
}

/** A stamp has large numbers, which make a thousand bytes of garbage; what polls must do without. */
function isStill(path: string, known: FileStamp): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return (
      stats?.size === known.size &&
      stats.ino === Number(known.inode) &&
      isSameTime(stats.mtimeMs, known.mtimeNs) &&
      isSameTime(stats.ctimeMs, known.ctimeNs)
    );
  } catch {
    return false;
  }
}

function isSameTime(ms: number, ns: bigint): boolean {
  return Math.abs(ms * NS_PER_MS - Number(ns)) < DOUBLE_NS;
}

function stampOf(stats: BigIntStats): FileStamp {
  return {
    size: Number(stats.size),
    mtimeMs: Number(stats.mtimeMs),
    mtimeNs: stats.mtimeNs,
    ctimeNs: stats.ctimeNs,
    inode: stats.ino,
    bornMs: Number(stats.birthtimeMs),
    isFolder: stats.isDirectory(),
  };
}
