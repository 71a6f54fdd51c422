import { isTranscriptName, projectsFolderOf } from '../../providers/claude/format/paths';
import { resolve, sep } from 'node:path';
import { realPathOf } from '../../storage/files/projectFolder';
import type { WriteFs } from '../../storage/writeFs';
import { commonErrorCode } from './fileText';
import { isSameOrBelow, namesOf } from './pathNames';

/** Where files may be changed. All paths without symbolic links, unless stated otherwise. */
export interface AllowedFolders {
  /** Named by the person, never by a transcript. */
  readonly roots: readonly string[];
  /** Rethread's folders and the client's own records, in which no rewind changes anything. */
  readonly guarded: readonly string[];
  /** Folders in which no transcript is changed. */
  readonly transcripts: readonly string[];
  /** The person's home folder, with and without symbolic links. */
  readonly homes: readonly string[];
  /** The config folders, with and without symbolic links. */
  readonly configDirs: readonly string[];
}

/** Folders in which files are not changed without their name. Absolute. */
export interface KnownFolders {
  /** The one that contains the session, and the person's own if that is another. */
  readonly configDirs: readonly string[];
  /** Empty if there is none. */
  readonly homeDir: string;
}

/** Records in a config folder: backups, safety snapshots … Settings and memory files can be changed by name. */
const RECORDS = ['file-history', 'rethread', 'sessions'];

/** Rejects only if the disk fails. */
export async function allowedFolders(
  roots: readonly string[],
  { configDirs, homeDir }: KnownFolders,
  fs: Pick<WriteFs, 'realpath' | 'lstat'>,
): Promise<AllowedFolders> {
  const real = async (path: string): Promise<string[]> => {
    try {
      return [await realPathOf(resolve(path), fs)];
    } catch (error) {
      // If a folder cannot be reached, no file in it can be changed.
      commonErrorCode(error);
      return [];
    }
  };
  const both = async (paths: readonly string[]): Promise<string[]> => [
    ...new Set([...paths, ...(await Promise.all(paths.map(real))).flat()]),
  ];
  return {
    roots: (await Promise.all(roots.map(real))).flat(),
    guarded: await both(configDirs.flatMap((folder) => RECORDS.map((name) => resolve(folder, name)))),
    transcripts: await both(configDirs.map((folder) => resolve(projectsFolderOf(folder)))),
    // Without a home folder, an empty path must not stand for the current one.
    homes: await both(homeDir === '' ? [] : [resolve(homeDir)]),
    configDirs: await both(configDirs.map((folder) => resolve(folder))),
  };
}

/** Whether a file is one of the records that no rewind changes. `realFolder`: that of `path` without symbolic links. */
export function isRecord(path: string, realFolder: string, { guarded, transcripts }: AllowedFolders): boolean {
  // As the most tolerant file system: the system may return a path in the spelling in which it was asked for.
  const isIn = (folder: string): boolean => isSameOrBelow(path, folder) || isSameOrBelow(realFolder, folder);
  // A rewind never changes transcripts, but it may change the memory files beside them.
  return guarded.some(isIn) || (isTranscriptName(namesOf(path).at(-1) ?? '') && transcripts.some(isIn));
}

/** `folder` itself counts as within. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
