import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ScannedSession } from '../../protocol/session';
import type { Diagnostics } from '../diagnose/verdict';
import type { FolderMemory, ProjectListing } from '../providers/provider';
import { type FileStamp, isSameStamp } from '../util/diskFiles';
import { replaceLocked } from '../util/lockedFile';
import { type Clock, createPacer } from '../util/scheduling';
import { isExpired, mergeSessionCache, type SessionChange } from './mergeSessionCache';
import { holdsStamp, type KnownListing, SessionCacheFile, stampNumbers } from './sessionCacheFile';

/**
 * The results of scans and the listings of folders, kept across restarts and shared between windows. Created by
 * `openSessionCache`.
 */
export interface SessionCache extends FolderMemory {
  /** The last scan of the transcript if its stamp was the given one; null otherwise. Does not read the transcript. */
  get(filePath: string, stamp: FileStamp): ScannedSession | null;
  /** @param stamp the file's stamp before its scan began, so that rows appended meanwhile make the scan outdated */
  set(filePath: string, stamp: FileStamp, scan: ScannedSession): void;
  delete(filePath: string): void;
  /**
   * Writes the changes, merged with those that other windows have written. Never rejects for errors of the disk: the
   * first one is passed to `warn`.
   */
  save(): Promise<void>;
}

export interface SessionCacheDeps {
  /** Absolute path of a folder of the extension, which is created when it is needed. */
  readonly folder: string;
  /** Results of another engine version are not used. */
  readonly engineVersion: string;
  /**
   * Results by other rules are not taken over. A client that loads by the same rules as the one before gets its results, with
   * its own name on them: an update of the client costs no scan unless it changed the rules.
   */
  readonly diagnostics: Pick<Diagnostics, 'client' | 'rules'>;
  readonly warn: (message: string) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Set by scripts/build.mjs; undefined if the sources run unbundled. */
declare const __RETHREAD_VERSION__: string | undefined;

/**
 * Must be increased with every change that makes a scan of the same bytes give another result: another verdict, another
 * title, or another sentence in a finding. Cached results of other versions are dropped.
 */
const SCAN_RULES = 10;

/** Identifies the rules by which a result was found. */
export const ENGINE_VERSION = `${typeof __RETHREAD_VERSION__ === 'undefined' ? 'source' : __RETHREAD_VERSION__}+${SCAN_RULES}`;

const FILE_NAME = 'sessions.cache';
/** Longest work between two turns of the event loop while the file is written, in milliseconds. */
const TURN_MS = 10;
/** The maximum number of remembered paths. */
const MAX_ASKED = 400_000;
/** Resolution of the coarsest file-system clock: two changes within it leave the same stamp. */
const CLOCK_MS = 2000;
const NS_PER_MS = 1_000_000n;

/** The file is read by the first call. */
export function openSessionCache(deps: SessionCacheDeps): SessionCache {
  return new FileSessionCache(deps);
}

/** The session as a plain object with all fields parsed, which can be sent to another thread. */
export function plainSession({ result, metadata, problem }: ScannedSession): ScannedSession {
  return { result, metadata, problem };
}

class FileSessionCache implements SessionCache {
  readonly #deps: SessionCacheDeps;
  readonly #filePath: string;
  /** What results are found by: those of other rules are dropped. */
  readonly #rulesVersion: string;
  readonly #now: () => number;
  /** The content of the file; undefined before the first call, and after the file was written. */
  #file: SessionCacheFile | null | undefined;
  readonly #changes = new Map<string, SessionChange>();
  /** The folders that this window listed. */
  readonly #listings = new Map<string, KnownListing>();
  /** Whether some of these listings are not in the file yet. */
  #hasUnsavedListings = false;
  /** Requested paths; some occur twice. */
  readonly #asked: string[] = [];
  #saving: Promise<void> = Promise.resolve();
  #hasWarned = false;

  constructor(deps: SessionCacheDeps) {
    this.#deps = deps;
    this.#filePath = join(deps.folder, FILE_NAME);
    this.#rulesVersion = `${deps.engineVersion} ${JSON.stringify(deps.diagnostics.rules)}`;
    this.#now = deps.now ?? Date.now;
  }

  get(filePath: string, stamp: FileStamp): ScannedSession | null {
    if (this.#asked.length < MAX_ASKED) this.#asked.push(filePath);
    const change = this.#changes.get(filePath);
    if (change === undefined) return this.#loaded()?.get(filePath, stamp) ?? null;
    return change.kind === 'scanned' && isSameStamp(change.stamp, stamp) ? change.scan : null;
  }

  set(filePath: string, stamp: FileStamp, scan: ScannedSession): void {
    // The reason why a file could not be read may disappear without a change of the file.
    if (scan.problem !== null) {
      this.delete(filePath);
      return;
    }
    this.#changes.set(filePath, { kind: 'scanned', atMs: this.#now(), stamp, scan });
  }

  delete(filePath: string): void {
    const isKnown = this.#changes.has(filePath) || this.#loaded()?.has(filePath) === true;
    if (isKnown) this.#changes.set(filePath, { kind: 'deleted', atMs: this.#now() });
  }

  listing(folder: string, stamp: FileStamp): ProjectListing | null {
    const known = this.#listings.get(folder) ?? this.#loaded()?.listing(folder) ?? null;
    return known !== null && isCurrent(known, stamp, this.#now()) ? known.listing : null;
  }

  setListing(listing: ProjectListing, stamp: FileStamp): void {
    this.#listings.set(listing.folder, { listing, stamp: stampNumbers(stamp), listedAtMs: this.#now() });
    this.#hasUnsavedListings = true;
  }

  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    if (this.#changes.size === 0 && !this.#hasUnsavedListings) return;
    this.#hasUnsavedListings = false;
    const changes = new Map(this.#changes);
    const known = this.#loaded();
    const state = {
      changes,
      listings: new Map(this.#listings),
      asked: new Set(this.#asked),
      nowMs: this.#now(),
      pacer: createPacer(TURN_MS),
    };
    try {
      await replaceLocked(this.#filePath, async (bytes) => {
        const written = bytes === null ? null : this.#parse(bytes);
        return (await mergeSessionCache(written ?? known, state)).build(this.#rulesVersion);
      });
    } catch (error) {
      this.#hasUnsavedListings = true;
      this.#warnOnce(error);
      return;
    }
    this.#file = undefined;
    // Sessions that were scanned meanwhile are written the next time.
    for (const [path, change] of changes) if (this.#changes.get(path) === change) this.#changes.delete(path);
  }

  /** Reads the file on the calling thread: about 10 ms for 10,000 sessions. */
  #loaded(): SessionCacheFile | null {
    if (this.#file === undefined) this.#file = this.#read();
    return this.#file;
  }

  #read(): SessionCacheFile | null {
    try {
      return this.#parse(readFileSync(this.#filePath));
    } catch {
      return null;
    }
  }

  #parse(bytes: Buffer): SessionCacheFile | null {
    return SessionCacheFile.read(bytes, this.#rulesVersion, this.#deps.diagnostics.client);
  }

  /** A failed write is repeated with the next changes. */
  #warnOnce(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#deps.warn(`Failed to write the session cache ${this.#filePath}: ${String(error)}`);
  }
}

/**
 * Whether the folder holds the same names as when it was listed: adding, removing and renaming a file changes the
 * folder's own times. A folder that had just been changed when it was listed may have been changed again within the
 * same tick of the file system's clock.
 */
function isCurrent(known: KnownListing, stamp: FileStamp, nowMs: number): boolean {
  const changedMs = Number((stamp.mtimeNs > stamp.ctimeNs ? stamp.mtimeNs : stamp.ctimeNs) / NS_PER_MS);
  const isRacy = known.listedAtMs - changedMs < CLOCK_MS;
  return holdsStamp(known.stamp, 0, stamp) && !isRacy && nowMs >= known.listedAtMs && !isExpired(known, nowMs);
}

/** If the thread dies, at most the results of this interval are lost. */
const SAVE_INTERVAL_MS = 30_000;

/** Writes the cache at intervals while it changes. */
export class CacheSaver {
  readonly #cache: SessionCache | null;
  readonly #clock: Clock;
  #cancelTimer: (() => void) | null = null;

  constructor(cache: SessionCache | null, clock: Clock) {
    this.#cache = cache;
    this.#clock = clock;
  }

  /** Called when the cache has changed. */
  saveSoon(): void {
    if (this.#cache === null) return;
    this.#cancelTimer ??= this.#clock.after(SAVE_INTERVAL_MS, () => {
      void this.saveNow();
    });
  }

  async saveNow(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    await this.#cache?.save();
  }
}
