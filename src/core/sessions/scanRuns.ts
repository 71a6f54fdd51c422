import { basename } from 'node:path';
import type { ScanAllOptions, ScanPhase } from '../../protocol/channels/sessions';
import type { WorkerEvents } from '../../protocol/channels/worker';
import { projectsFolderOf } from '../providers/claude/format/paths';
import type { FolderMemory, FoundTranscript, SessionProvider } from '../providers/provider';
import { transcriptsWithBackup } from '../storage/backupNames';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import { type Clock, createPacer, untilAborted } from '../util/scheduling';
import type { LiveWatch } from './liveWatch';
import type { QuickMetadataReads } from './quickMetadata';
import type { SessionCache } from './sessionCache';
import type { SessionEntries, SessionEntry } from './sessionEntries';
import type { SessionJobs } from './sessionJobs';
import type { SessionPriorities } from './sessionPriorities';
import type { UpdateFeed } from './updateAssembler';

export interface ScanRunsDeps extends Omit<ScanRunDeps, 'rescanUnchanged' | 'onListed' | 'onProgress'> {
  /** Absolute path of the provider's config folder. */
  readonly configDir: string;
  readonly provider: SessionProvider;
  readonly files: SessionFiles;
  readonly liveWatch: LiveWatch;
  readonly feed: Pick<UpdateFeed, 'sendSoon' | 'sendNow'>;
  readonly log: WorkerEvents['log'];
}

const IDLE: ScanPhase = { kind: 'idle' };

const SILENT: Pick<UpdateFeed, 'sendSoon' | 'sendNow'> = {
  sendSoon: () => undefined,
  sendNow: () => Promise.resolve(),
};

interface QuietOption {
  /** Nobody has asked for the scan: no progress is shown, and its caller sends what has changed. */
  readonly isQuiet?: boolean;
}

/** Scans all sessions. Only one scan runs at a time: a later one replaces it. */
export class ScanRuns {
  readonly #deps: ScanRunsDeps;
  #current: ScanRun | null = null;
  #isQuiet = false;
  #problem: string | null = null;
  #isFolderMissing = false;

  constructor(deps: ScanRunsDeps) {
    this.#deps = deps;
  }

  get isRunning(): boolean {
    return this.#current !== null;
  }

  get phase(): ScanPhase {
    return this.#isQuiet ? IDLE : (this.#current?.phase ?? IDLE);
  }

  /** Why the last listing of the sessions failed; null if it did not. */
  get problem(): string | null {
    return this.#problem;
  }

  get isFolderMissing(): boolean {
    return this.#isFolderMissing;
  }

  /** Resolves when the run is over and its end has been sent. Never rejects: `problem` and the log report failures. */
  async scanAll({ rescanUnchanged = false, isQuiet = false }: ScanAllOptions & QuietOption): Promise<void> {
    const { log } = this.#deps;
    const feed = isQuiet ? SILENT : this.#deps.feed;
    this.#current?.abort();
    const run = new ScanRun({
      ...this.#deps,
      rescanUnchanged,
      onListed: () => {
        this.#problem = null;
        void feed.sendNow();
      },
      onProgress: () => {
        feed.sendSoon();
      },
    });
    this.#current = run;
    this.#isQuiet = isQuiet;
    void feed.sendNow();
    try {
      await this.#startWatching();
      await run.run(this.#list(run.signal, rescanUnchanged));
    } catch (error) {
      if (run.signal.aborted) return;
      this.#problem = error instanceof Error ? error.message : String(error);
      log('error', `Failed to list the sessions: ${String(error)}`);
    }
    // A later run has replaced this one and reports its own end.
    if (this.#current !== run) return;
    this.#current = null;
    await feed.sendNow();
  }

  abort(): void {
    this.#current?.abort();
    this.#current = null;
  }

  async *#list(signal: AbortSignal, rescanUnchanged: boolean) {
    const { files, configDir, provider, cache } = this.#deps;
    const isMissing = (await files.stamp(configDir)) === null;
    if (signal.aborted) return;
    this.#isFolderMissing = isMissing;
    // A rescan lists everything from the disk.
    const memory = rescanUnchanged ? null : cache;
    if (!isMissing) yield* listTranscripts(provider, files, { configDir, signal, memory });
  }

  /** Never rejects: sessions are listed even if the registry of running sessions cannot be read. */
  async #startWatching(): Promise<void> {
    try {
      await this.#deps.liveWatch.start();
    } catch (error) {
      this.#deps.log('warn', `Failed to read the running sessions: ${String(error)}`);
    }
  }
}

/** For this long, the listing runs before scans of sessions that are not visible, which would slow it down. */
const LISTING_HEAD_START_MS = 1000;

interface ScanRunDeps {
  readonly entries: SessionEntries;
  readonly jobs: SessionJobs;
  readonly cache: SessionCache | null;
  readonly priorities: SessionPriorities;
  readonly quickReads: QuickMetadataReads;
  readonly clock: Clock;
  /** Whether to scan transcripts even if they have not changed since their last scan. */
  readonly rescanUnchanged: boolean;
  readonly onListed: () => void;
  /** Called when entries have changed. */
  readonly onProgress: () => void;
}

/**
 * Lists all transcripts and scans those that changed. Found transcripts are added to the entries immediately, and those
 * that the window shows are queued immediately. The others are queued when everything is listed or the head start of
 * the listing is over, the latest changed file first.
 */
class ScanRun {
  readonly #deps: ScanRunDeps;
  readonly #controller = new AbortController();
  readonly #scans: Promise<void>[] = [];
  #isListed = false;
  #doneCount = 0;
  /** Transcripts that were found but not queued yet; null once transcripts are queued immediately. */
  #rest: SessionEntry[] | null = [];

  constructor(deps: ScanRunDeps) {
    this.#deps = deps;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get phase(): ScanPhase {
    if (!this.#isListed) return { kind: 'discovering' };
    return { kind: 'scanning', done: this.#doneCount, total: this.#scans.length };
  }

  /** Called when another run replaces this one. Queued jobs stay queued. */
  abort(): void {
    this.#controller.abort();
  }

  /** Resolves when everything is scanned. Rejects with the error of `listing`, or if the run is aborted. */
  async run(listing: AsyncIterable<readonly ListedTranscript[]>): Promise<void> {
    const { entries, clock, onProgress, onListed } = this.#deps;
    const gone = new Set(Array.from(entries.values(), (entry) => entry.found.path));
    const cancelTimer = clock.after(LISTING_HEAD_START_MS, () => {
      this.#queueRest();
    });
    try {
      for await (const batch of listing) {
        this.signal.throwIfAborted();
        this.#addBatch(batch);
        for (const { found } of batch) gone.delete(found.path);
        onProgress();
      }
    } finally {
      cancelTimer();
    }
    this.signal.throwIfAborted();
    for (const filePath of gone) entries.vanish(filePath);
    entries.settleGone();
    this.#queueRest();
    this.#isListed = true;
    onListed();
    await untilAborted(Promise.all(this.#scans), this.signal);
  }

  #addBatch(batch: readonly ListedTranscript[]): void {
    const waiting = batch.map((listed) => this.#updateEntry(listed)).filter((entry) => entry.isOutdated);
    const wanted: SessionEntry[] = [];
    for (const entry of waiting) {
      if (this.#rest !== null && this.#deps.priorities.of(entry) === 'disk') this.#rest.push(entry);
      else wanted.push(entry);
    }
    this.#queue(wanted);
  }

  #queueRest(): void {
    const rest = this.#rest;
    this.#rest = null;
    if (rest !== null && !this.signal.aborted) this.#queue(rest);
  }

  #queue(found: readonly SessionEntry[]): void {
    const latestFirst = found.toSorted((a, b) => (b.stamp?.mtimeMs ?? 0) - (a.stamp?.mtimeMs ?? 0));
    for (const entry of latestFirst) this.#scans.push(this.#scan(entry));
    const paths = latestFirst.map((entry) => entry.found.path);
    void this.#deps.quickReads.readAll(paths, this.signal);
  }

  async #scan({ found, stamp }: SessionEntry): Promise<void> {
    const { jobs, priorities, entries, rescanUnchanged, onProgress } = this.#deps;
    const { path: filePath } = found;
    const entry = entries.get(filePath);
    if (entry === undefined) return;
    const isUnderWay = !rescanUnchanged && jobs.isScanning(filePath, stamp);
    const scan = isUnderWay ? jobs.queue.waitFor(filePath) : jobs.queue.add('scan', filePath, priorities.of(entry));
    // The queue reports errors.
    await scan.catch(() => undefined);
    this.#doneCount++;
    if (!this.signal.aborted) onProgress();
  }

  /** Sets the transcript's entry. A known or cached scan stays valid if it belongs to the same stamp. */
  #updateEntry({ found, stamp, hasBackup }: ListedTranscript): SessionEntry {
    const { entries, cache, rescanUnchanged } = this.#deps;
    const known = entries.get(found.path);
    const isUnchanged = known !== undefined && isSameStamp(known.stamp, stamp);
    const cached = isUnchanged || stamp === null ? null : (cache?.get(found.path, stamp) ?? null);
    const isKnown = cached !== null || (isUnchanged && !known.isOutdated);
    const entry: SessionEntry = {
      found,
      stamp,
      // An outdated scan is shown until the next one replaces it.
      scan: cached ?? known?.scan ?? null,
      quickMetadata: known?.quickMetadata ?? null,
      isOutdated: !isKnown || rescanUnchanged,
      hasBackup,
    };
    const isSame = isUnchanged && known.isOutdated === entry.isOutdated && known.hasBackup === hasBackup;
    if (!isSame) entries.set(entry);
    return entry;
  }
}

/** Maximum number of transcripts per batch, so that the first ones of a very large folder are shown soon. */
const MAX_BATCH = 1000;
/** Longest work between two turns of the event loop, in milliseconds. */
const TURN_MS = 10;

/** A transcript that was found on the disk. */
export interface ListedTranscript {
  readonly found: FoundTranscript;
  /** Null if the file has disappeared since it was found, or cannot be read. */
  readonly stamp: FileStamp | null;
  readonly hasBackup: boolean;
}

export interface ListingOptions {
  /** Absolute path of the provider's config folder. */
  readonly configDir: string;
  readonly signal: AbortSignal;
  /** A `SessionCache`, from which the listings of unchanged projects are taken without reading their folders. */
  readonly memory?: FolderMemory | null;
}

/**
 * Yields the transcripts of the provider's config folder with their stamps, in batches that belong to one project each,
 * as they are found. Reads no transcript: if a `SessionCache` has the scans, a start needs nothing else.
 *
 * Throws an error with a sentence for people if no transcripts can be listed, and the signal's reason if it is aborted.
 * A project that cannot be listed is an entry of its own, and its scan says why.
 */
export async function* listTranscripts(
  provider: Pick<SessionProvider, 'findBatches' | 'scan'>,
  files: SessionFiles,
  { configDir, signal, memory = null }: ListingOptions,
): AsyncGenerator<readonly ListedTranscript[]> {
  const projects = projectsFolderOf(configDir);
  for (const folder of [configDir, projects]) {
    if ((await files.stamp(folder))?.isFolder === false) throw new Error(`${folder} is not a folder.`);
  }
  const pacer = createPacer(TURN_MS);
  for await (const batch of provider.findBatches([], signal, memory)) {
    const withBackup = await findBackups(batch, files);
    for (let at = 0; at < batch.length; at += MAX_BATCH) {
      signal.throwIfAborted();
      const listed: ListedTranscript[] = [];
      for (const transcript of batch.slice(at, at + MAX_BATCH)) {
        const { path: filePath } = transcript;
        if (filePath === configDir || filePath === projects) {
          const { problem } = await provider.scan(filePath, { signal });
          throw new Error(problem ?? `${filePath} cannot be listed.`);
        }
        const hasBackup = transcript.hasBackup ?? withBackup.has(basename(filePath));
        listed.push({ found: transcript, stamp: files.stampNow(filePath), hasBackup });
      }
      yield listed;
      const turn = pacer.yieldIfDue();
      if (turn !== null) await turn;
    }
  }
}

/** The transcripts that have backups, from the folder of the batch; empty if the provider has already checked this. */
async function findBackups(batch: readonly FoundTranscript[], files: SessionFiles): Promise<ReadonlySet<string>> {
  const unknown = batch.find(({ hasBackup }) => hasBackup === undefined);
  return unknown === undefined ? NONE : transcriptsWithBackup(await files.names(unknown.projectFolder));
}

const NONE: ReadonlySet<string> = new Set();
