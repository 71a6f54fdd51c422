import { basename, dirname } from 'node:path';
import type { SessionFocus } from '../../protocol/channels/sessions';
import type { RepairOutcome } from '../../protocol/repair';
import type { ScannedSession } from '../../protocol/session';
import { sessionIdOf } from '../providers/claude/format/paths';
import type { SessionFollower, SessionProvider } from '../providers/provider';
import { transcriptsWithBackup } from '../storage/findBackups';
import { MAX_FOLLOWED, MAX_FOLLOWED_BYTES } from '../transcript/liveTranscripts';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import { isMoreUrgent, type JobEvent, JobQueue, type Priority } from './jobQueue';
import type { SessionCache } from './sessionCache';
import type { SessionEntries, SessionEntry } from './sessionEntries';
import { knownMetadata, type WorkspaceFolder, workspaceIndex } from './summariseSession';

/** The kinds of jobs on a session and their results. */
export interface SessionResults {
  readonly scan: ScannedSession;
  readonly planRepair: RepairOutcome;
  readonly repair: RepairOutcome;
  readonly undoRepair: RepairOutcome;
}

export interface SessionJobsDeps {
  readonly provider: SessionProvider;
  readonly files: Pick<SessionFiles, 'stampNow' | 'names'>;
  readonly entries: SessionEntries;
  readonly cache: SessionCache | null;
  readonly isLive: (sessionId: string) => boolean;
  readonly concurrency: number;
  readonly onEvent: (event: JobEvent<SessionResults>) => void;
}

/** Queues the provider's work on sessions and stores the results in the entries and the cache. */
export class SessionJobs {
  readonly queue: JobQueue<SessionResults>;
  readonly #deps: SessionJobsDeps;
  readonly #lifetime = new AbortController();
  readonly #followers: LiveFollowers;
  /** The files that are being scanned, with their stamps from just before. */
  readonly #scanning = new Map<string, FileStamp | null>();

  constructor(deps: SessionJobsDeps) {
    this.#deps = deps;
    this.#followers = new LiveFollowers(deps);
    const { provider, concurrency, onEvent } = deps;
    this.queue = new JobQueue<SessionResults>({
      work: {
        scan: (filePath) => this.#scan(filePath, this.#lifetime.signal),
        planRepair: (filePath) => provider.planRepair(filePath),
        repair: (filePath) => this.#change(filePath, () => provider.repair(filePath)),
        undoRepair: (filePath) => this.#change(filePath, () => provider.undoRepair(filePath)),
      },
      concurrency,
      onEvent,
    });
  }

  /** Whether a scan is running that began with this stamp. */
  isScanning(filePath: string, stamp: FileStamp | null): boolean {
    return isSameStamp(this.#scanning.get(filePath) ?? null, stamp);
  }

  /** Checks whether a repair of the session can be undone. */
  async lookForBackup(filePath: string): Promise<void> {
    const names = await this.#deps.files.names(dirname(filePath));
    const entry = this.#deps.entries.get(filePath);
    const hasBackup = transcriptsWithBackup(names).has(basename(filePath));
    if (entry !== undefined && entry.hasBackup !== hasBackup) this.#deps.entries.set({ ...entry, hasBackup });
  }

  /** Aborts running scans; repairs are completed. */
  async abandon(): Promise<void> {
    this.#lifetime.abort();
    await this.queue.drain();
    this.#followers.close();
  }

  async #change(filePath: string, change: () => Promise<RepairOutcome>): Promise<RepairOutcome> {
    const outcome = await change();
    await this.#scan(filePath);
    await this.lookForBackup(filePath);
    return outcome;
  }

  async #scan(filePath: string, signal?: AbortSignal): Promise<ScannedSession> {
    const { files, entries, cache } = this.#deps;
    // Taken before the scan, so that rows appended meanwhile cause another scan after the next listing.
    const stamp = files.stampNow(filePath);
    const followed = await this.#followers.read(filePath, stamp?.size ?? 0);
    const scan = followed ?? (await this.#scanWhole(filePath, stamp, signal));
    if (scan.result.status === 'missing') {
      entries.delete(filePath);
      cache?.delete(filePath);
      return scan;
    }
    // The result of a followed session is not cached, because it omits a last line that is still being written.
    if (stamp !== null && followed === null) cache?.set(filePath, stamp, scan);
    const entry = entries.get(filePath);
    if (entry !== undefined) entries.set({ ...entry, stamp, scan, isOutdated: false });
    return scan;
  }

  async #scanWhole(filePath: string, stamp: FileStamp | null, signal?: AbortSignal): Promise<ScannedSession> {
    this.#scanning.set(filePath, stamp);
    try {
      return await this.#deps.provider.scan(filePath, signal === undefined ? {} : { signal });
    } finally {
      this.#scanning.delete(filePath);
    }
  }
}

/** The priority of each session, which depends on what the person is viewing and on the open folders. */
export class SessionPriorities {
  readonly #homeDir: string;
  #focused = new Map<string, Priority>();
  #workspaceFolders: readonly WorkspaceFolder[];
  /**
   * By project and working directory: whether such sessions belong to the window. Bounded by the sessions on the disk.
   */
  #isInWindow = new Map<string, boolean>();

  constructor(homeDir: string, workspaceFolders: readonly WorkspaceFolder[]) {
    this.#homeDir = homeDir;
    this.#workspaceFolders = workspaceFolders;
  }

  setWorkspaceFolders(folders: readonly WorkspaceFolder[]): void {
    this.#workspaceFolders = folders;
    this.#isInWindow = new Map();
  }

  setFocus(focus: SessionFocus): void {
    this.#focused = new Map();
    for (const priority of ['background', 'visible', 'active'] as const) {
      for (const path of focus[priority]) this.#focused.set(path, priority);
    }
  }

  /** Makes a change and moves waiting jobs to their new priority. */
  requeue(
    entries: Iterable<SessionEntry>,
    queue: Pick<JobQueue<SessionResults>, 'prioritise'>,
    change: (priorities: this) => void,
  ): void {
    const waiting = Array.from(entries).filter((entry) => entry.isOutdated);
    const before = waiting.map((entry) => this.of(entry));
    change(this);
    for (const [at, entry] of waiting.entries()) {
      const priority = this.of(entry);
      // A job that a caller waits for has a raised priority, and keeps it unless the priority of its session changed.
      if (priority !== before[at]) queue.prioritise(entry.found.path, priority);
    }
  }

  of(entry: SessionEntry): Priority {
    const focused = this.#focused.get(entry.found.path) ?? 'disk';
    const byFolder = this.#belongsToWindow(entry) ? 'visible' : 'disk';
    return isMoreUrgent(focused, byFolder) ? focused : byFolder;
  }

  #belongsToWindow(entry: SessionEntry): boolean {
    const { projectFolder } = entry.found;
    const cwd = knownMetadata(entry)?.cwd ?? null;
    const key = `${projectFolder}\0${cwd ?? ''}`;
    const known = this.#isInWindow.get(key);
    if (known !== undefined) return known;
    const project = { name: basename(projectFolder), cwd };
    const isInWindow = workspaceIndex(project, this.#workspaceFolders, this.#homeDir) >= 0;
    this.#isInWindow.set(key, isInWindow);
    return isInWindow;
  }
}

interface LiveFollowersDeps {
  readonly provider: Pick<SessionProvider, 'follow'>;
  readonly isLive: (sessionId: string) => boolean;
}

/** Follows running sessions, so that after each turn only the appended rows are read, not the whole transcript. */
class LiveFollowers {
  readonly #deps: LiveFollowersDeps;
  /** By path, least recently read first. */
  readonly #followers = new Map<string, SessionFollower>();

  constructor(deps: LiveFollowersDeps) {
    this.#deps = deps;
  }

  /** Null if the session is not running, or its transcript is too large to be followed; then it must be scanned. */
  async read(filePath: string, bytes: number): Promise<ScannedSession | null> {
    const follower = this.#followers.get(filePath);
    this.#followers.delete(filePath);
    if (!this.#deps.isLive(sessionIdOf(filePath)) || bytes > MAX_FOLLOWED_BYTES) {
      follower?.close();
      return null;
    }
    const followed = follower ?? this.#deps.provider.follow(filePath);
    this.#followers.set(filePath, followed);
    const [oldest] = this.#followers.keys();
    if (this.#followers.size > MAX_FOLLOWED && oldest !== undefined) this.#close(oldest);
    return followed.read();
  }

  /** Closes all followers, for good. */
  close(): void {
    for (const filePath of [...this.#followers.keys()]) this.#close(filePath);
  }

  #close(filePath: string): void {
    this.#followers.get(filePath)?.close();
    this.#followers.delete(filePath);
  }
}
