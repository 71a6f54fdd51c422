import { isAbsolute, relative, sep } from 'node:path';
import type { Services } from '../services';
import type { Choice } from '../window/dialogs';

export interface RewindFoldersDeps extends Pick<Services, 'dialogs' | 't'> {
  readonly windowFolders: () => readonly string[];
  /** Lets the person choose a folder on the disk; null if they cancel. `start`: where to begin; null for anywhere. */
  readonly pickFolder: (start: string | null) => Promise<string | null>;
  readonly displayPath: (path: string) => string;
}

/**
 * The folders below which a rewind may change files; absolute. The person names them, by opening them in the window or
 * by choosing one now. The transcript only suggests one: whoever wrote it may have named any folder. Null if the person
 * cancels.
 *
 * @param cwd the session's working folder, according to its transcript
 */
export async function chooseRewindFolders(
  cwd: string | null,
  { windowFolders, pickFolder, displayPath, dialogs, t }: RewindFoldersDeps,
): Promise<readonly string[] | null> {
  const open = windowFolders();
  const roots = rewindRoots(open, cwd);
  if (roots.length > 0) return roots;
  const pick = async (): Promise<readonly string[] | null> => {
    const picked = await pickFolder(cwd);
    return picked === null ? null : [picked];
  };
  if (cwd === null) return pick();
  const choices: Choice<readonly string[] | 'another'>[] = [
    { value: [cwd], label: displayPath(cwd), description: t('the transcript names this folder'), icon: 'folder' },
    ...open.map((folder) => ({
      value: [folder],
      label: displayPath(folder),
      description: t('open in this window'),
      icon: 'folder-opened',
    })),
    { value: 'another', label: t('Another Folder…'), icon: 'folder-library' },
  ];
  const chosen = await dialogs.choose([{ heading: null, choices }], {
    title: t('Which folder may the rewind change?'),
    placeholder: t('No folder of this session is open in the window'),
  });
  return chosen === 'another' ? pick() : chosen;
}

/** The folders of the window if the session belongs to one of them; otherwise none. All paths are absolute. */
export function rewindRoots(folders: readonly string[], cwd: string | null): readonly string[] {
  const isOfWindow = cwd === null || folders.some((folder) => holds(folder, cwd) || holds(cwd, folder));
  return isOfWindow ? folders : [];
}

function holds(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
