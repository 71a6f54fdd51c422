import type { ScannedSession, SessionMetadata } from '../../shared/session';
import type { FoundTranscript } from '../engine';
import type { FileStamp } from './catalogFiles';

/** What a look at the two ends of a transcript tells, long before its scan. */
export type FirstLook = Pick<SessionMetadata, 'title' | 'cwd' | 'lastMessageMs'>;

/** What the catalog knows of one transcript. Replaced as a whole, never changed in place. */
export interface CatalogEntry {
  readonly found: FoundTranscript;
  /** The file as it was when it was listed, or just before its scan began. */
  readonly stamp: FileStamp | null;
  /** null until the first scan. */
  readonly scan: ScannedSession | null;
  /** Stands in for the scan until there is one. */
  readonly look: FirstLook | null;
  /** The file, as it is, waits for a scan. */
  readonly isOutdated: boolean;
  readonly hasBackup: boolean;
}
