import { closeSync, readSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import fastGlob from 'fast-glob';
import {
  isSubagentName,
  isSubagentsFolder,
  PROMPT_HISTORY_NAME,
  projectsFolderOf,
  isTranscriptName,
  RESUME_HEAD_NAME,
  SUBAGENT_GLOB,
  SUBAGENTS_GLOB,
  sessionIdOf,
  subagentsFolderOf,
  TRANSCRIPT_SUFFIX,
  transcriptNameOf,
} from '../providers/claude/format/paths';
import { parseObject, stringField } from '../util/json';
import { assertRegular, openRegularFile } from '../util/openForeignFile';
import type { Pacer } from '../util/scheduling';
import type { UsageFile, UsageStamp } from './usageFiles';

/** A transcript that was found on the disk. */
export interface ListedUsageFile {
  readonly place: UsageFile;
  readonly stamp: UsageStamp;
}

/** Transcripts of subagents are below their session's folder; clients 2.0.x put them beside those of the sessions. */
const IN_PROJECTS = [`*/*${TRANSCRIPT_SUFFIX}`, `*/*/${SUBAGENTS_GLOB}`];
/** Number of bytes in which a subagent's session id is searched: the first row is short and contains it. */
const HEAD_BYTES = 64 * 1024;
const NS_PER_MS = 1_000_000n;

/**
 * Yields the transcripts of sessions and subagents that the paths include, each once, in no particular order. A
 * transcript includes the transcripts of its subagents. A config folder includes those of its projects. Any other
 * folder includes all transcripts below it, but only the subagents' transcripts from the folder of a session. Skips
 * everything in a folder that is not a regular file or cannot be read.
 *
 * Rejects with the file system's error if a path does not exist, with another if it is neither a transcript nor such a folder, and
 * with the signal's reason.
 */
export async function* listUsageFiles(
  paths: readonly string[],
  pacer: Pacer,
  signal?: AbortSignal,
): AsyncGenerator<ListedUsageFile> {
  const seen = new Set<string>();
  for (const path of paths.map((each) => resolve(each))) {
    const stats = await stat(path);
    const isFolder = stats.isDirectory() && !isTranscriptName(path);
    if (!isFolder) assertRegular(stats);
    for await (const filePath of isFolder ? below(path) : withSubagents(path)) {
      signal?.throwIfAborted();
      await pacer.yieldIfDue();
      if (seen.has(filePath) || basename(filePath) === PROMPT_HISTORY_NAME) continue;
      seen.add(filePath);
      const listed = statUsageFile(filePath);
      if (listed === null) continue;
      const isOfOtherSession = !isFolder && listed.place.isAgent && listed.place.sessionId !== sessionIdOf(path);
      if (filePath === path || !isOfOtherSession) yield listed;
    }
  }
}

/** The place and the stamp of a transcript; null if it is not a regular file or cannot be read. */
export function statUsageFile(filePath: string): ListedUsageFile | null {
  try {
    const stats = statSync(filePath, { bigint: true });
    if (!stats.isFile()) return null;
    const { ino, mtimeNs, ctimeNs, birthtimeNs } = stats;
    const firstNs = birthtimeNs < mtimeNs ? birthtimeNs : mtimeNs;
    return {
      place: { ...placeOf(filePath), firstMs: Number(firstNs / NS_PER_MS) },
      stamp: { size: Number(stats.size), mtimeNs, ctimeNs, inode: ino },
    };
  } catch {
    return null;
  }
}

async function* below(folder: string): AsyncGenerator<string> {
  const projects = projectsFolderOf(folder);
  const hasProjects = await isFolder(projects);
  const stream = fastGlob.stream(hasProjects ? IN_PROJECTS : `**/*${TRANSCRIPT_SUFFIX}`, {
    cwd: hasProjects ? projects : folder,
    ignore: [`**/${RESUME_HEAD_NAME}`],
    absolute: true,
    dot: true,
    onlyFiles: false,
    followSymbolicLinks: false,
    caseSensitiveMatch: true,
    suppressErrors: true,
  });
  const sessionFolders = new SessionFolders(folder);
  for await (const entry of stream) {
    const filePath = resolve(String(entry));
    if (hasProjects || !(await sessionFolders.isSideFile(filePath))) yield filePath;
  }
}

async function* withSubagents(filePath: string): AsyncGenerator<string> {
  yield filePath;
  if (isSubagentName(filePath)) return;
  const folder = dirname(filePath);
  const own = `${fastGlob.escapePath(sessionIdOf(filePath))}/${SUBAGENTS_GLOB}`;
  const stream = fastGlob.stream([SUBAGENT_GLOB, own], {
    cwd: folder,
    absolute: true,
    dot: true,
    followSymbolicLinks: false,
    caseSensitiveMatch: true,
    suppressErrors: true,
  });
  for await (const entry of stream) yield resolve(String(entry));
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

function placeOf(filePath: string): Omit<UsageFile, 'firstMs'> {
  const folder = dirname(filePath);
  const name = sessionIdOf(filePath);
  if (!isSubagentName(filePath)) return { filePath, project: folder, sessionId: name, isAgent: false };
  if (isSubagentsFolder(folder)) {
    const session = dirname(folder);
    return { filePath, project: dirname(session), sessionId: basename(session), isAgent: true };
  }
  return { filePath, project: folder, sessionId: sessionNamedIn(filePath) ?? name, isAgent: true };
}

/** The session id in the first rows of a subagent's transcript; null if they contain none. */
function sessionNamedIn(filePath: string): string | null {
  const { file } = openRegularFile(filePath);
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const lines = bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD_BYTES, 0)).split('\n');
    for (const line of lines) {
      const row = parseObject(line);
      const sessionId = row === null ? null : stringField(row, 'sessionId');
      // The id becomes part of a path, so it must not contain a separator.
      if (sessionId !== null && sessionId !== '' && !sessionId.includes(sep)) return sessionId;
    }
    return null;
  } finally {
    closeSync(file);
  }
}

function transcriptOfFolder(folder: string): string {
  return join(dirname(folder), transcriptNameOf(basename(folder)));
}

/** Detects the folders of sessions below a root. Apart from subagents' transcripts, their files are not transcripts. */
class SessionFolders {
  readonly #known = new Map<string, boolean>();

  constructor(private readonly root: string) {}

  /** Whether the file is in the folder of a session and is not a subagent's transcript. */
  async isSideFile(filePath: string): Promise<boolean> {
    const parent = dirname(filePath);
    const isAgent = isSubagentsFolder(parent) && isSubagentName(filePath);
    for (let folder = isAgent ? dirname(dirname(parent)) : parent; folder.length > this.root.length;) {
      if (await this.#isSessions(folder)) return true;
      folder = dirname(folder);
    }
    return false;
  }

  async #isSessions(folder: string): Promise<boolean> {
    const known = this.#known.get(folder);
    if (known !== undefined) return known;
    const isSessions = (await isThere(transcriptOfFolder(folder))) || (await isThere(subagentsFolderOf(folder)));
    this.#known.set(folder, isSessions);
    return isSessions;
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
