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
  /** Paths of entries that changed, by project; an empty set where only the project itself did. */
  #changed = new Map<string, Set<string>>();
  readonly #projects = new Map<string, ProjectDescription>();
  #order: readonly string[] = [];
  #phase: ScanPhase = { kind: 'idle' };
  #isFirst = true;

  constructor(entries: CatalogEntries, homeDir: string) {
    this.#entries = entries;
    this.#homeDir = homeDir;
  }

  /** The entry was set or deleted, or its session started or stopped. */
  touch(filePath: string, projectFolder: string): void {
    const paths = this.#changed.get(projectFolder);
    if (paths === undefined) this.#changed.set(projectFolder, new Set([filePath]));
    else paths.add(filePath);
  }

  /** Other folders are open. */
  touchProjects(): void {
    for (const folder of this.#entries.projectFolders) {
      if (!this.#changed.has(folder)) this.#changed.set(folder, new Set());
    }
  }

  next(state: BoardState): AssembledUpdate {
    const order = this.#newOrder(state.workspaceFolders);
    const projects: ProjectUpdate[] = [];
    let room = MAX_SESSIONS_PER_UPDATE;
    for (const [folder, paths] of this.#inTreeOrder()) {
      if (room <= 0) break;
      const taken = [...paths].slice(0, room);
      room -= taken.length;
      for (const path of taken) paths.delete(path);
      if (paths.size === 0) this.#changed.delete(folder);
      projects.push(this.#projectUpdate(folder, taken, state.live));
    }
    const hasMore = this.#changed.size > 0;
    // A scan is told to be over with the last of what it found.
    if (!hasMore) this.#phase = state.phase;
    const startsAnew = this.#isFirst;
    this.#isFirst = false;
    const { problem, isFolderMissing } = state;
    return { update: { startsAnew, phase: this.#phase, problem, isFolderMissing, order, projects }, hasMore };
  }

  #newOrder(workspaceFolders: readonly WorkspaceFolder[]): readonly string[] | null {
    for (const folder of this.#changed.keys()) {
      const entries = [...this.#entries.ofProject(folder)];
      if (entries.length === 0) {
        this.#projects.delete(folder);
        this.#changed.delete(folder);
      } else {
        this.#projects.set(folder, describeProject(folder, entries, workspaceFolders, this.#homeDir));
      }
    }
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
