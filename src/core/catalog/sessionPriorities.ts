import { basename } from 'node:path';
import type { SessionFocus } from '../../shared/api/worker';
import type { JobQueue } from '../queue/jobQueue';
import { isMoreUrgent, type Priority } from '../queue/priority';
import type { CatalogEntry } from './catalogEntry';
import type { SessionResults } from './sessionJobs';
import { knownMetadata } from './summariseSession';
import type { WorkspaceFolder } from './workspaceMatch';
import { workspaceIndex } from './workspaceMatch';

/** How urgent each session is: by what the person has before them, and by the folders that are open. */
export class SessionPriorities {
  readonly #homeDir: string;
  #focused = new Map<string, Priority>();
  #workspaceFolders: readonly WorkspaceFolder[];
  /** Whether a project's sessions of a working directory belong to the window, by both. Bounded by what lies on the disk. */
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

  /** Makes a change, and moves what waits in the queue to where it belongs by it. */
  requeue(
    entries: Iterable<CatalogEntry>,
    queue: Pick<JobQueue<SessionResults>, 'prioritise'>,
    change: (priorities: this) => void,
  ): void {
    const waiting = Array.from(entries).filter((entry) => entry.isOutdated);
    const before = waiting.map((entry) => this.of(entry));
    change(this);
    for (const [at, entry] of waiting.entries()) {
      const priority = this.of(entry);
      // What somebody waits for is more urgent than it would be by itself: it stays so where nothing changed.
      if (priority !== before[at]) queue.prioritise(entry.found.filePath, priority);
    }
  }

  of(entry: CatalogEntry): Priority {
    const focused = this.#focused.get(entry.found.filePath) ?? 'disk';
    const byFolder = this.#belongsToWindow(entry) ? 'visible' : 'disk';
    return isMoreUrgent(focused, byFolder) ? focused : byFolder;
  }

  #belongsToWindow(entry: CatalogEntry): boolean {
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
