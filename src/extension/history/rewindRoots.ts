import { isAbsolute, relative, sep } from 'node:path';
import type { FolderSuggestion } from '../../protocol/channels/rewindView';
import type { PlacedSession } from '../sessions/sessionsState';

/** The folders below which a session's files may be changed without asking. All paths are absolute. */
export class RewindRoots {
  /**
   * @param named the folders that the person named in this window, by the path of the transcript
   * @param open the folders that are open in the window
   */
  constructor(
    readonly session: Pick<PlacedSession, 'path' | 'cwd'>,
    readonly named: Map<string, readonly string[]>,
    readonly open: () => readonly string[],
  ) {}

  /** Null if the person has to name a folder first. */
  ofRewind(): readonly string[] | null {
    const roots = rewindRoots(this.open(), this.session.cwd);
    return roots.length > 0 ? roots : (this.named.get(this.session.path) ?? null);
  }

  ofUndo(): readonly string[] {
    return [...this.open(), ...(this.named.get(this.session.path) ?? [])];
  }

  suggestions(): readonly FolderSuggestion[] {
    const { cwd } = this.session;
    const open = this.open().map((path) => ({ path, isOpen: true }));
    return cwd === null ? open : [{ path: cwd, isOpen: false }, ...open];
  }

  name(folder: string): void {
    this.named.set(this.session.path, [folder]);
  }
}

/**
 * The folders below which a rewind may change files without asking: those of the window, if the session belongs to one of
 * them; otherwise none. The person has opened them, whereas whoever wrote the transcript may have named any folder. All
 * paths are absolute.
 *
 * @param cwd the session's working folder, according to its transcript
 */
export function rewindRoots(folders: readonly string[], cwd: string | null): readonly string[] {
  const isOfWindow = cwd === null || folders.some((folder) => holds(folder, cwd) || holds(cwd, folder));
  return isOfWindow ? folders : [];
}

function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
