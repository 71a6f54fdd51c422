/** The state of one file just before a tool call: absent, with these bytes, or not kept. */
export type OwnFileState =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'file';
      /** The file with the kept bytes. Read-only: never edited, moved or linked. */
      readonly contentPath: string;
      /** Hex SHA-256 of the kept bytes. */
      readonly sha256: string;
      readonly size: number;
      /** The permission bits of the file (`mode & 0o7777`). */
      readonly mode: number;
    }
  | {
      /**
       * Something existed at the path, but was not kept. The file cannot be restored to this state, and a later
       * checkpoint of it must not be used instead: the rewind skips the file and says so.
       */
      readonly kind: 'notKept';
      /** `notAFile`: a folder, a socket … `unreadable`: it could not be read, or not be copied. */
      readonly why: 'tooLarge' | 'notAFile' | 'unreadable';
      /** If it was too large: its bytes, and the limit at that time. Absent if they are not known. */
      readonly size?: number;
      readonly maxBytes?: number;
    };

/** The state of some files just before one tool call of the turn of a prompt. */
export interface OwnCheckpoint {
  /** The uuid of the prompt whose turn made the call; null if unknown. */
  readonly promptUuid: string | null;
  readonly toolUseId: string | null;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  readonly files: readonly {
    /** Absolute. */
    readonly path: string;
    /** Its folder without symbolic links at that time; null if unknown. */
    readonly realFolder: string | null;
    readonly state: OwnFileState;
  }[];
}

/**
 * The states of a session's files that Rethread itself kept. A rewind to a prompt uses, for each path, the earliest
 * checkpoint at or after that prompt. If the client kept a state of the path for the same prompt, or an earlier one for
 * a later prompt, the client's state is used instead.
 */
export interface OwnCheckpoints {
  /** The checkpoints of a session, oldest first; empty if nothing was kept. */
  read(sessionId: string): Promise<readonly OwnCheckpoint[]>;
}
