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

export interface ScanRunsDeps extends Omit<
  ScanRunDeps,
  'rescanUnchanged' | 'isFolderMissing' | 'onListed' | 'onProgress'
> {
  /** Absolute path of the provider's config folder. */
  readonly configDir: string;
  /** It was named besides the main folder. */
  readonly isExtra: boolean;
  readonly provider: SessionProvider;
  readonly files: SessionFiles;
  readonly liveWatch: LiveWatch;
  readonly feed: Pick<UpdateFeed, 'sendSoon' | 'sendNow'>;
  /** Called when sessions were listed while something changed, so that they are to be listed again. */
  readonly onWantedAgain: () => void;
  readonly log: WorkerEvents['log'];
}

const IDLE: ScanPhase = { kind: 'idle' };

const NO_PROJECTS = 'It has no folder “projects”, so it is not a config folder of Claude Code.';

const SILENT: Pick<UpdateFeed, 'sendSoon' | 'sendNow'> = {
  sendSoon: () => undefined,
  sendNow: () => Promise.resolve(),
};

/** Scans all sessions. Only one scan that somebody asked for runs at a time: a later one replaces it. */
export class ScanRuns {
  readonly #deps: ScanRunsDeps;
  #current: ScanRun | null = null;
  /** Nobody has asked for it, so no progress is shown. */
  #quiet: ScanRun | null = null;
  /** Something has changed that the listing which is going on may have passed. */
  #isWantedAgain = false;
  #problem: string | null = null;
  #isFolderMissing = false;

  constructor(deps: ScanRunsDeps) {
    this.#deps = deps;
  }

  get isRunning(): boolean {
    return this.#current !== null;
  }

  get phase(): ScanPhase {
    return this.#current?.phase ?? IDLE;
  }

  /** Why the last listing of the sessions failed; null if it did not. */
  get problem(): string | null {
    return this.#problem;
  }

  get isFolderMissing(): boolean {
    return this.#isFolderMissing;
  }

  /**
   * Resolves when the run is over and its end has been sent, with the time when it began, in milliseconds since the epoch. Never
   * rejects: `problem` and the log report failures.
   */
  async scanAll({ rescanUnchanged = false }: ScanAllOptions): Promise<number> {
    const fromMs = this.#deps.clock.now();
    this.#current?.abort();
    const run = this.#create(this.#deps.feed, rescanUnchanged);
    this.#current = run;
    void this.#deps.feed.sendNow();
    const isEnded = await this.#run(run, rescanUnchanged);
    // A later run has replaced this one and reports its own end.
    if (!isEnded || this.#current !== run) return fromMs;
    this.#current = null;
    await this.#deps.feed.sendNow();
    return fromMs;
  }

  /**
   * Lists the sessions again because something may have changed, and scans what has, also while a scan is going on. Its caller sends
   * what has changed. Resolves when it is scanned, or when a later call has taken its place. Never rejects.
   */
  async relist(): Promise<void> {
    if ([this.#current, this.#quiet].some((each) => each?.phase.kind === 'discovering')) {
      this.#isWantedAgain = true;
      return;
    }
    this.#quiet?.abort();
    const run = this.#create(SILENT, false);
    this.#quiet = run;
    await this.#run(run, false);
    if (this.#quiet === run) this.#quiet = null;
  }

  abort(): void {
    this.#current?.abort();
    this.#quiet?.abort();
    [this.#current, this.#quiet, this.#isWantedAgain] = [null, null, false];
  }

  #create(feed: Pick<UpdateFeed, 'sendSoon' | 'sendNow'>, rescanUnchanged: boolean): ScanRun {
    return new ScanRun({
      ...this.#deps,
      rescanUnchanged,
      isFolderMissing: () => this.#isFolderMissing,
      onListed: () => {
        this.#problem = null;
        void feed.sendNow();
        if (!this.#isWantedAgain) return;
        this.#isWantedAgain = false;
        this.#deps.onWantedAgain();
      },
      onProgress: () => {
        feed.sendSoon();
      },
    });
  }

  /** False if it was aborted. */
  async #run(run: ScanRun, rescanUnchanged: boolean): Promise<boolean> {
    try {
      await this.#startWatching();
      await run.run(this.#list(run.signal, rescanUnchanged));
    } catch (error) {
      if (run.signal.aborted) return false;
      const problem = error instanceof Error ? error.message : String(error);
      // It is listed again every half minute.
      if (problem !== this.#problem) this.#deps.log('error', `Failed to list the sessions: ${String(error)}`);
      this.#problem = problem;
      run.abort();
      if (this.#isWantedAgain) this.#deps.onWantedAgain();
      this.#isWantedAgain = false;
    }
    return true;
  }

  async *#list(signal: AbortSignal, rescanUnchanged: boolean) {
    const { files, configDir, isExtra, provider, cache, entries } = this.#deps;
    const isMissing = (await files.stamp(configDir)) === null;
    if (signal.aborted) return;
    this.#isFolderMissing = isMissing;
    // Everything below it would be searched for transcripts, such as a whole home folder that was named by mistake.
    if (isExtra && !isMissing && (await files.stamp(projectsFolderOf(configDir))) === null)
      throw new Error(NO_PROJECTS);
    // A rescan lists everything from the disk.
    const memory = rescanUnchanged ? null : cache;
    const knownStamp = (path: string): FileStamp | null => entries.get(path)?.stamp ?? null;
    if (!isMissing) yield* listTranscripts(provider, files, { configDir, signal, memory, knownStamp });
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
  readonly isFolderMissing: () => boolean;
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
    // A whole folder that is gone, as of a disk that was unplugged, says nothing of its transcripts.
    const isFolderMissing = this.#deps.isFolderMissing();
    for (const filePath of gone)
      if (isFolderMissing) entries.delete(filePath);
      else entries.vanish(filePath);
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
  /** How a transcript was when it was last looked at; null if it never was. */
  readonly knownStamp?: (filePath: string) => FileStamp | null;
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
  { configDir, signal, memory = null, knownStamp = () => null }: ListingOptions,
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
        // On a slow disk, the stamps of a few transcripts take long.
        const turn = pacer.yieldIfDue();
        if (turn !== null) await turn;
        const { path: filePath } = transcript;
        if (filePath === configDir || filePath === projects) {
          const { problem } = await provider.scan(filePath, { signal });
          throw new Error(problem ?? `${filePath} cannot be listed.`);
        }
        const hasBackup = transcript.hasBackup ?? withBackup.has(basename(filePath));
        listed.push({ found: transcript, stamp: files.stampAgain(filePath, knownStamp(filePath)), hasBackup });
      }
      yield listed;
    }
  }
}

/** The transcripts that have backups, from the folder of the batch; empty if the provider has already checked this. */
async function findBackups(batch: readonly FoundTranscript[], files: SessionFiles): Promise<ReadonlySet<string>> {
  const unknown = batch.find(({ hasBackup }) => hasBackup === undefined);
  return unknown === undefined ? NONE : transcriptsWithBackup(await files.names(unknown.projectFolder));
}

const NONE: ReadonlySet<string> = new Set();
