import type { ScannedSession } from '../../../protocol/session';
import type { FolderMemory } from '../../providers/claude/listProjects';
import type { FileStamp } from '../../util/diskFiles';

/**
 * What scans found out and where transcripts lie, kept over restarts and shared between windows. Made by
 * `openSessionCache`.
 */
export interface SessionCache extends FolderMemory {
  /** What is known of the file when its stamp is the one given; null otherwise. Reads no byte of the transcript. */
  get(filePath: string, stamp: FileStamp): ScannedSession | null;
  /** `stamp` is that of the file before its scan began, so that what was appended meanwhile makes it outdated. */
  set(filePath: string, stamp: FileStamp, scan: ScannedSession): void;
  delete(filePath: string): void;
  /**
   * Writes what changed, merged with what other windows wrote meanwhile. Never rejects for the disk: a cache that cannot
   * be written is said once to `warn`.
   */
  save(): Promise<void>;
}
