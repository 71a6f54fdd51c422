import type { ScanPhase } from '../../shared/api/worker';
import { untilAborted } from '../util/untilAborted';
import type { CatalogEntries } from './catalogEntries';
import type { CatalogEntry } from './catalogEntry';
import { isSameStamp } from './catalogFiles';
import type { Clock } from './clock';
import type { FirstLooks } from './firstLooks';
import type { ListedTranscript } from './listTranscripts';
import type { SessionCache } from './sessionCache/sessionCache';
import type { SessionJobs } from './sessionJobs';
import type { SessionPriorities } from './sessionPriorities';

/** Scans of what nobody sees would slow the listing down: it goes first for so long. */
const LISTING_HEAD_START_MS = 1000;

export interface ScanRunParts {
  readonly entries: CatalogEntries;
  readonly jobs: SessionJobs;
  readonly cache: SessionCache | null;
  readonly priorities: SessionPriorities;
  readonly firstLooks: FirstLooks;
  readonly clock: Clock;
  /** Scan transcripts that did not change since their last scan, too. */
  readonly rescanUnchanged: boolean;
  readonly onListed: () => void;
  /** More is known. */
  readonly onProgress: () => void;
}

/**
 * Lists everything and scans what changed. What is found is in the catalog at once, and what the window shows is queued
 * at once; the rest follows when everything is listed, the latest changed file first.
 */
export class ScanRun {
  readonly #parts: ScanRunParts;
  readonly #controller = new AbortController();
  readonly #scans: Promise<void>[] = [];
  #isListed = false;
  #doneCount = 0;
  /** Found, and not queued yet; null once they are queued as they are found. */
  #rest: CatalogEntry[] | null = [];

  constructor(parts: ScanRunParts) {
    this.#parts = parts;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get phase(): ScanPhase {
    if (!this.#isListed) return { kind: 'discovering' };
    return { kind: 'scanning', done: this.#doneCount, total: this.#scans.length };
  }

  /** Another run takes its place. What is queued stays queued. */
  abort(): void {
    this.#controller.abort();
  }

  /** Resolves when everything is scanned. Rejects with what `listing` rejects with, and when it is aborted. */
  async run(listing: AsyncIterable<readonly ListedTranscript[]>): Promise<void> {
    const { entries, clock, onProgress, onListed } = this.#parts;
    const gone = new Set(Array.from(entries.values(), (entry) => entry.found.filePath));
    const cancelTimer = clock.after(LISTING_HEAD_START_MS, () => {
      this.#queueRest();
    });
    try {
      for await (const batch of listing) {
        this.signal.throwIfAborted();
        this.#takeIn(batch);
        for (const { found } of batch) gone.delete(found.filePath);
        onProgress();
      }
    } finally {
      cancelTimer();
    }
    this.signal.throwIfAborted();
    for (const filePath of gone) entries.delete(filePath);
    this.#queueRest();
    this.#isListed = true;
    onListed();
    await untilAborted(Promise.all(this.#scans), this.signal);
  }

  #takeIn(batch: readonly ListedTranscript[]): void {
    const waiting = batch.map((listed) => this.#know(listed)).filter((entry) => entry.isOutdated);
    const wanted: CatalogEntry[] = [];
    for (const entry of waiting) {
      if (this.#rest !== null && this.#parts.priorities.of(entry) === 'disk') this.#rest.push(entry);
      else wanted.push(entry);
    }
    this.#queue(wanted);
  }

  #queueRest(): void {
    const rest = this.#rest;
    this.#rest = null;
    if (rest !== null && !this.signal.aborted) this.#queue(rest);
  }

  #queue(found: readonly CatalogEntry[]): void {
    const latestFirst = found.toSorted((a, b) => (b.stamp?.mtimeMs ?? 0) - (a.stamp?.mtimeMs ?? 0));
    for (const entry of latestFirst) this.#scans.push(this.#scan(entry));
    const paths = latestFirst.map((entry) => entry.found.filePath);
    void this.#parts.firstLooks.take(paths, this.signal);
  }

  async #scan({ found, stamp }: CatalogEntry): Promise<void> {
    const { jobs, priorities, entries, rescanUnchanged, onProgress } = this.#parts;
    const { filePath } = found;
    const entry = entries.get(filePath);
    if (entry === undefined) return;
    const isUnderWay = !rescanUnchanged && jobs.isScanning(filePath, stamp);
    const scan = isUnderWay ? jobs.queue.waitFor(filePath) : jobs.queue.add('scan', filePath, priorities.of(entry));
    // The queue tells of errors.
    await scan.catch(() => undefined);
    this.#doneCount++;
    if (!this.signal.aborted) onProgress();
  }

  /** What was known of the transcript before, or is from an earlier session of work, holds as long as its stamp does. */
  #know({ found, stamp, hasBackup }: ListedTranscript): CatalogEntry {
    const { entries, cache, rescanUnchanged } = this.#parts;
    const known = entries.get(found.filePath);
    const isUnchanged = known !== undefined && isSameStamp(known.stamp, stamp);
    const cached = isUnchanged || stamp === null ? null : (cache?.get(found.filePath, stamp) ?? null);
    const isKnown = cached !== null || (isUnchanged && !known.isOutdated);
    const entry: CatalogEntry = {
      found,
      stamp,
      // An outdated scan is shown until the next one takes its place.
      scan: cached ?? known?.scan ?? null,
      look: known?.look ?? null,
      isOutdated: !isKnown || rescanUnchanged,
      hasBackup,
    };
    const isSame = isUnchanged && known.isOutdated === entry.isOutdated && known.hasBackup === hasBackup;
    if (!isSame) entries.set(entry);
    return entry;
  }
}
