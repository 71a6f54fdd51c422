import { join } from 'node:path';
import type { ScannedSession } from '../../../protocol/session';
import type { ProjectListing } from '../../providers/claude/listProjects';
import { type FileStamp, isSameStamp } from '../../util/diskFiles';
import { createPacer } from '../../util/scheduling';
import { loadTable, replaceTable } from './cacheFile';
import { type KnownListing, stillHolds } from './knownListing';
import { mergeSessions, type SessionChange } from './mergeSessions';
import type { SessionCache } from './sessionCache';
import type { SessionTable } from './sessionTable';
import { StoredSession } from './storedSession';

const FILE_NAME = 'sessions.cache';
/** Longest work between two turns of the event loop while the file is written. */
const TURN_MS = 10;
/** Bound of the paths that are remembered as asked for. */
const MAX_ASKED = 400_000;

export interface SessionCacheParts {
  /** Absolute path of a folder of ours, made when it is needed. */
  readonly folder: string;
  /** What another engine found out is not taken over. */
  readonly engineVersion: string;
  readonly warn: (message: string) => void;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** Costs nothing until the first call: the file is read then. */
export function openSessionCache(parts: SessionCacheParts): SessionCache {
  return new FileSessionCache(parts);
}

class FileSessionCache implements SessionCache {
  readonly #parts: SessionCacheParts;
  readonly #filePath: string;
  readonly #now: () => number;
  /** The file as it was last read or written here; undefined before the first call. */
  #table: SessionTable | null | undefined;
  readonly #changes = new Map<string, SessionChange>();
  /** What this window listed, by folder. */
  readonly #listings = new Map<string, KnownListing>();
  /** The file does not hold all of them. */
  #hasNewListings = false;
  /** Paths that were asked for, some of them twice. */
  readonly #asked: string[] = [];
  #saving: Promise<void> = Promise.resolve();
  #hasWarned = false;

  constructor(parts: SessionCacheParts) {
    this.#parts = parts;
    this.#filePath = join(parts.folder, FILE_NAME);
    this.#now = parts.now ?? Date.now;
  }

  get(filePath: string, stamp: FileStamp): ScannedSession | null {
    if (this.#asked.length < MAX_ASKED) this.#asked.push(filePath);
    const change = this.#changes.get(filePath);
    if (change !== undefined) {
      return change.kind === 'scanned' && isSameStamp(change.stamp, stamp) ? change.scan : null;
    }
    const table = this.#loaded();
    const row = table?.find(filePath) ?? -1;
    return table !== null && row >= 0 && table.isOf(row, stamp) ? new StoredSession(table.source, row, filePath) : null;
  }

  set(filePath: string, stamp: FileStamp, scan: ScannedSession): void {
    // Why a file could not be read may pass without a change of the file.
    if (scan.problem !== null) {
      this.delete(filePath);
      return;
    }
    this.#changes.set(filePath, { kind: 'scanned', atMs: this.#now(), stamp, scan });
  }

  delete(filePath: string): void {
    const table = this.#loaded();
    const isKnown = this.#changes.has(filePath) || (table !== null && table.find(filePath) >= 0);
    if (isKnown) this.#changes.set(filePath, { kind: 'deleted', atMs: this.#now() });
  }

  listing(folder: string, stamp: FileStamp): ProjectListing | null {
    const known = this.#listings.get(folder) ?? this.#loaded()?.listing(folder) ?? null;
    return known !== null && stillHolds(known, stamp, this.#now()) ? known.listing : null;
  }

  setListing(listing: ProjectListing, stamp: FileStamp): void {
    this.#listings.set(listing.folder, { listing, stamp, listedAtMs: this.#now() });
    this.#hasNewListings = true;
  }

  save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write());
    return this.#saving;
  }

  async #write(): Promise<void> {
    if (this.#changes.size === 0 && !this.#hasNewListings) return;
    this.#hasNewListings = false;
    const changes = new Map(this.#changes);
    const known = this.#loaded();
    const { engineVersion } = this.#parts;
    const parts = {
      changes,
      listings: new Map(this.#listings),
      asked: new Set(this.#asked),
      nowMs: this.#now(),
      pacer: createPacer(TURN_MS),
    };
    try {
      await replaceTable(this.#filePath, engineVersion, async (written) => {
        const merged = await mergeSessions(written ?? known, parts);
        return merged.build(engineVersion);
      });
    } catch (error) {
      this.#hasNewListings = true;
      this.#warnOnce(error);
      return;
    }
    this.#table = undefined;
    // What was scanned meanwhile is for the next time.
    for (const [path, change] of changes) if (this.#changes.get(path) === change) this.#changes.delete(path);
  }

  #loaded(): SessionTable | null {
    if (this.#table === undefined) this.#table = loadTable(this.#filePath, this.#parts.engineVersion);
    return this.#table;
  }

  /** What was not written is tried again with the next changes. */
  #warnOnce(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#parts.warn(`Failed to write the session cache ${this.#filePath}: ${String(error)}`);
  }
}
