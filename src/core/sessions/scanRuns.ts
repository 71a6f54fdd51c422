import { basename } from 'node:path';
import type { ScanAllOptions, ScanPhase } from '../../protocol/channels/sessions';
import type { WorkerEvents } from '../../protocol/channels/worker';
import { isTranscriptName, projectsFolderOf } from '../providers/claude/format/paths';
import type { FolderMemory } from '../providers/provider';
import type { FoundTranscript, SessionProvider } from '../providers/provider';
import { transcriptsWithBackup } from '../storage/findBackups';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import { type Clock, createPacer, untilAborted } from '../util/scheduling';
import type { LiveWatch } from './liveWatch';
import type { QuickMetadataReads } from './quickMetadata';
import type { SessionCache } from './sessionCache';
import type { SessionEntries, SessionEntry } from './sessionEntries';
import type { SessionJobs, SessionPriorities } from './sessionJobs';
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

/** Scans of everything, one at a time: a later one takes the place of the one before. */
export class ScanRuns {
  readonly #deps: ScanRunsDeps;
  #current: ScanRun | null = null;
  #problem: string | null = null;
  #isFolderMissing = false;

  constructor(deps: ScanRunsDeps) {
    this.#deps = deps;
  }

  get isRunning(): boolean {
    return this.#current !== null;
  }

  get phase(): ScanPhase {
    return this.#current?.phase ?? { kind: 'idle' };
  }

  /** Why the sessions could not be listed the last time; null when they could. */
  get problem(): string | null {
    return this.#problem;
  }

  get isFolderMissing(): boolean {
    return this.#isFolderMissing;
  }

  /** Resolves when the run is over and told. Rejects never: what fails is said. */
  async scanAll({ rescanUnchanged = false }: ScanAllOptions): Promise<void> {
    const { feed, log } = this.#deps;
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
    void feed.sendNow();
    try {
      await this.#startWatching();
      await run.run(this.#list(run.signal, rescanUnchanged));
    } catch (error) {
      if (run.signal.aborted) return;
      this.#problem = error instanceof Error ? error.message : String(error);
      log('error', `Failed to list the sessions: ${String(error)}`);
    }
    // A later run tells when it is over.
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
    // Who asks for everything anew gets it from the disk.
    const memory = rescanUnchanged ? null : cache;
    if (!isMissing) yield* listTranscripts(provider, files, { configDir, signal, memory });
  }

  /** The sessions are listed even where nobody can tell which of them run. */
  async #startWatching(): Promise<void> {
    try {
      await this.#deps.liveWatch.start();
    } catch (error) {
      this.#deps.log('warn', `Failed to read which sessions are running: ${String(error)}`);
    }
  }
}

/** Scans of what nobody sees would slow the listing down: it goes first for so long. */
const LISTING_HEAD_START_MS = 1000;

interface ScanRunDeps {
  readonly entries: SessionEntries;
  readonly jobs: SessionJobs;
  readonly cache: SessionCache | null;
  readonly priorities: SessionPriorities;
  readonly firstLooks: QuickMetadataReads;
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
class ScanRun {
  readonly #deps: ScanRunDeps;
  readonly #controller = new AbortController();
  readonly #scans: Promise<void>[] = [];
  #isListed = false;
  #doneCount = 0;
  /** Found, and not queued yet; null once they are queued as they are found. */
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

  /** Another run takes its place. What is queued stays queued. */
  abort(): void {
    this.#controller.abort();
  }

  /** Resolves when everything is scanned. Rejects with what `listing` rejects with, and when it is aborted. */
  async run(listing: AsyncIterable<readonly ListedTranscript[]>): Promise<void> {
    const { entries, clock, onProgress, onListed } = this.#deps;
    const gone = new Set(Array.from(entries.values(), (entry) => entry.found.path));
    const cancelTimer = clock.after(LISTING_HEAD_START_MS, () => {
      this.#queueRest();
    });
    try {
      for await (const batch of listing) {
        this.signal.throwIfAborted();
        this.#takeIn(batch);
        for (const { found } of batch) gone.delete(found.path);
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
    void this.#deps.firstLooks.take(paths, this.signal);
  }

  async #scan({ found, stamp }: SessionEntry): Promise<void> {
    const { jobs, priorities, entries, rescanUnchanged, onProgress } = this.#deps;
    const { path: filePath } = found;
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
  #know({ found, stamp, hasBackup }: ListedTranscript): SessionEntry {
    const { entries, cache, rescanUnchanged } = this.#deps;
    const known = entries.get(found.path);
    const isUnchanged = known !== undefined && isSameStamp(known.stamp, stamp);
    const cached = isUnchanged || stamp === null ? null : (cache?.get(found.path, stamp) ?? null);
    const isKnown = cached !== null || (isUnchanged && !known.isOutdated);
    const entry: SessionEntry = {
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

/** Longest batch: a folder of a hundred thousand transcripts shows its first ones soon. */
const MAX_BATCH = 1000;
/** Longest work between two turns of the event loop. */
const TURN_MS = 10;

/** A transcript as the disk lists it. */
export interface ListedTranscript {
  readonly found: FoundTranscript;
  /** null when the file vanished since it was found, or may not be looked at. */
  readonly stamp: FileStamp | null;
  readonly hasBackup: boolean;
}

export interface ListingOptions {
  /** Absolute path of the provider's config folder. */
  readonly configDir: string;
  readonly signal: AbortSignal;
  /** A `SessionCache`: of projects that did not change since it saw them, nothing is read. */
  readonly memory?: FolderMemory | null;
}

/**
 * The transcripts of the provider's config folder with their stamps, in batches of one project each, as they are found.
 * Reads no byte of them. With what a `SessionCache` knows of each, this is all that a warm start takes.
 *
 * Throws a sentence for people when none can be listed, and the signal's reason when it is aborted. A project that
 * cannot be listed is an entry of its own, whose scan says why.
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
        const found = isTranscriptName(filePath) ? transcript : { ...transcript, projectFolder: filePath };
        const hasBackup = found.hasBackup ?? withBackup.has(basename(filePath));
        listed.push({ found, stamp: files.stampNow(filePath), hasBackup });
      }
      yield listed;
      const turn = pacer.yieldIfDue();
      if (turn !== null) await turn;
    }
  }
}

/** Looks for backups in the folder of the batch, unless whoever found the transcripts has done so. */
async function findBackups(batch: readonly FoundTranscript[], files: SessionFiles): Promise<ReadonlySet<string>> {
  const unknown = batch.find(({ hasBackup }) => hasBackup === undefined);
  return unknown === undefined ? NONE : transcriptsWithBackup(await files.names(unknown.projectFolder));
}

const NONE: ReadonlySet<string> = new Set();
