import type { FileStat } from '../writeFs';

/** A file as it was when a change of it was planned. `stat` is its own, not that of what a link leads to. */
export type FileBefore = { readonly kind: 'absent' } | { readonly kind: 'file'; readonly stat: FileStat };

export interface FileTimes {
  readonly atimeNs: bigint;
  readonly mtimeNs: bigint;
}

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** What a file is to become. */
export type FileAfter =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      /** Absolute path of a file with the bytes. Only read. */
      readonly contentPath: string;
      /** Bytes. */
      readonly size: number;
      /** Hex SHA-256 that the bytes must have; null when none is known. */
      readonly sha256: string | null;
      /** Permission bits. */
      readonly mode: number;
      /** Null for the time of the change. */
      readonly times: FileTimes | null;
      /** Null for that of the file that is there, or of this process. */
      readonly owner: FileOwner | null;
    };

/** One file of a transaction. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  /** Its folder without symbolic links, when the change was planned; it need not be there yet. */
  readonly realFolder: string;
  readonly before: FileBefore;
  readonly after: FileAfter;
}
