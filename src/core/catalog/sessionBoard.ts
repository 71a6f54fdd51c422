import { basename, dirname } from 'node:path';
import type {
  ScanAllOptions,
  ScanPhase,
  SessionDetails,
  SessionsSnapshot,
  WorkerApi,
  WorkerConfiguration,
  WorkerEvents,
} from '../../shared/api/worker';
import type { RepairOutcome } from '../../shared/repair';
import type { ScannedSession } from '../../shared/session';
import { encodeProjectPath } from '../claude/projectPath';
import type { Engine } from '../engine';
import { assembleSnapshot } from './assembleSnapshot';
import type { CatalogEntry } from './catalogEntry';
import type { CatalogFiles } from './catalogFiles';
import { isSameStamp } from './catalogFiles';
import type { Clock } from './clock';
import { forEachConcurrent } from './forEachConcurrent';
import { listTranscripts } from './listTranscripts';
import { LiveWatch } from './liveWatch';
import { transcriptsWithBackup } from './repairBackups';
import { scanOrder } from './scanOrder';
import { SnapshotFeed } from './snapshotFeed';
import type { WorkspaceFolder } from './workspaceMatch';

export interface SessionBoardParts {
  readonly createEngine: (configDir: string) => Engine;
  readonly files: CatalogFiles;
  readonly clock: Clock;
  readonly events: WorkerEvents;
  /** The person's home folder. */
  readonly homeDir: string;
}

/** A configuration, and what was made by it. */
interface Setup {
  readonly configuration: WorkerConfiguration;
  readonly workspaceFolders: readonly WorkspaceFolder[];
  readonly engine: Engine;
  readonly liveWatch: LiveWatch;
}

/** Holds what is known of all sessions and tells it in snapshots. Everything the worker thread does. */
export class SessionBoard implements WorkerApi {
  readonly #parts: SessionBoardParts;
  readonly #feed: SnapshotFeed;
  #setup: Setup | null = null;
  #configureNumber = 0;
  #entries = new Map<string, CatalogEntry>();
  #scanNumber = 0;
  /** The running scan of everything. */
  #run: AbortController | null = null;
  #phase: ScanPhase = { kind: 'idle' };
  #problem: string | null = null;
  #isFolderMissing = false;

  constructor(parts: SessionBoardParts) {
    this.#parts = parts;
    this.#feed = new SnapshotFeed(
      (revision) => this.#snapshot(revision),
      (snapshot) => {
        parts.events.sessionsChanged(snapshot);
      },
      parts.clock,
    );
  }

  async configure(configuration: WorkerConfiguration): Promise<void> {
    const number = ++this.#configureNumber;
    const workspaceFolders = await Promise.all(configuration.workspaceFolders.map((path) => this.#lookUp(path)));
    if (number !== this.#configureNumber) return;
    if (this.#setup?.configuration.configDir === configuration.configDir) {
      this.#setup = { ...this.#setup, configuration, workspaceFolders };
      // Before the first listing there is nothing to sort anew, and an empty snapshot would say that there is nothing.
      if (this.#entries.size > 0) this.#feed.sendNow();
      return;
    }
    this.#forgetAll();
    const engine = this.#parts.createEngine(configuration.configDir);
    const liveWatch = new LiveWatch(
      () => engine.liveSessions(),
      this.#parts.clock,
      () => {
        this.#followLive();
      },
    );
    this.#setup = { configuration, workspaceFolders, engine, liveWatch };
  }

  async scanAll({ rescanUnchanged = false }: ScanAllOptions = {}): Promise<void> {
    const setup = this.#requireSetup();
    this.#run?.abort();
    const run = new AbortController();
    this.#run = run;
    this.#tell({ kind: 'discovering' });
    try {
      await this.#startWatching(setup.liveWatch);
      const isFolderMissing = (await this.#parts.files.stamp(setup.configuration.configDir)) === null;
      const entries = isFolderMissing
        ? new Map<string, CatalogEntry>()
        : await listTranscripts(setup.engine, this.#parts.files, {
            configDir: setup.configuration.configDir,
            known: this.#entries,
            rescanUnchanged,
            signal: run.signal,
          });
      if (run.signal.aborted) return;
      this.#entries = entries;
      this.#isFolderMissing = isFolderMissing;
      this.#problem = null;
      await this.#scanWaiting(setup, run.signal);
    } catch (error) {
      if (run.signal.aborted) return;
      this.#problem = error instanceof Error ? error.message : String(error);
      this.#parts.events.log('error', `Failed to list the sessions: ${String(error)}`);
    } finally {
      if (this.#run === run) {
        this.#run = null;
        this.#tell({ kind: 'idle' });
      }
    }
  }

  async scanSession(filePath: string): Promise<ScannedSession> {
    const scan = await this.#scan(filePath);
    const names = await this.#parts.files.names(dirname(filePath));
    const entry = this.#entries.get(filePath);
    if (entry !== undefined) {
      this.#entries.set(filePath, { ...entry, hasBackup: transcriptsWithBackup(names).has(basename(filePath)) });
    }
    this.#feed.sendNow();
    return scan;
  }

  async details(filePath: string): Promise<SessionDetails> {
    const stamp = await this.#parts.files.stamp(filePath);
    const entry = this.#entries.get(filePath);
    const known = isSameStamp(entry?.stamp ?? null, stamp) ? entry?.scan : null;
    const scan = known ?? (await this.scanSession(filePath));
    const live = this.#setup?.liveWatch.live.get(scan.result.sessionId) ?? null;
    return { scan, metadata: scan.metadata, live };
  }

  async planRepair(filePath: string): Promise<RepairOutcome> {
    return this.#requireSetup().engine.planRepair(filePath);
  }

  async repair(filePath: string): Promise<RepairOutcome> {
    const outcome = await this.#requireSetup().engine.repair(filePath);
    await this.scanSession(filePath);
    return outcome;
  }

  async undoRepair(filePath: string): Promise<RepairOutcome> {
    const outcome = await this.#requireSetup().engine.undoRepair(filePath);
    await this.scanSession(filePath);
    return outcome;
  }

  async #lookUp(path: string): Promise<WorkspaceFolder> {
    const realPath = await this.#parts.files.realPath(path);
    return { path, realPath, projectName: encodeProjectPath(realPath) };
  }

  #forgetAll(): void {
    this.#run?.abort();
    this.#run = null;
    this.#setup?.liveWatch.stop();
    this.#entries = new Map();
    this.#phase = { kind: 'idle' };
    this.#problem = null;
    this.#isFolderMissing = false;
  }

  /** The sessions are listed even where nobody can tell which of them run. */
  async #startWatching(liveWatch: LiveWatch): Promise<void> {
    try {
      await liveWatch.start();
    } catch (error) {
      this.#parts.events.log('warn', `Failed to read which sessions are running: ${String(error)}`);
    }
  }

  async #scanWaiting(setup: Setup, signal: AbortSignal): Promise<void> {
    const waiting = scanOrder(this.#entries.values(), setup.workspaceFolders, this.#parts.homeDir);
    let done = 0;
    this.#tell({ kind: 'scanning', done, total: waiting.length });
    const scanOne = async (entry: CatalogEntry): Promise<void> => {
      await this.#scan(entry.found.filePath, signal);
      if (signal.aborted) return;
      done++;
      this.#phase = { kind: 'scanning', done, total: waiting.length };
      this.#feed.sendSoon();
    };
    await forEachConcurrent(waiting, setup.configuration.scanConcurrency, scanOne, signal);
  }

  async #scan(filePath: string, signal?: AbortSignal): Promise<ScannedSession> {
    const { engine } = this.#requireSetup();
    const scanNumber = ++this.#scanNumber;
    // Taken before the scan: what is appended meanwhile makes the next listing scan the file again.
    const stamp = await this.#parts.files.stamp(filePath);
    const scan = await engine.scan(filePath, signal === undefined ? {} : { signal });
    const entry = this.#entries.get(filePath);
    const isOutdated = signal?.aborted === true || entry === undefined || entry.scanNumber > scanNumber;
    if (isOutdated) return scan;
    if (scan.result.status === 'missing') this.#entries.delete(filePath);
    else this.#entries.set(filePath, { ...entry, stamp, scan, scanNumber });
    return scan;
  }

  /** A session started, stopped, or ended a turn: its transcript says more, and may be one that was not listed yet. */
  #followLive(): void {
    if (this.#run !== null) {
      this.#feed.sendSoon();
      return;
    }
    void this.scanAll();
  }

  #requireSetup(): Setup {
    if (this.#setup === null) throw new Error('Failed to look at the sessions: the config folder is not known');
    return this.#setup;
  }

  #tell(phase: ScanPhase): void {
    this.#phase = phase;
    this.#feed.sendNow();
  }

  #snapshot(revision: number): SessionsSnapshot {
    return assembleSnapshot({
      revision,
      phase: this.#phase,
      problem: this.#problem,
      isFolderMissing: this.#isFolderMissing,
      entries: this.#entries.values(),
      live: this.#setup?.liveWatch.live ?? new Map(),
      workspaceFolders: this.#setup?.workspaceFolders ?? [],
      homeDir: this.#parts.homeDir,
    });
  }
}
