import type {
  ScanAllOptions,
  SessionDetails,
  SessionFocus,
  SessionsUpdate,
  WorkerConfiguration,
  WorkerEvents,
} from '../../shared/api/worker';
import type { RepairOutcome } from '../../shared/repair';
import type { ScannedSession } from '../../shared/session';
import type { Engine } from '../engine';
import type { JobEvent } from '../queue/jobQueue';
import { AutomaticRepair } from './automaticRepair';
import { CacheSaver } from './cacheSaver';
import { CatalogEntries } from './catalogEntries';
import type { CatalogEntry, FirstLook } from './catalogEntry';
import { isSameStamp, type CatalogFiles } from './catalogFiles';
import type { Clock } from './clock';
import { FirstLooks } from './firstLooks';
import { LiveWatch } from './liveWatch';
import { ScanRuns } from './scanRuns';
import { plainSession } from './sessionCache/plainSession';
import type { SessionCache } from './sessionCache/sessionCache';
import { SessionJobs, type SessionResults } from './sessionJobs';
import { SessionPriorities } from './sessionPriorities';
import { UpdateAssembler, type BoardState } from './updateAssembler';
import { UpdateFeed } from './updateFeed';
import type { WorkspaceFolder } from './workspaceMatch';

export interface SessionCatalogParts {
  readonly engine: Engine;
  readonly cache: SessionCache | null;
  readonly files: CatalogFiles;
  /** Never rejects; null when the file cannot be read. */
  readonly readEnds: (filePath: string) => Promise<FirstLook | null>;
  readonly clock: Clock;
  readonly log: WorkerEvents['log'];
  readonly send: (update: SessionsUpdate) => void | Promise<void>;
  readonly nextRevision: () => number;
  /** The person's home folder. */
  readonly homeDir: string;
}

/** A configuration, with what was looked up of it. */
export interface CatalogSetup {
  readonly configuration: WorkerConfiguration;
  readonly workspaceFolders: readonly WorkspaceFolder[];
}

/** The sessions of one config folder: what is known of them is told, and what is asked of them is done. */
export class SessionCatalog {
  readonly #parts: SessionCatalogParts;
  readonly #entries: CatalogEntries;
  readonly #assembler: UpdateAssembler;
  readonly #feed: UpdateFeed;
  readonly #jobs: SessionJobs;
  readonly #priorities: SessionPriorities;
  readonly #liveWatch: LiveWatch;
  readonly #runs: ScanRuns;
  readonly #automaticRepair: AutomaticRepair;
  readonly #saver: CacheSaver;
  #setup: CatalogSetup;

  constructor(parts: SessionCatalogParts, setup: CatalogSetup) {
    this.#parts = parts;
    this.#setup = setup;
    const { engine, cache, clock, homeDir, log } = parts;
    const { configDir, scanConcurrency, automaticRepair } = setup.configuration;
    const entries = new CatalogEntries((filePath, folder) => {
      this.#assembler.touch(filePath, folder);
    });
    this.#entries = entries;
    this.#assembler = new UpdateAssembler(entries, homeDir);
    const feed = new UpdateFeed({ ...parts, configDir, assemble: () => this.#assembler.next(this.#state()) });
    this.#feed = feed;
    const onEvent = (event: JobEvent<SessionResults>): void => {
      this.#followJob(event);
    };
    const jobs = new SessionJobs({ ...parts, entries, concurrency: scanConcurrency, onEvent });
    this.#jobs = jobs;
    const priorities = new SessionPriorities(homeDir, setup.workspaceFolders);
    this.#priorities = priorities;
    const onLook = (before: CatalogEntry): void => {
      this.#followLook(before);
    };
    const firstLooks = new FirstLooks({ ...parts, entries, onLook });
    const liveWatch = new LiveWatch(
      () => engine.liveSessions(),
      clock,
      (changed) => {
        this.#followLive(changed);
      },
    );
    this.#liveWatch = liveWatch;
    this.#runs = new ScanRuns({ ...parts, configDir, entries, jobs, priorities, firstLooks, liveWatch, feed });
    const isLive = (sessionId: string): boolean => liveWatch.live.has(sessionId);
    this.#automaticRepair = new AutomaticRepair({ queue: jobs.queue, isLive, clock, log }, automaticRepair);
    this.#saver = new CacheSaver(cache, clock);
  }

  get configDir(): string {
    return this.#setup.configuration.configDir;
  }

  /** `setup` names the same config folder. */
  reconfigure(setup: CatalogSetup): void {
    this.#setup = setup;
    const { scanConcurrency, automaticRepair } = setup.configuration;
    this.#jobs.queue.setConcurrency(scanConcurrency);
    this.#automaticRepair.mode = automaticRepair;
    this.#reprioritise(() => {
      this.#priorities.setWorkspaceFolders(setup.workspaceFolders);
    });
    this.#considerRepairs();
    this.#assembler.touchProjects();
    // Before the first listing there is nothing to sort anew, and an empty update would say that there is nothing.
    if (this.#entries.size > 0) void this.#feed.sendNow();
  }

  prioritise(focus: SessionFocus): void {
    this.#reprioritise(() => {
      this.#priorities.setFocus(focus);
    });
  }

  async scanAll(options: ScanAllOptions): Promise<void> {
    await this.#runs.scanAll(options);
    this.#considerRepairs();
    await this.#saver.saveNow();
  }

  async scanSession(filePath: string): Promise<ScannedSession> {
    const scan = await this.#jobs.queue.add('scan', filePath, 'active');
    await this.#jobs.lookForBackup(filePath);
    await this.#feed.sendNow();
    return scan;
  }

  /** From what is known, unless the file changed since. */
  async details(filePath: string): Promise<SessionDetails> {
    const stamp = await this.#parts.files.stamp(filePath);
    const entry = this.#entries.get(filePath);
    const isKnown = entry?.isOutdated === false && isSameStamp(entry.stamp, stamp);
    const known = isKnown ? entry.scan : stamp === null ? null : this.#parts.cache?.get(filePath, stamp);
    const scan = known ?? (await this.#jobs.queue.waitFor(filePath));
    return {
      scan: plainSession(scan),
      metadata: scan.metadata,
      live: this.#liveWatch.live.get(scan.result.sessionId) ?? null,
    };
  }

  planRepair(filePath: string): Promise<RepairOutcome> {
    return this.#jobs.queue.add('planRepair', filePath, 'active');
  }

  async repair(filePath: string): Promise<RepairOutcome> {
    const outcome = await this.#jobs.queue.add('repair', filePath, 'active');
    await this.#feed.sendNow();
    return outcome;
  }

  async undoRepair(filePath: string): Promise<RepairOutcome> {
    this.#automaticRepair.decline(filePath);
    const outcome = await this.#jobs.queue.add('undoRepair', filePath, 'active');
    await this.#feed.sendNow();
    return outcome;
  }

  /** Another config folder takes this one's place: nothing more is told. */
  close(): void {
    this.#stop();
    this.#feed.close();
    void this.#jobs.abandon();
    void this.#saver.saveNow();
  }

  /** The thread is about to end: resolves when what runs has ended, and what was found out is kept. */
  async drain(): Promise<void> {
    this.#stop();
    await this.#jobs.queue.drain();
    await this.#saver.saveNow();
    // Whoever waits for what has ended is answered first.
    await this.#feed.sendNow();
    this.#feed.close();
  }

  #stop(): void {
    this.#runs.abort();
    this.#liveWatch.stop();
  }

  #followJob(event: JobEvent<SessionResults>): void {
    if (event.kind === 'error') {
      const { job, session, error } = event;
      this.#parts.log('error', `Failed to carry out ${job} of ${session}: ${String(error)}`);
      return;
    }
    const entry = this.#entries.get(event.session);
    if (event.job === 'scan' && entry !== undefined) this.#automaticRepair.consider(entry);
    this.#saver.saveSoon();
    this.#feed.sendSoon();
  }

  /** Its place tells whether the window shows it. */
  #followLook(before: CatalogEntry): void {
    const { filePath } = before.found;
    const entry = this.#entries.get(filePath) ?? before;
    const priority = this.#priorities.of(entry);
    if (priority !== this.#priorities.of(before)) this.#jobs.queue.prioritise(filePath, priority);
    this.#feed.sendSoon();
  }

  /** A session started, stopped, or ended a turn: its transcript says more, and may be one that was not listed yet. */
  #followLive(changedSessionIds: ReadonlySet<string>): void {
    const unlisted = new Set(changedSessionIds);
    for (const { found, stamp } of this.#entries.values()) {
      if (!changedSessionIds.has(found.sessionId)) continue;
      unlisted.delete(found.sessionId);
      this.#assembler.touch(found.filePath, found.projectFolder);
      const isUnchanged = isSameStamp(stamp, this.#parts.files.stampNow(found.filePath));
      if (!isUnchanged) this.#jobs.queue.add('scan', found.filePath, 'visible').catch(() => undefined);
    }
    this.#feed.sendSoon();
    if (unlisted.size > 0 && !this.#runs.isRunning) void this.scanAll({});
  }

  #reprioritise(change: () => void): void {
    const waiting = Array.from(this.#entries.values()).filter((entry) => entry.isOutdated);
    const before = waiting.map((entry) => this.#priorities.of(entry));
    change();
    waiting.forEach((entry, at) => {
      const priority = this.#priorities.of(entry);
      if (priority !== before[at]) this.#jobs.queue.prioritise(entry.found.filePath, priority);
    });
  }

  #considerRepairs(): void {
    for (const entry of this.#entries.values()) this.#automaticRepair.consider(entry);
  }

  #state(): BoardState {
    const { phase, problem, isFolderMissing } = this.#runs;
    const { live } = this.#liveWatch;
    return { phase, problem, isFolderMissing, live, workspaceFolders: this.#setup.workspaceFolders };
  }
}
