import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSmallFile } from '../../../util/openForeignFile';

const GIT_NAME = '.git';
/** The file `.git` of a worktree has one short line. */
const MAX_GIT_FILE_BYTES = 64 * 1024;
const WORKTREE = /^gitdir: (?<root>.+)[\\/]\.git[\\/]worktrees[\\/][^\\/]+\s*$/;

/**
 * Finds the repositories of project folders, as the client does to find a person's settings of a project: the settings
 * of the repository also count in its subfolders, and those of the main worktree in all worktrees. (docs/format.md,
 * "Retention")
 */
export class RepositoryRoots {
  readonly #roots = new Map<string, string | null>();

  /** @param homeFolder a repository in which a person keeps the whole home folder does not count */
  constructor(private readonly homeFolder: string) {}

  /** The root of the main worktree, which is looked for in the folder and those above; else the folder itself. */
  of(folder: string): string {
    // The client compares the owners of the folders, which it cannot on Windows.
    if (process.platform === 'win32') return folder;
    const root = this.#rootOf(folder);
    return root === null || root === this.homeFolder ? folder : root;
  }

  #rootOf(folder: string): string | null {
    const known = this.#roots.get(folder);
    if (known !== undefined) return known;
    const parent = dirname(folder);
    const root = rootAt(folder) ?? (parent === folder ? null : this.#rootOf(parent));
    this.#roots.set(folder, root);
    return root;
  }
}

function rootAt(folder: string): string | null {
  const path = join(folder, GIT_NAME);
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return null;
    if (!stat.isFile()) return folder;
    // A submodule also has such a file, but it is a repository of its own.
    return WORKTREE.exec(readSmallFile(path, MAX_GIT_FILE_BYTES).bytes.toString('utf8'))?.groups?.['root'] ?? folder;
  } catch {
    return null;
  }
}
