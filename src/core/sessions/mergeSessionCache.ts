import { stat } from 'node:fs/promises';
import { sep } from 'node:path';
import type { ScannedSession } from '../../protocol/session';
import type { FileStamp } from '../util/diskFiles';
import type { Pacer } from '../util/scheduling';
import {
  type CacheEntry,
  type KnownListing,
  type SessionCacheFile,
  SessionCacheWriter,
  stampNumbers,
} from './sessionCacheFile';
import { sessionLine } from './sessionLine';

/** A change of this window that is not in the file yet. */
export type SessionChange =
  | { readonly kind: 'scanned'; readonly atMs: number; readonly stamp: FileStamp; readonly scan: ScannedSession }
  | { readonly kind: 'deleted'; readonly atMs: number };

/** What this window knows when it writes. */
export interface WindowState {
  readonly changes: ReadonlyMap<string, SessionChange>;
  /** The folders that this window listed. */
  readonly listings: ReadonlyMap<string, KnownListing>;
  /** Paths that this window requested. Their transcripts exist. */
  readonly asked: ReadonlySet<string>;
  readonly nowMs: number;
  readonly pacer: Pacer;
}

/** Limits of the file. The sessions that this window listed come first. */
const MAX_SESSIONS = 200_000;
const MAX_BYTES = 256 * 1024 * 1024;
/**
 * A session with a longer line is not stored and therefore scanned at each start. Very many findings make a line that
 * long.
 */
const MAX_SESSION_BYTES = 1024 * 1024;
/** Maximum number of transcripts that are looked up in one save because this window has not listed them. */
const MAX_LOOKUPS = 500;
/** On a file system that does not update the times of a folder, a new session stays hidden for at most this long. */
const MAX_LISTING_AGE_MS = 7 * 24 * 60 * 60 * 1000;

/** Whether a listing is too old to be used, whatever the folder's stamp says. */
export function isExpired({ listedAtMs }: KnownListing, nowMs: number): boolean {
  return nowMs - listedAtMs >= MAX_LISTING_AGE_MS;
}

/**
 * The content to write: the later of two scans of a transcript, the later of two listings of a folder, and no
 * transcripts that no longer exist.
 */
export async function mergeSessionCache(
  written: SessionCacheFile | null,
  state: WindowState,
): Promise<SessionCacheWriter> {
  const entries = await writtenEntries(written, state);
  for (const [path, change] of state.changes) {
    await state.pacer.yieldIfDue();
    const known = entries.get(path);
    if (known !== undefined && known.scannedAtMs > change.atMs) continue;
    if (change.kind === 'deleted') entries.delete(path);
    else entries.set(path, entryOf(path, change));
  }
  return writeEntries(entries, latestListings(written, state), state.pacer);
}

function entryOf(path: string, { stamp, atMs, scan }: SessionChange & { readonly kind: 'scanned' }): CacheEntry {
  return { path, stamp: stampNumbers(stamp), scannedAtMs: atMs, line: sessionLine(path, scan) };
}

async function writeEntries(
  entries: ReadonlyMap<string, CacheEntry>,
  listings: ReadonlyMap<string, KnownListing>,
  pacer: Pacer,
): Promise<SessionCacheWriter> {
  const writer = new SessionCacheWriter();
  let count = 0;
  let bytes = 0;
  const accept = ({ line }: CacheEntry): boolean => {
    const isTooMuch = count === MAX_SESSIONS || bytes + line.length > MAX_BYTES;
    if (isTooMuch || line.length > MAX_SESSION_BYTES) return false;
    count++;
    bytes += line.length;
    return true;
  };
  const others = byFolder(entries.values());
  for (const [folder, known] of listings) {
    const prefix = folder + sep;
    const ofFolder = others.get(prefix) ?? new Map<string, CacheEntry>();
    others.delete(prefix);
    const sessions: CacheEntry[] = [];
    // The listed sessions come first, in the order in which the next window will request them.
    const transcripts = known.listing.transcripts ?? [];
    for (const path of transcripts) {
      const entry = ofFolder.get(path);
      if (entry !== undefined && accept(entry)) sessions.push(entry);
      ofFolder.delete(path);
      await pacer.yieldIfDue();
    }
    const isComplete = sessions.length === transcripts.length;
    for (const entry of ofFolder.values()) if (accept(entry)) sessions.push(entry);
    if (isComplete || sessions.length > 0) writer.addFolder(prefix, sessions, isComplete ? known : null);
    await pacer.yieldIfDue();
  }
  for (const [prefix, ofFolder] of others) {
    const sessions = [...ofFolder.values()].filter(accept);
    if (sessions.length > 0) writer.addFolder(prefix, sessions, null);
    await pacer.yieldIfDue();
  }
  return writer;
}

/** By the prefix of their paths, then by path. */
function byFolder(entries: Iterable<CacheEntry>): Map<string, Map<string, CacheEntry>> {
  const folders = new Map<string, Map<string, CacheEntry>>();
  for (const entry of entries) {
    const prefix = entry.path.slice(0, entry.path.lastIndexOf(sep) + 1);
    const folder = folders.get(prefix);
    if (folder === undefined) folders.set(prefix, new Map([[entry.path, entry]]));
    else folder.set(entry.path, entry);
  }
  return folders;
}

/** By folder. The folders that this window listed come first. */
function latestListings(
  written: SessionCacheFile | null,
  { listings, nowMs }: WindowState,
): ReadonlyMap<string, KnownListing> {
  const latest = new Map(listings);
  for (const known of written?.listings() ?? []) {
    const own = latest.get(known.listing.folder);
    if (own !== undefined && own.listedAtMs >= known.listedAtMs) continue;
    if (!isExpired(known, nowMs)) latest.set(known.listing.folder, known);
  }
  return latest;
}

/** The sessions of the file, by path, whose transcripts are not known to be gone. */
async function writtenEntries(written: SessionCacheFile | null, state: WindowState): Promise<Map<string, CacheEntry>> {
  const entries = new Map<string, CacheEntry>();
  const unknown: CacheEntry[] = [];
  for (const entry of written?.entries() ?? []) {
    entries.set(entry.path, entry);
    if (!state.asked.has(entry.path) && !state.changes.has(entry.path)) unknown.push(entry);
    await state.pacer.yieldIfDue();
  }
  // The transcripts scanned longest ago come first: Claude deletes old ones.
  unknown.sort((a, b) => a.scannedAtMs - b.scannedAtMs);
  for (const { path } of unknown.slice(0, MAX_LOOKUPS)) if (await isGone(path)) entries.delete(path);
  return entries;
}

async function isGone(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code === 'ENOENT' || code === 'ENOTDIR';
  }
}
