import type { FoundTranscript } from '../../provider';
import { existsSync, readdirSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import fastGlob from 'fast-glob';
import { transcriptsSetAside } from '../../../storage/staleFiles';
import { createPacer, type Pacer } from '../../../util/scheduling';
import type { FolderMemory, ProjectListing } from '../../provider';
import {
  isSessionName,
  isTranscriptName,
  projectsFolderOf,
  SUBAGENTS_FOLDER,
  sessionRefOf,
  TRANSCRIPT_SUFFIX,
} from '../format/paths';
import { type ListingFs, listProjects } from './listProjects';

export interface FindOptions {
  /** Projects that have not changed since they were put into this memory are not read. */
  readonly memory?: FolderMemory | null;
  readonly fs?: ListingFs;
  readonly pacer?: Pacer;
}

/** Longest work between two turns of the event loop, in milliseconds. */
const TURN_MS = 10;
/** May hold files that are named by a session id, but are not sessions. */
const NOT_SESSIONS = `**/${SUBAGENTS_FOLDER}/**`;

/** Number of transcripts between two checks of the time. */
const PAUSE_EVERY = 100;

/**
 * The transcripts at the paths, each once, in the order of the paths. A path to a file is that transcript; a config
 * folder stands for the sessions of its projects; any other folder stands for all transcripts below it. In folders, only files
 * that are named by a session id count. A path that cannot be listed is yielded unchanged, so that its scan reports the reason.
 */
export async function* findTranscripts(
  paths: readonly string[],
  signal?: AbortSignal,
  parts: FindOptions = {},
): AsyncGenerator<FoundTranscript> {
  const pacer = parts.pacer ?? createPacer(TURN_MS);
  for await (const batch of findTranscriptBatches(paths, signal, { ...parts, pacer })) {
    for (const [at, found] of batch.entries()) {
      signal?.throwIfAborted();
      const turn = at % PAUSE_EVERY === 0 ? pacer.yieldIfDue() : null;
      if (turn !== null) await turn;
      yield found;
    }
  }
}

/**
 * Like `findTranscripts`, but yields the transcripts of one project at a time, which is ten times as fast for thousands
 * of transcripts. Yields to the event loop between the batches.
 */
export async function* findTranscriptBatches(
  paths: readonly string[],
  signal?: AbortSignal,
  { memory = null, fs = { readdirSync }, pacer = createPacer(TURN_MS) }: FindOptions = {},
): AsyncGenerator<readonly FoundTranscript[]> {
  // A single path cannot yield a file twice.
  const seen = paths.length > 1 ? new Set<string>() : null;
  for (const path of paths.map((each) => resolve(each))) {
    for await (const batch of transcriptsAt(path, fs, memory)) {
      signal?.throwIfAborted();
      const turn = pacer.yieldIfDue();
      if (turn !== null) await turn;
      const fresh = seen === null ? batch : batch.filter(({ path: filePath }) => !seen.has(filePath));
      for (const { path: filePath } of fresh) seen?.add(filePath);
      if (fresh.length > 0) yield fresh;
    }
  }
}

async function* transcriptsAt(
  path: string,
  fs: ListingFs,
  memory: FolderMemory | null,
): AsyncGenerator<readonly FoundTranscript[]> {
  // A folder with a transcript's name is not a project: its scan reports what it is.
  if (isTranscriptName(path) || !(await isFolder(path))) {
    yield [fileAt(path)];
    return;
  }
  const projects = projectsFolderOf(path);
  if (!(await isFolder(projects))) {
    yield* transcriptsBelow(path);
    return;
  }
  try {
    for await (const group of listProjects(projects, fs, memory)) {
      for (const project of group) yield transcriptsOf(project);
    }
  } catch {
    yield [fileAt(projects)];
  }
}

function transcriptsOf({ folder, transcripts, withBackup }: ProjectListing): readonly FoundTranscript[] {
  if (transcripts === null) return [{ ...fileAt(folder), projectFolder: folder, isProjectFolder: true }];
  return transcripts.map((filePath) => ({
    provider: 'claude',
    id: filePath.slice(folder.length + 1, -TRANSCRIPT_SUFFIX.length),
    path: filePath,
    projectFolder: folder,
    // Almost no project has any.
    hasBackup: withBackup.size > 0 && withBackup.has(basename(filePath)),
  }));
}

/** Reads asynchronously, because a tree of any size must not block the thread. */
async function* transcriptsBelow(folder: string): AsyncGenerator<readonly FoundTranscript[]> {
  const stream = fastGlob.stream([`**/*${TRANSCRIPT_SUFFIX}`, `**/.*${TRANSCRIPT_SUFFIX}.rethread-*`], {
    cwd: folder,
    absolute: true,
    dot: true,
    onlyFiles: false,
    followSymbolicLinks: false,
    caseSensitiveMatch: true,
    ignore: [NOT_SESSIONS],
  });
  try {
    const hidden: string[] = [];
    for await (const path of stream) {
      if (isSessionName(String(path))) yield [fileAt(resolve(String(path)))];
      else if (basename(String(path)).startsWith('.')) hidden.push(resolve(String(path)));
    }
    yield* setAsideAmong(hidden);
  } catch {
    yield [fileAt(folder)];
  }
}

/** The transcripts that an interrupted repair has to put back, by the names of all files that repairs left. */
function* setAsideAmong(hidden: readonly string[]): Generator<readonly FoundTranscript[]> {
  for (const folder of new Set(hidden.map((path) => dirname(path)))) {
    const names = hidden.filter((path) => dirname(path) === folder).map((path) => basename(path));
    for (const name of transcriptsSetAside(names)) {
      const filePath = join(folder, name);
      if (isSessionName(name) && !existsSync(filePath)) yield [fileAt(filePath)];
    }
  }
}

function fileAt(filePath: string): FoundTranscript {
  return { ...sessionRefOf(filePath), projectFolder: dirname(filePath) };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(await realpath(path))).isDirectory();
  } catch {
    return false;
  }
}
