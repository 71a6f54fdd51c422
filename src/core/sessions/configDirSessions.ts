import { join } from 'node:path';
import type { ScanAllOptions, SessionFocus, SessionsUpdate } from '../../protocol/channels/sessions';
import type { WorkerConfiguration, WorkerEvents } from '../../protocol/channels/worker';
import type { QuickMetadata } from '../../protocol/session';
import type { TranscriptTail } from '../../protocol/sessionInfo';
import type { SessionProvider } from '../providers/provider';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import type { Clock } from '../util/scheduling';
import type { AlarmsContext, SessionAlarms } from './alarms/sessionAlarms';
import { AutomaticRepair } from './automaticRepair';
import { BackgroundJudge } from './backgroundJudge';
import { CallsOnSessions, type CallsOnSessionsDeps } from './callsOnSessions';
import { projectsFolderOf } from '../providers/claude/format/paths';
import { LiveWatch } from './liveWatch';
import { SessionActivities } from './sessionActivities';
import { QuickMetadataReads } from './quickMetadata';
import { ScanRuns } from './scanRuns';
import { SessionPoll } from './sessionPoll';
import { CacheSaver, type SessionCache } from './sessionCache';
import { SessionEntries, type SessionEntry } from './sessionEntries';
import type { JobEvent, Priority } from './jobQueue';
import { SessionJobs, type SessionResults } from './sessionJobs';
import { type SharedWalkDeps, type Walk, walkFileIn } from './sharedWalk';
import { SessionPriorities } from './sessionPriorities';
import { knownMetadata, type WorkspaceFolder } from './summariseSession';
import { Tidying } from './tidying';
import { type SessionsState, UpdateAssembler, UpdateFeed } from './updateAssembler';

/** The sessions of one config folder. Sends updates about them to the extension. */
export class ConfigDirSessions {
  /** The calls on one of them. */
  readonly calls: CallsOnSessions;
  readonly #deps: ConfigDirSessionsDeps;
  readonly #entries: SessionEntries;
  readonly #assembler: UpdateAssembler;
  readonly #feed: UpdateFeed;
  readonly #jobs: SessionJobs;
  readonly #priorities: SessionPriorities;
  readonly #liveWatch: LiveWatch;
  readonly #poll: SessionPoll;
  readonly #walk: Walk;
  readonly #activities: SessionActivities;
  /** The transcripts whose scan is waiting or running, because they changed, as they were then. */
  readonly #rescanned = new Map<string, FileStamp>();
  readonly #runs: ScanRuns;
  readonly #automaticRepair: AutomaticRepair;
  readonly #backgroundJudge: BackgroundJudge;
  readonly #saver: CacheSaver;
  readonly #tidying: Tidying;
  readonly #alarms: SessionAlarms | null;
  #setup: ConfigDirSetup;

  constructor(deps: ConfigDirSessionsDeps, setup: ConfigDirSetup) {
    this.#deps = deps;
    this.#setup = setup;
    const { provider, cache, clock, homeDir, log } = deps;
    const { configDir, cacheDir, scanConcurrency, automaticRepair } = setup.configuration;
    const entries = new SessionEntries((filePath, folder) => {
      this.#assembler.touch(filePath, folder);
      this.#activities.touch();
      this.#walk.note(filePath);
    });
    this.#entries = entries;
    this.#assembler = new UpdateAssembler(entries, homeDir);
    const feed = new UpdateFeed({ ...deps, configDir, assemble: () => this.#assembler.next(this.#state()) });
    this.#feed = feed;
    const onEvent = this.#followJob.bind(this);
    const isLive = (sessionId: string): boolean => this.#liveWatch.last.running.has(sessionId.toLowerCase());
    const jobs = new SessionJobs({ ...deps, entries, isLive, concurrency: scanConcurrency, onEvent });
    this.#jobs = jobs;
    const priorities = new SessionPriorities(homeDir, setup.workspaceFolders);
    this.#priorities = priorities;
    const quickReads = new QuickMetadataReads({ ...deps, entries, onRead: this.#followQuickMetadata.bind(this) });
    const reading = provider.readActivities();
    const onNews = (paths: readonly string[] | null): void => {
      this.#poll.hear(paths);
    };
    const walk = deps.createWalk({ filePath: walkFileIn(cacheDir, configDir), onNews });
    this.#walk = walk;
    const liveWatch = new LiveWatch({
      read: () => reading.look(),
      ...{ clock, walk },
      onChange: this.#followLive.bind(this),
      onPolled: (isWhole) => {
        this.#poll.look(isWhole);
        this.#lookAtActivities();
        if (isWhole) void this.#alarms?.look();
      },
    });
    this.#liveWatch = liveWatch;
    const isExtra = setup.configuration.extraConfigDirs.includes(configDir);
    const parts = { entries, jobs, priorities, quickReads, liveWatch, feed };
    this.#runs = new ScanRuns({ ...deps, ...parts, configDir, isExtra, onWantedAgain: this.#relist.bind(this) });
    const projects = projectsFolderOf(configDir);
    this.#poll = new SessionPoll({
      ...{ files: deps.files, clock, walk, projects, entries },
      openFolders: () => this.#setup.workspaceFolders.map(({ projectName }) => join(projects, projectName)),
      isOwn: (entry) => priorities.of(entry) !== 'disk',
      isRunning: (entry) => isLive(entry.found.id),
      onChanged: (entry) => {
        if (isLive(entry.found.id)) walk.call();
        this.#rescan(entry.found.path, priorities.of(entry));
      },
      onFolderChanged: this.#relist.bind(this),
    });
    this.#activities = new SessionActivities({
      activities: reading,
      entries,
      clock,
      readEnd: deps.readTranscriptEnd,
      onChange: ({ found }) => {
        this.#assembler.touch(found.path, found.projectFolder);
        this.#feed.sendSoon();
      },
    });
    const repairDeps = { provider, queue: jobs.queue, isLive, clock, log, lookAgain: this.#lookAgain.bind(this) };
    this.#automaticRepair = new AutomaticRepair(repairDeps, automaticRepair);
    this.#backgroundJudge = new BackgroundJudge({
      ...{ entries, files: deps.files, jobs, queue: jobs.queue, isLive, clock },
      folderOf: (entry) => priorities.folderOf(entry),
    });
    this.#saver = new CacheSaver(cache, clock);
    this.#tidying = new Tidying({
      ...{ provider, clock, log },
      folders: () => new Set([...entries.values()].map(({ found }) => found.projectFolder)),
      onPutBack: () => this.#runs.scanAll({}),
    });
    const workspaceFolders = (): readonly WorkspaceFolder[] => this.#setup.workspaceFolders;
    const alarms = deps.createAlarms?.({ ...deps, configDir, entries, cacheDir, workspaceFolders }) ?? null;
    this.#alarms = alarms;
    this.calls = new CallsOnSessions({ ...deps, entries, jobs, feed, activities: this.#activities, reading, alarms });
  }

  /** Throws if there are none. */
  get alarms(): SessionAlarms {
    if (this.#alarms === null) throw new Error('Failed to find the alarms: nobody looks for them');
    return this.#alarms;
  }

  get configuration(): WorkerConfiguration {
    return this.#setup.configuration;
  }

  get isScanning(): boolean {
    return this.#runs.isRunning;
  }

  /** Whether its sessions were asked for. */
  get isKnown(): boolean {
    return this.#runs.isRunning || this.#entries.size > 0;
  }

  /** @param setup must have the same config folder */
  reconfigure(setup: ConfigDirSetup): void {
    this.#setup = setup;
    const { scanConcurrency, automaticRepair } = setup.configuration;
    this.#jobs.queue.setConcurrency(scanConcurrency);
    this.#automaticRepair.mode = automaticRepair;
    this.#requeue((priorities) => {
      priorities.setWorkspaceFolders(setup.workspaceFolders);
    });
    this.#poll.refocus();
    this.#considerRepairs();
    if (this.#entries.size > 0) this.#backgroundJudge.look();
    this.#assembler.touchProjects();
    // Before the first listing, there is nothing to sort, and an empty update would mean that there are no sessions.
    if (this.#entries.size > 0) void this.#feed.sendNow();
  }

  prioritise(focus: SessionFocus): void {
    this.#requeue((priorities) => {
      priorities.setFocus(focus);
    });
    this.#poll.attend(focus);
  }

  async scanAll(options: ScanAllOptions = {}): Promise<void> {
    this.#poll.start(await this.#runs.scanAll(options));
    this.#lookAtActivities();
    this.#considerRepairs();
    await this.#tidying.tidy(this.configuration.backupRetentionDays);
    await this.#saver.saveNow();
    this.#backgroundJudge.look();
  }

  /** The known metadata of a session; null for a path that is not listed. */
  known(filePath: string): QuickMetadata | null {
    const entry = this.#entries.get(filePath);
    return entry === undefined ? null : knownMetadata(entry);
  }

  /** Stops everything and sends no more updates, because another config folder replaces this one. */
  close(): void {
    this.#stop();
    this.#feed.close();
    void this.#jobs.abandon();
    void this.#saver.saveNow();
  }

  /** Called before the thread ends. Resolves once running jobs have ended and their results are saved. */
  async drain(): Promise<void> {
    this.#stop();
    await this.#jobs.queue.drain();
    await Promise.all([this.#saver.saveNow(), this.#walk.close()]);
    // The callers of the ended jobs are answered first.
    await this.#feed.sendNow();
    this.#feed.close();
  }

  #stop(): void {
    this.#runs.abort();
    this.#liveWatch.stop();
    void this.#walk.close();
    this.#alarms?.close();
    this.#automaticRepair.stop();
    this.#backgroundJudge.stop();
    this.#tidying.stop();
  }

  #followJob(event: JobEvent<SessionResults>): void {
    if (event.kind === 'error') {
      const { job, session, error } = event;
      this.#deps.log('error', `Failed to run ${job} for ${session}: ${String(error)}`);
      return;
    }
    const entry = this.#entries.get(event.session);
    const isScan = event.job === 'scan' || event.job === 'judge';
    if (isScan && entry !== undefined) this.#automaticRepair.consider(entry);
    if (event.job === 'scan' && entry !== undefined && this.#priorities.folderOf(entry) >= 0)
      this.#backgroundJudge.look();
    if (isScan && this.#activities.of(event.session) !== null) this.#lookAtActivities();
    this.#saver.saveSoon();
    // Each update makes the window draw the tree again.
    if (event.job !== 'judge' || this.#assembler.hasChanges) this.#feed.sendSoon();
  }

  /**
   * Updates the priority, because the working directory in the metadata shows whether the session belongs to the
   * window.
   */
  #followQuickMetadata(before: SessionEntry): void {
    const { path: filePath } = before.found;
    const entry = this.#entries.get(filePath) ?? before;
    const priority = this.#priorities.of(entry);
    if (priority !== this.#priorities.of(before)) {
      this.#jobs.queue.prioritise(filePath, priority);
      this.#poll.refocus();
    }
    this.#feed.sendSoon();
  }

  /**
   * Called when sessions started, stopped or ended a turn. Scans their transcripts, which may not have been listed yet.
   */
  #followLive(changedSessionIds: ReadonlySet<string>): void {
    this.#walk.call();
    this.#poll.refocus();
    this.#activities.touch();
    this.#backgroundJudge.look();
    const listed = this.#entries.ofSessions(changedSessionIds);
    for (const { found, stamp } of listed) {
      this.#assembler.touch(found.path, found.projectFolder);
      if (isSameStamp(stamp, this.#deps.files.stampNow(found.path))) this.#lookAgain(found.path);
      else this.#rescan(found.path, 'visible');
    }
    this.#feed.sendSoon();
    const isAllListed = new Set(listed.map(({ found }) => found.id)).size >= changedSessionIds.size;
    if (!isAllListed) this.#relist();
  }

  #lookAtActivities(): void {
    void this.#activities.look(this.#liveWatch.last, this.#poll.near);
  }

  /** A transcript has changed since its last scan. */
  #rescan(filePath: string, priority: Priority): void {
    const stamp = this.#deps.files.stampNow(filePath);
    // The poll and the registry can tell of one change.
    if (isSameStamp(this.#rescanned.get(filePath) ?? null, stamp)) return;
    if (stamp !== null) this.#rescanned.set(filePath, stamp);
    // The queue reports errors.
    const scan = this.#jobs.queue.add('scan', filePath, priority).catch(() => undefined);
    void scan.finally(() => this.#rescanned.delete(filePath));
  }

  /** Lists the sessions again, and scans what is new. Nobody waits for it, so no progress is shown. */
  #relist(): void {
    void this.#runs.relist().then(() => {
      this.#poll.refocus();
      // Each update makes the window draw the tree again.
      if (this.#assembler.hasChanges) this.#feed.sendSoon();
    });
  }

  /** Considers an automatic repair of a session, after a scan if the file has changed. */
  #lookAgain(filePath: string): void {
    const entry = this.#entries.get(filePath);
    if (entry === undefined) return;
    if (isSameStamp(entry.stamp, this.#deps.files.stampNow(filePath))) this.#automaticRepair.consider(entry);
    else this.#rescan(filePath, 'background');
  }

  #requeue(change: (priorities: SessionPriorities) => void): void {
    this.#priorities.requeue(this.#entries.values(), this.#jobs.queue, change);
  }

  #considerRepairs(): void {
    for (const entry of this.#entries.values()) this.#automaticRepair.consider(entry);
  }

  #state(): SessionsState {
    const { phase, problem, isFolderMissing } = this.#runs;
    const { capabilities } = this.#deps.provider;
    const activityOf = this.#activities.of.bind(this.#activities);
    const { workspaceFolders } = this.#setup;
    return { phase, problem, isFolderMissing, activityOf, capabilities, workspaceFolders };
  }
}

/** Dependencies of `ConfigDirSessions`. */
export interface ConfigDirSessionsDeps extends Pick<CallsOnSessionsDeps, 'client' | 'readOverview'> {
  readonly provider: SessionProvider;
  readonly cache: SessionCache | null;
  readonly files: SessionFiles;
  /** Never rejects; null if the file cannot be read. */
  readonly readQuickMetadata: (filePath: string) => Promise<QuickMetadata | null>;
  /** Never rejects; null if unknown. `leafUuid`: uuid of the row from which a resume continues. */
  readonly readTranscriptEnd: (filePath: string, leafUuid: string) => Promise<TranscriptTail | null>;
  readonly clock: Clock;
  readonly log: WorkerEvents['log'];
  readonly send: (update: SessionsUpdate) => void | Promise<void>;
  readonly nextRevision: () => number;
  /** Absolute path of the person's home folder. */
  readonly homeDir: string;
  readonly createWalk: (options: Pick<SharedWalkDeps, 'filePath' | 'onNews'>) => Walk;
  /** Absent if nobody is to be warned. */
  readonly createAlarms?: (context: AlarmsContext) => SessionAlarms;
}

/** A configuration and what was looked up for it. */
interface ConfigDirSetup {
  readonly configuration: WorkerConfiguration;
  readonly workspaceFolders: readonly WorkspaceFolder[];
}
