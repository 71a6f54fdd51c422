import { join } from 'node:path';
import type {
  CountedInfo,
  ScanAllOptions,
  SessionDetails,
  SessionFocus,
  SessionsCalls,
  SessionsUpdate,
} from '../../protocol/channels/sessions';
import type { WorkerConfiguration, WorkerEvents } from '../../protocol/channels/worker';
import type { ClientInfo } from '../../protocol/client';
import { type SessionOverview, withoutLines } from '../../protocol/message';
import {
  type RepairManner,
  type RepairOutcome,
  type RepairPlanOutcome,
  type RepairScope,
  WRONG_LEAF,
} from '../../protocol/repair';
import type { QuickMetadata, ScannedSession, SessionRef } from '../../protocol/session';
import { isRunningState } from '../../protocol/sessionActivity';
import type { SlimOutcome } from '../../protocol/slim';
import { describeSessionInfo, type TranscriptTail } from '../../protocol/sessionInfo';
import type { Activities, SessionProvider } from '../providers/provider';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import type { Clock } from '../util/scheduling';
import type { AlarmsContext, SessionAlarms } from './alarms/sessionAlarms';
import { AutomaticRepair } from './automaticRepair';
import { BackgroundJudge, MAX_UNASKED_BYTES } from './backgroundJudge';
import { projectsFolderOf } from '../providers/claude/format/paths';
import { LiveWatch } from './liveWatch';
import { SessionActivities } from './sessionActivities';
import { QuickMetadataReads } from './quickMetadata';
import { ScanRuns } from './scanRuns';
import { SessionPoll } from './sessionPoll';
import { CacheSaver, plainSession, type SessionCache } from './sessionCache';
import { SessionEntries, type SessionEntry } from './sessionEntries';
import type { JobEvent, Priority } from './jobQueue';
import { SessionJobs, type SessionResults } from './sessionJobs';
import { type SharedWalkDeps, type Walk, walkFileIn } from './sharedWalk';
import { SessionPriorities } from './sessionPriorities';
import { knownMetadata, type WorkspaceFolder } from './summariseSession';
import { Tidying } from './tidying';
import { type SessionsState, UpdateAssembler, UpdateFeed } from './updateAssembler';

const REPAIR_JOBS = {
  all: { plan: 'planRepair', asked: 'repair', automatic: 'automaticRepair', anyway: 'repairAnyway' },
  // It decides what Claude remembers, so nothing does it without being asked.
  [WRONG_LEAF]: {
    plan: 'planNewestBranch',
    asked: 'newestBranch',
    automatic: 'newestBranch',
    anyway: 'newestBranchAnyway',
  },
} as const satisfies Record<RepairScope, Record<RepairManner | 'plan', keyof SessionResults>>;

/** The sessions of one config folder. Sends updates about them to the extension and carries out calls on them. */
export class ConfigDirSessions implements SessionsCalls {
  readonly #deps: ConfigDirSessionsDeps;
  readonly #entries: SessionEntries;
  readonly #assembler: UpdateAssembler;
  readonly #feed: UpdateFeed;
  readonly #jobs: SessionJobs;
  readonly #priorities: SessionPriorities;
  readonly #reading: Activities;
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
    this.#reading = reading;
    const liveWatch = new LiveWatch({
      read: () => reading.look(),
      clock,
      onChange: this.#followLive.bind(this),
      onPolled: () => {
        this.#poll.look();
        this.#lookAtActivities();
        void this.#alarms?.look();
      },
    });
    this.#liveWatch = liveWatch;
    const isExtra = setup.configuration.extraConfigDirs.includes(configDir);
    const parts = { entries, jobs, priorities, quickReads, liveWatch, feed };
    this.#runs = new ScanRuns({ ...deps, ...parts, configDir, isExtra, onWantedAgain: this.#relist.bind(this) });
    const onNews = (paths: readonly string[] | null): void => {
      this.#poll.hear(paths);
    };
    this.#walk = deps.createWalk({ filePath: walkFileIn(cacheDir, configDir), onNews });
    const projects = projectsFolderOf(configDir);
    this.#poll = new SessionPoll({
      ...{ files: deps.files, clock, walk: this.#walk, projects, entries },
      openFolders: () => this.#setup.workspaceFolders.map(({ projectName }) => join(projects, projectName)),
      isNear: (entry) => priorities.of(entry) !== 'disk' || isLive(entry.found.id),
      onChanged: (entry) => {
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
    this.#alarms = deps.createAlarms?.({ ...deps, configDir, entries, cacheDir, workspaceFolders }) ?? null;
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

  async scanSession({ path: filePath }: SessionRef): Promise<ScannedSession> {
    const scan = await this.#jobs.queue.add('judge', filePath, 'active');
    await this.#jobs.lookForBackup(filePath);
    await this.#feed.sendNow();
    return scan;
  }

  /** Uses the known scan unless the file has changed since. */
  async details({ path: filePath }: SessionRef): Promise<SessionDetails> {
    const stamp = await this.#deps.files.stamp(filePath);
    const entry = this.#entries.get(filePath);
    const isKnown = entry?.isOutdated === false && isSameStamp(entry.stamp, stamp);
    const known = isKnown ? entry.scan : stamp === null ? null : this.#deps.cache?.get(filePath, stamp);
    return this.#detailsOf(filePath, known ?? (await this.#jobs.queue.waitFor(filePath)));
  }

  /** The details with what the API would refuse, for a session that is about to be resumed. */
  async judge({ path: filePath }: SessionRef): Promise<SessionDetails> {
    const scan = this.#jobs.judged(filePath) ?? (await this.#jobs.queue.add('judge', filePath, 'active'));
    return this.#detailsOf(filePath, scan);
  }

  /**
   * The same for a session that is looked at, but not resumed: a large one that was not judged in its present state is not judged for
   * this, because nobody would be answered meanwhile.
   */
  async lookClosely(session: SessionRef): Promise<SessionDetails> {
    const { path: filePath } = session;
    if (this.#jobs.judged(filePath) !== null) return this.judge(session);
    const bytes = (await this.#deps.files.stamp(filePath))?.size ?? 0;
    if (bytes > MAX_UNASKED_BYTES) return this.details(session);
    return this.#detailsOf(filePath, await this.#jobs.queue.add('judge', filePath, 'visible'));
  }

  async #detailsOf(filePath: string, scan: ScannedSession): Promise<SessionDetails> {
    const { activity, tail } = await this.#activities.read(filePath, scan);
    return {
      scan: plainSession(scan),
      metadata: scan.metadata,
      client: this.#deps.client,
      activity,
      end: tail === null || isRunningState(activity.state) ? null : withoutLines(tail.end),
      sweep: (await this.#alarms?.sweepOf(filePath)) ?? null,
    };
  }

  async info({ path: filePath }: SessionRef): Promise<CountedInfo | null> {
    const overview = await this.#deps.readOverview(filePath, (path, end) => this.#reading.of(path, end));
    const sweptMs = (await this.#alarms?.sweepOf(filePath))?.sweptMs ?? null;
    if (overview === null) return null;
    const { remembered, firstPrompt, lastAnswer } = overview;
    return { info: describeSessionInfo(overview, { spending: null, sweptMs }), remembered, firstPrompt, lastAnswer };
  }

  /** The known metadata of a session; null for a path that is not listed. */
  known(filePath: string): QuickMetadata | null {
    const entry = this.#entries.get(filePath);
    return entry === undefined ? null : knownMetadata(entry);
  }

  async forget({ path: filePath }: SessionRef): Promise<void> {
    if (this.#entries.get(filePath)?.absence === 'gone') this.#entries.delete(filePath);
    await this.#feed.sendNow();
  }

  async planRepair({ path: filePath }: SessionRef, scope: RepairScope = 'all'): Promise<RepairPlanOutcome> {
    this.#refuseWithoutRepair();
    return this.#jobs.queue.add(REPAIR_JOBS[scope].plan, filePath, 'active');
  }

  async repair(
    { path: filePath }: SessionRef,
    manner: RepairManner = 'asked',
    scope: RepairScope = 'all',
  ): Promise<RepairOutcome> {
    this.#refuseWithoutRepair();
    const outcome = await this.#jobs.queue.add(REPAIR_JOBS[scope][manner], filePath, 'active');
    await this.#feed.sendNow();
    return outcome;
  }

  async undoRepair({ path: filePath }: SessionRef, mayBeLive = false): Promise<RepairOutcome> {
    this.#refuseWithoutRepair();
    const outcome = await this.#jobs.queue.add(mayBeLive ? 'undoRepairAnyway' : 'undoRepair', filePath, 'active');
    await this.#feed.sendNow();
    return outcome;
  }

  async planSlim({ path: filePath }: SessionRef): Promise<SlimOutcome> {
    this.#refuseWithoutRepair();
    return this.#jobs.queue.add('planSlim', filePath, 'active');
  }

  async slim({ path: filePath }: SessionRef, mayBeLive = false): Promise<SlimOutcome> {
    this.#refuseWithoutRepair();
    const outcome = await this.#jobs.queue.add(mayBeLive ? 'slimAnyway' : 'slim', filePath, 'active');
    await this.#feed.sendNow();
    return outcome;
  }

  async undoSlim({ path: filePath }: SessionRef, mayBeLive = false): Promise<SlimOutcome> {
    this.#refuseWithoutRepair();
    const outcome = await this.#jobs.queue.add(mayBeLive ? 'undoSlimAnyway' : 'undoSlim', filePath, 'active');
    await this.#feed.sendNow();
    return outcome;
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

  #refuseWithoutRepair(): void {
    const { id, capabilities } = this.#deps.provider;
    if (!capabilities.repair) throw new Error(`Failed to repair the session: sessions of ${id} cannot be repaired`);
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
export interface ConfigDirSessionsDeps {
  readonly provider: SessionProvider;
  /** The client that the provider's verdicts speak for. */
  readonly client: ClientInfo;
  readonly cache: SessionCache | null;
  readonly files: SessionFiles;
  /** Never rejects; null if the file cannot be read. */
  readonly readQuickMetadata: (filePath: string) => Promise<QuickMetadata | null>;
  /** Never rejects; null if unknown. `leafUuid`: uuid of the row from which a resume continues. */
  readonly readTranscriptEnd: (filePath: string, leafUuid: string) => Promise<TranscriptTail | null>;
  /** Never rejects; null if the transcript cannot be read. */
  readonly readOverview: (filePath: string, activityOf: Activities['of']) => Promise<SessionOverview | null>;
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
