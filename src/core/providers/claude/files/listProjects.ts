import type { Dirent } from 'node:fs';
import { sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fastGlob from 'fast-glob';
import { transcriptsWithBackup } from '../../../storage/backupNames';
import { transcriptsSetAside } from '../../../storage/staleFiles';
import { diskSessionFiles, type FileStamp } from '../../../util/diskFiles';
import type { FolderMemory, ProjectListing } from '../../provider';
import { isSessionName } from '../format/paths';

/** The file system access for listing; tests replace it to make it fail. */
export interface ListingFs {
  readdirSync(folder: string, options: { readonly withFileTypes: true }): Dirent[];
}

/** Projects read in one call: more save little and block the thread for longer. */
const GROUP_SIZE = 16;
/** Time for other parts of the process to close their files, in milliseconds; it doubles with each retry. */
const RETRY_DELAY_MS = 20;
const MAX_RETRIES = 5;

/**
 * The projects in a folder and their transcripts, several projects at a time. Reads synchronously, in about a
 * microsecond per file: the asynchronous functions of the library take two to ten times as long. Throws if the folder
 * itself cannot be read. A project that cannot be read is yielded as such and does not hide the others. Projects that
 * have not changed since they were put into `memory` are not read.
 */
export async function* listProjects(
  root: string,
  fs: ListingFs,
  memory: FolderMemory | null = null,
): AsyncGenerator<readonly ProjectListing[]> {
  const projects = await withRetries(() => listFolders(root, fs));
  for (let at = 0; at < projects.length; at += GROUP_SIZE) {
    const group = projects.slice(at, at + GROUP_SIZE).map((entry): Project => {
      const folder = root + sep + entry.name;
      const stamp = memory === null ? null : diskSessionFiles.stampNow(folder);
      return { entry, stamp, known: stamp === null ? null : (memory?.listing(folder, stamp) ?? null) };
    });
    const known = group.map((project) => project.known).filter((listing) => listing !== null);
    const others = group.filter((project) => project.known === null);
    if (others.length === 0) {
      yield known;
      continue;
    }
    const entries = others.map(({ entry }) => entry);
    const listings = await withRetries((isLastTry) => listGroup(root, entries, fs, isLastTry));
    for (const [index, listing] of listings.entries()) {
      const stamp = others[index]?.stamp ?? null;
      if (stamp !== null && listing.transcripts !== null) memory?.setListing(listing, stamp);
    }
    yield [...known, ...listings];
  }
}

interface Project {
  readonly entry: Dirent;
  readonly stamp: FileStamp | null;
  readonly known: ProjectListing | null;
}

function listFolders(root: string, fs: ListingFs): readonly Dirent[] {
  let entries: Dirent[] = [];
  const names = fastGlob.sync('*', {
    ...options(root, () => (entries = fs.readdirSync(root, { withFileTypes: true }))),
    onlyDirectories: true,
  });
  const found = new Set(names);
  return entries.filter((entry) => found.has(entry.name));
}

/**
 * Lists the whole group with one call of the library, whose setup takes longer than reading a folder. Throws an error
 * that may be temporary, unless this is the last try.
 */
function listGroup(
  root: string,
  group: readonly Dirent[],
  fs: ListingFs,
  isLastTry: boolean,
): readonly ProjectListing[] {
  const unreadable = new Set<string>();
  let isRoot = true;
  const readFolder = (folder: string): Dirent[] => {
    if (isRoot) {
      isRoot = false;
      return [...group];
    }
    // The library treats every backslash as a separator, which is only correct on Windows.
    const name = folder.slice(folder.lastIndexOf('/') + 1);
    try {
      return fs.readdirSync(root + sep + name, { withFileTypes: true });
    } catch (error) {
      if (isOutOfHandles(error) && !isLastTry) throw error;
      if (!isMissing(error)) unreadable.add(name);
      return [];
    }
  };
  const transcripts = new Map<string, string[]>();
  const others = new Map<string, string[]>();
  let project = '/';
  let ofProject: string[] = [];
  for (const path of fastGlob.sync('*/*.jsonl*', { ...options(root, readFolder), deep: 2 })) {
    if (!path.startsWith(project)) {
      project = path.slice(0, path.indexOf('/') + 1);
      ofProject = [];
      transcripts.set(project.slice(0, -1), ofProject);
    }
    if (!path.endsWith('.jsonl')) push(others, project.slice(0, -1), path.slice(project.length));
    else if (isSessionName(path)) ofProject.push(root + sep + toNative(path));
  }
  return group.map(({ name }) => {
    const folder = root + sep + name;
    const found = transcripts.get(name) ?? [];
    const beside = others.get(name) ?? [];
    return {
      folder,
      transcripts: unreadable.has(name) ? null : [...found, ...setAside(folder, found, beside)],
      withBackup: transcriptsWithBackup(beside),
    };
  });
}

/** The transcripts that an interrupted repair has to put back: their sessions are still there. */
function setAside(folder: string, found: readonly string[], beside: readonly string[]): string[] {
  if (!beside.some((name) => name.endsWith('.old'))) return [];
  const names = transcriptsSetAside([...beside, ...found.map((path) => path.slice(folder.length + 1))]);
  return names.filter((name) => isSessionName(name)).map((name) => folder + sep + name);
}

/** The library returns paths with slashes on every platform. */
function toNative(path: string): string {
  return sep === '/' ? path : path.replaceAll('/', sep);
}

function push(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

function options(root: string, readFolder: (folder: string) => Dirent[]): fastGlob.Options {
  return {
    cwd: root,
    deep: 1,
    dot: true,
    // A folder or link with a transcript's name is included, so that its scan reports what it is.
    onlyFiles: false,
    followSymbolicLinks: false,
    caseSensitiveMatch: true,
    // Names in a folder are unique already.
    unique: false,
    // SAFETY: without `stats`, the library only requests entries with their types.
    fs: { readdirSync: readFolder as unknown as fastGlob.FileSystemAdapter['readdirSync'] },
  };
}

/** Retries if the process, or the whole system, has reached its limit of open files. */
async function withRetries<T>(list: (isLastTry: boolean) => T): Promise<T> {
  for (let retries = 0; ; retries++) {
    try {
      return list(retries === MAX_RETRIES);
    } catch (error) {
      if (retries === MAX_RETRIES || !isOutOfHandles(error)) throw error;
      await delay(RETRY_DELAY_MS * 2 ** retries);
    }
  }
}

function isOutOfHandles(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
