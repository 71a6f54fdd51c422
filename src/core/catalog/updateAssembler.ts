import type { ProjectUpdate, ScanPhase, SessionsUpdate } from '../../shared/api/worker';
import type { LiveStatus } from '../../shared/session';
import type { CatalogEntries } from './catalogEntries';
import { compareProjects, describeProject, type ProjectDescription } from './describeProject';
import { summariseSession } from './summariseSession';
import type { WorkspaceFolder } from './workspaceMatch';

/** What the host takes in about a millisecond. */
const MAX_SESSIONS_PER_UPDATE = 400;

/** What an update tells beside what changed. */
export interface BoardState {
  readonly phase: ScanPhase;
  readonly problem: string | null;
  readonly isFolderMissing: boolean;
  /** Running sessions by session id. */
  readonly live: ReadonlyMap<string, LiveStatus>;
  readonly workspaceFolders: readonly WorkspaceFolder[];
}

export interface AssembledUpdate {
  readonly update: Omit<SessionsUpdate, 'revision' | 'configDir'>;
  /** Not all that changed is in it. */
  readonly hasMore: boolean;
}

/** Keeps track of what the host was not told yet, and puts it into updates. */
export class UpdateAssembler {
  readonly #entries: CatalogEntries;
  readonly #homeDir: string;
  readonly #maxSessions: number;
  /** Paths of entries that changed, by project; an empty set where only the project itself did. */
  readonly #changed = new Map<string, Set<string>>();
  readonly #projects = new Map<string, ProjectDescription>();
  /** Projects whose description is out of date. */
  readonly #undescribed = new Set<string>();
  #order: readonly string[] = [];
  #phase: ScanPhase = { kind: 'idle' };
  #isFirst = true;
  #isHalfTold = false;

  constructor(entries: CatalogEntries, homeDir: string, maxSessions = MAX_SESSIONS_PER_UPDATE) {
    this.#entries = entries;
    this.#homeDir = homeDir;
    this.#maxSessions = maxSessions;
  }

  /** The entry was set or deleted, or its session started or stopped. */
  touch(filePath: string, projectFolder: string): void {
    this.#undescribed.add(projectFolder);
    const paths = this.#changed.get(projectFolder);
    if (paths === undefined) this.#changed.set(projectFolder, new Set([filePath]));
    else paths.add(filePath);
  }

  /** Other folders are open. */
  touchProjects(): void {
    for (const folder of this.#entries.projectFolders) this.#undescribed.add(folder);
  }

  next(state: BoardState): AssembledUpdate {
    this.#describeProjects(state.workspaceFolders);
    const order = this.#newOrder();
    const projects: ProjectUpdate[] = [];
    let room = this.#maxSessions;
    for (const [folder, paths] of this.#inTreeOrder()) {
      if (room <= 0) break;
      const taken = takeFirst(paths, room);
      room -= taken.length;
      if (paths.size === 0) this.#changed.delete(folder);
      projects.push(this.#projectUpdate(folder, taken, state.live));
    }
    this.#isHalfTold = this.#changed.size > 0;
    const hasMore = this.#isHalfTold || this.#undescribed.size > 0;
    // A scan is told to be over with the last of what it found.
    if (!hasMore) this.#phase = state.phase;
    const startsAnew = this.#isFirst;
    this.#isFirst = false;
    const { problem, isFolderMissing } = state;
    return { update: { startsAnew, phase: this.#phase, problem, isFolderMissing, order, projects }, hasMore };
  }

  #describeProjects(workspaceFolders: readonly WorkspaceFolder[]): void {
    for (const folder of this.#undescribed) {
      const before = this.#projects.get(folder);
      // It takes a look at each of its sessions: once for all the updates that it takes to tell of them.
      if (this.#isHalfTold && before !== undefined) continue;
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

  /** What the person sees first is told first. */
  *#inTreeOrder(): Generator<[string, Set<string>]> {
    for (const folder of this.#order) {
      const paths = this.#changed.get(folder);
      if (paths !== undefined) yield [folder, paths];
    }
  }

  #projectUpdate(folder: string, paths: readonly string[], live: BoardState['live']): ProjectUpdate {
    const project = this.#projects.get(folder);
    const entries = paths.map((path) => this.#entries.get(path)).filter((entry) => entry !== undefined);
    return {
      folder,
      cwd: project?.cwd ?? null,
      inWorkspace: (project?.workspaceIndex ?? -1) >= 0,
      sessions: entries.map((entry) => summariseSession(entry, live.get(entry.found.sessionId) ?? null)),
      removed: paths.filter((path) => this.#entries.get(path) === undefined),
    };
  }
}

/** Takes out of the set what was put in first. */
function takeFirst(paths: Set<string>, count: number): readonly string[] {
  const taken: string[] = [];
  for (const path of paths) {
    if (taken.length === count) break;
    paths.delete(path);
    taken.push(path);
  }
  return taken;
}
