import { projectsFolderOf } from '../../providers/claude/format/paths';
import { resolve, sep } from 'node:path';
import { realPathOf } from '../../storage/files/projectFolder';
import type { WriteFs } from '../../storage/writeFs';
import { commonErrorCode } from './fileText';

/** Where files may be changed. All paths without symbolic links. */
export interface AllowedFolders {
  readonly roots: readonly string[];
  /** Rethread's folders and the client's own records, in which no rewind changes anything. */
  readonly guarded: readonly string[];
  /** Folders in which no transcript is changed. */
  readonly transcripts: readonly string[];
}

/**
 * Records in a config folder: backups, safety snapshots … Settings and memory files are treated like any other file.
 */
const RECORDS = ['file-history', 'rethread', 'sessions'];

/** Rejects only if the disk fails. */
export async function allowedFolders(
  roots: readonly string[],
  configDir: string,
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
    ...paths,
    ...(await Promise.all(paths.map(real))).flat(),
  ];
  return {
    roots: (await Promise.all(roots.map(real))).flat(),
    guarded: await both(RECORDS.map((name) => resolve(configDir, name))),
    transcripts: await both([resolve(projectsFolderOf(configDir))]),
  };
}

/** `folder` itself counts as within. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
