/** One file as it was just before a tool call: not there, these bytes, or something that was not kept. */
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
       * Something stood there of which nothing was kept. The file cannot be put back to this state, and a later checkpoint
       * of it is no substitute: it is skipped, and told.
       */
      readonly kind: 'notKept';
      /** `notAFile`: a folder, a socket … `unreadable`: it could not be read, or not be copied. */
      readonly why: 'tooLarge' | 'notAFile' | 'unreadable';
    };

/** The state of some files just before one tool call of the turn of a prompt. */
export interface OwnCheckpoint {
  /** The uuid of the prompt whose turn made the call; null if the hook could not determine it. */
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
 * What Rethread itself kept of a session's files. A rewind to a prompt takes, for each path, the
 * earliest checkpoint at or after that prompt; where the client kept a checkpoint of the same
 * prompt and path, the client's own wins, and so does an earlier one of a later prompt.
 */
export interface OwnCheckpoints {
  /** The checkpoints of a session, oldest first; empty if nothing was kept. */
  read(sessionId: string): Promise<readonly OwnCheckpoint[]>;
}
