import { basename } from 'node:path';
import type { SessionFocus } from '../../protocol/channels/sessions';
import { isMoreUrgent, type JobQueue, type Priority } from './jobQueue';
import type { SessionEntry } from './sessionEntries';
import type { SessionResults } from './sessionJobs';
import { knownMetadata, type WorkspaceFolder, workspaceIndex } from './summariseSession';

/** The priority of each session, which depends on what the person is viewing and on the open folders. */
export class SessionPriorities {
  readonly #homeDir: string;
  #focused = new Map<string, Priority>();
  #workspaceFolders: readonly WorkspaceFolder[];
  /**
   * By project and working directory: the open folder to which such sessions belong. Bounded by the sessions on the disk.
   */
  #folders = new Map<string, number>();

  constructor(homeDir: string, workspaceFolders: readonly WorkspaceFolder[]) {
    this.#homeDir = homeDir;
    this.#workspaceFolders = workspaceFolders;
  }

  setWorkspaceFolders(folders: readonly WorkspaceFolder[]): void {
    this.#workspaceFolders = folders;
    this.#folders = new Map();
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
    const byFolder = this.folderOf(entry) >= 0 ? 'visible' : 'disk';
    return isMoreUrgent(focused, byFolder) ? focused : byFolder;
  }

  /** Index of the open folder to which a session belongs; -1 if it belongs to none. */
  folderOf(entry: SessionEntry): number {
    const { projectFolder } = entry.found;
    const cwd = knownMetadata(entry)?.cwd ?? null;
    const key = `${projectFolder}\0${cwd ?? ''}`;
    const known = this.#folders.get(key);
    if (known !== undefined) return known;
    const project = { name: basename(projectFolder), cwd };
    const folder = workspaceIndex(project, this.#workspaceFolders, this.#homeDir);
    this.#folders.set(key, folder);
    return folder;
  }
}
