import type { ScannedSession } from '../../shared/session';
import type { FoundTranscript } from '../engine';
import type { FileStamp } from './catalogFiles';

/** What the catalog knows of one transcript. Replaced as a whole, never changed in place. */
export interface CatalogEntry {
  readonly found: FoundTranscript;
  /** The file as it was when it was listed, or just before its scan began. */
  readonly stamp: FileStamp | null;
  /** null until the first scan. */
  readonly scan: ScannedSession | null;
  /**
   * Scans are numbered as they begin, from 1: a result never replaces that of a scan that began later. 0 waits for one.
   */
  readonly scanNumber: number;
  readonly hasBackup: boolean;
}
