import { basename } from 'node:path';
import type { ProjectUpdate, ScanPhase, SessionsUpdate } from '../../protocol/channels/sessions';
import { encodeProjectPath } from '../providers/claude/format/paths';
import type { SessionCapabilities } from '../providers/provider';
import type { Clock } from '../util/scheduling';
import type { KnownActivity } from './sessionActivities';
import type { SessionEntries, SessionEntry } from './sessionEntries';
import { activityMs, knownMetadata, summariseSession, type WorkspaceFolder, workspaceIndex } from './summariseSession';

/** The number of sessions that the extension processes in about a millisecond. */
const MAX_SESSIONS_PER_UPDATE = 400;

/** What an update contains in addition to the changes. */
export interface SessionsState {
  readonly phase: ScanPhase;
  readonly problem: string | null;
  readonly isFolderMissing: boolean;
  /** What a session is doing; null if that was not looked at. */
  readonly activityOf: (filePath: string) => KnownActivity | null;
  readonly workspaceFolders: readonly WorkspaceFolder[];
  /** Capabilities of the sessions' provider. */
  readonly capabilities: SessionCapabilities;
}

export interface AssembledUpdate {
  readonly update: Omit<SessionsUpdate, 'revision' | 'configDir'>;
  /** More changes follow in another update. */
  readonly hasMore: boolean;
}

/** Keeps track of changes that were not sent yet and assembles updates from them. */
export class UpdateAssembler {
  readonly #entries: SessionEntries;
  readonly #homeDir: string;
  readonly #maxSessions: number;
  /** Paths of changed entries by project; an empty set if only the project itself changed. */
  readonly #changed = new Map<string, Set<string>>();
  readonly #projects = new Map<string, ProjectDescription>();
  /** Projects whose description is outdated. */
  readonly #undescribed = new Set<string>();
  #order: readonly string[] = [];
  #phase: ScanPhase = { kind: 'idle' };
  #isFirst = true;
  #isPartlySent = false;

  constructor(entries: SessionEntries, homeDir: string, maxSessions = MAX_SESSIONS_PER_UPDATE) {
    this.#entries = entries;
    this.#homeDir = homeDir;
    this.#maxSessions = maxSessions;
  }

  /** Must be called when an entry was set or deleted, or its session started or stopped. */
  touch(filePath: string, projectFolder: string): void {
    this.#undescribed.add(projectFolder);
    const paths = this.#changed.get(projectFolder);
    if (paths === undefined) this.#changed.set(projectFolder, new Set([filePath]));
    else paths.add(filePath);
  }

  /** Whether an entry changed since the last update. */
  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  /** Must be called when the open folders have changed. */
  touchProjects(): void {
    for (const folder of this.#entries.projectFolders) this.#undescribed.add(folder);
  }

  next(state: SessionsState): AssembledUpdate {
    this.#describeProjects(state.workspaceFolders);
    const order = this.#newOrder();
    const projects: ProjectUpdate[] = [];
    let room = this.#maxSessions;
    for (const [folder, paths] of this.#inTreeOrder()) {
      if (room <= 0) break;
      const taken = takeFirst(paths, room);
      room -= taken.length;
      if (paths.size === 0) this.#changed.delete(folder);
      projects.push(this.#projectUpdate(folder, taken, state));
    }
    this.#isPartlySent = this.#changed.size > 0;
    const hasMore = this.#isPartlySent || this.#undescribed.size > 0;
    // The end of a scan is sent with the last of its results.
    if (!hasMore) this.#phase = state.phase;
    const isReset = this.#isFirst;
    this.#isFirst = false;
    const { problem, isFolderMissing } = state;
    return { update: { isReset, phase: this.#phase, problem, isFolderMissing, order, projects }, hasMore };
  }

  #describeProjects(workspaceFolders: readonly WorkspaceFolder[]): void {
    for (const folder of this.#undescribed) {
      const before = this.#projects.get(folder);
      // This visits every session of the project, so it is done once for all updates of a round.
      if (this.#isPartlySent && before !== undefined) continue;
      this.#undescribed.delete(folder);
      const project = describeProject(folder, this.#entries.ofProject(folder), workspaceFolders, this.#homeDir);
      if (project === null) {
        this.#projects.delete(folder);
        this.#changed.delete(folder);
        continue;
      }
      this.#projects.set(folder, project);
      const isSame = before?.cwd === project.cwd && before.workspaceIndex === project.workspaceIndex;
      if (!isSame && !this.#changed.has(folder)) this.#changed.set(folder, new Set());
    }
  }

  #newOrder(): readonly string[] | null {
    const order = [...this.#projects.values()].sort(compareProjects).map((project) => project.folder);
    if (order.length === this.#order.length && order.every((folder, at) => folder === this.#order[at])) return null;
    this.#order = order;
    return order;
  }

  /** Projects that the person sees first are sent first. */
  *#inTreeOrder(): Generator<[string, Set<string>]> {
    for (const folder of this.#order) {
      const paths = this.#changed.get(folder);
      if (paths !== undefined) yield [folder, paths];
    }
  }

  #projectUpdate(folder: string, paths: readonly string[], state: SessionsState): ProjectUpdate {
    const { activityOf, capabilities } = state;
    const project = this.#projects.get(folder);
    const entries = paths.map((path) => this.#entries.get(path)).filter((entry) => entry !== undefined);
    return {
      folder,
      cwd: project?.cwd ?? null,
      inWorkspace: (project?.workspaceIndex ?? -1) >= 0,
      sessions: entries.map((entry) => summariseSession(entry, activityOf(entry.found.path), capabilities)),
      removed: paths.filter((path) => this.#entries.get(path) === undefined),
    };
  }
}

/** Removes and returns the oldest element of the set. */
function takeFirst(paths: Set<string>, count: number): readonly string[] {
  const taken: string[] = [];
  for (const path of paths) {
    if (taken.length === count) break;
    paths.delete(path);
    taken.push(path);
  }
  return taken;
}

/** The description of a project without its sessions. */
interface ProjectDescription {
  readonly folder: string;
  readonly cwd: string | null;
  /** Index of the open workspace folder that it belongs to; -1 for none. */
  readonly workspaceIndex: number;
  /** The activity of its latest session, in milliseconds since the epoch. */
  readonly activityMs: number;
}

/** Null if the project has no sessions. */
function describeProject(
  folder: string,
  entries: Iterable<SessionEntry>,
  workspaceFolders: readonly WorkspaceFolder[],
  homeDir: string,
): ProjectDescription | null {
  const name = basename(folder);
  const { isEmpty, rowsCwd, latestMs } = summarise(name, entries);
  if (isEmpty) return null;
  const named = workspaceFolders.find((candidate) => candidate.projectName === name);
  return {
    folder,
    cwd: named?.path ?? rowsCwd,
    workspaceIndex: workspaceIndex({ name, cwd: rowsCwd }, workspaceFolders, homeDir),
    activityMs: latestMs,
  };
}

/** Workspace projects first, in window order; then the latest activity first. */
function compareProjects(a: ProjectDescription, b: ProjectDescription): number {
  return rank(a) - rank(b) || b.activityMs - a.activityMs || (a.folder < b.folder ? -1 : a.folder > b.folder ? 1 : 0);
}

function rank(project: ProjectDescription): number {
  return project.workspaceIndex < 0 ? Number.MAX_SAFE_INTEGER : project.workspaceIndex;
}

/**
 * `rowsCwd`: the working directory of the project, according to the rows. The rows of sessions that were resumed
 * elsewhere contain other directories. Therefore the directory after which the project folder is named is preferred,
 * and then the latest.
 */
function summarise(projectName: string, entries: Iterable<SessionEntry>) {
  let isEmpty = true;
  let latestMs = 0;
  /** The latest activity in each directory. */
  const cwds = new Map<string, number>();
  for (const entry of entries) {
    isEmpty = false;
    const entryMs = activityMs(entry);
    latestMs = Math.max(latestMs, entryMs);
    const cwd = knownMetadata(entry)?.cwd ?? null;
    if (cwd !== null) cwds.set(cwd, Math.max(cwds.get(cwd) ?? 0, entryMs));
  }
  const latestFirst = [...cwds].sort((a, b) => b[1] - a[1]).map(([cwd]) => cwd);
  const namesake = latestFirst.find((cwd) => encodeProjectPath(cwd) === projectName);
  return { isEmpty, rowsCwd: namesake ?? latestFirst[0] ?? null, latestMs };
}

/** At most four rounds of updates per second during a scan. */
const UPDATE_INTERVAL_MS = 250;

export interface UpdateFeedDeps {
  readonly configDir: string;
  readonly assemble: () => AssembledUpdate;
  /** Resolves once the extension has processed it. */
  readonly send: (update: SessionsUpdate) => void | Promise<void>;
  readonly nextRevision: () => number;
  readonly clock: Clock;
}

/**
 * Sends the changes: frequent ones at intervals (`sendSoon`), important ones immediately (`sendNow`). The next update
 * waits until the extension has processed the previous one, so that a busy extension is never flooded.
 */
export class UpdateFeed {
  readonly #deps: UpdateFeedDeps;
  #lastSentMs = -Infinity;
  #cancelTimer: (() => void) | null = null;
  #sending: Promise<void> | null = null;
  /** More updates follow once the extension has processed the current one. */
  #isDue = false;
  #isClosed = false;

  constructor(deps: UpdateFeedDeps) {
    this.#deps = deps;
  }

  sendSoon(): void {
    if (this.#cancelTimer !== null) return;
    // A clock that was set back must not put it off.
    const waitMs = Math.min(this.#lastSentMs + UPDATE_INTERVAL_MS - this.#deps.clock.now(), UPDATE_INTERVAL_MS);
    if (waitMs <= 0) {
      void this.sendNow();
      return;
    }
    this.#cancelTimer = this.#deps.clock.after(waitMs, () => {
      void this.sendNow();
    });
  }

  /** Resolves once the extension has processed every pending update. */
  sendNow(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    if (this.#isClosed) return Promise.resolve();
    this.#isDue = true;
    this.#sending ??= this.#sendWhatIsDue();
    return this.#sending;
  }

  /** Stops sending, for good. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  async #sendWhatIsDue(): Promise<void> {
    const { configDir, assemble, nextRevision, clock } = this.#deps;
    while (this.#isDue && !this.#isClosed) {
      const { update, hasMore } = assemble();
      this.#isDue = hasMore;
      this.#lastSentMs = clock.now();
      await this.#deliver({ revision: nextRevision(), configDir, ...update });
    }
    this.#sending = null;
  }

  async #deliver(update: SessionsUpdate): Promise<void> {
    try {
      await this.#deps.send(update);
    } catch {
      // If the extension cannot answer, it is gone.
    }
  }
}
