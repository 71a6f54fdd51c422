import type { FileStamp } from '../catalog/catalogFiles';

/** A transcript whose messages are counted, and where it belongs. */
export interface UsageFile {
  readonly filePath: string;
  /** Absolute path of the folder under `projects/`. */
  readonly project: string;
  /** The session that it is of, or that started the subagent. */
  readonly sessionId: string;
  /** The transcript of a subagent. */
  readonly isAgent: boolean;
  /**
   * Milliseconds since the epoch: of copies of a message, the one in the transcript that was there first counts. A repair
   * and a copy make a file anew and keep the time of its last change, which is the earlier one then.
   */
  readonly firstMs: number;
}

/** What a reading found beside the messages. */
export interface UsageFileNotes {
  readonly cwd: string | null;
  readonly title: string | null;
  /** Milliseconds since the epoch; null when no message has a time. */
  readonly lastMessageMs: number | null;
}

/** Which bytes were read. */
export type UsageStamp = Pick<FileStamp, 'size' | 'mtimeNs' | 'ctimeNs' | 'inode'>;
