import type { FileStat } from './writeFs';

/** What tells whether a path still holds the very bytes that were read: any append, edit or replacement changes it. */
export interface FileIdentity {
  /** Bytes. */
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly mtimeNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
}

export function fileIdentity(stat: Pick<FileStat, 'size' | 'mtimeNs' | 'ino' | 'dev'>): FileIdentity {
  return { size: Number(stat.size), mtimeNs: stat.mtimeNs, ino: stat.ino, dev: stat.dev };
}

export function isSameIdentity(one: FileIdentity, other: FileIdentity): boolean {
  return one.size === other.size && one.mtimeNs === other.mtimeNs && isSameFile(one, other);
}

/** The same file, whatever it holds by now. */
export function isSameFile(one: Pick<FileIdentity, 'ino' | 'dev'>, other: Pick<FileIdentity, 'ino' | 'dev'>): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
