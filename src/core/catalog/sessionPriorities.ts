import { basename } from 'node:path';
import type { SessionFocus } from '../../shared/api/worker';
import { isMoreUrgent, type Priority } from '../queue/priority';
import type { CatalogEntry } from './catalogEntry';
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
