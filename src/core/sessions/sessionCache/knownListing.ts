import type { ProjectListing } from '../../providers/claude/listProjects';
import { type FileStamp, isSameStamp } from '../../util/diskFiles';

/** What lay in a folder, the folder as it was just before that was read, and when. */
export interface KnownListing {
  readonly listing: ProjectListing;
  readonly stamp: FileStamp;
  readonly listedAtMs: number;
}

/** Coarsest clock of a file system: two changes within it leave one stamp. */
const CLOCK_MS = 2000;
/** On a file system that keeps a folder's times as they are, of which we know none, a new session hides for so long. */
const HOLDS_MS = 7 * 24 * 60 * 60 * 1000;
const NS_PER_MS = 1_000_000n;

/**
 * Whether the folder holds the same names as when it was listed: adding, removing and renaming a file changes the
 * folder's own times. One that had just been changed when it was listed may have been changed again at the same time.
 */
export function stillHolds(known: KnownListing, stamp: FileStamp, nowMs: number): boolean {
  const changedMs = Number((stamp.mtimeNs > stamp.ctimeNs ? stamp.mtimeNs : stamp.ctimeNs) / NS_PER_MS);
  const isRacy = known.listedAtMs - changedMs < CLOCK_MS;
  return isSameStamp(known.stamp, stamp) && !isRacy && nowMs >= known.listedAtMs && !isOld(known, nowMs);
}

/** No stamp makes it hold any more. */
export function isOld({ listedAtMs }: KnownListing, nowMs: number): boolean {
  return nowMs - listedAtMs >= HOLDS_MS;
}
