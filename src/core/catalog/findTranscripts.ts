import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import fastGlob from 'fast-glob';

/** A transcript on disk, before its rows were read. */
export interface FoundTranscript {
  readonly filePath: string;
  readonly sessionId: string;
  /** Absolute path of the folder that holds the transcript. */
  readonly projectFolder: string;
}

/**
 * Subagents of client 2.0.x lie beside the sessions, later ones in a folder of their own; `history.jsonl` holds the
 * prompts of all sessions. None is a session.
 */
const NOT_SESSIONS = ['**/agent-*.jsonl', '**/subagents/**', '**/history.jsonl'];

/**
 * The transcripts below the paths, each once, in the order of the paths. A file stands for itself; a config folder for
 * the sessions of its projects; any other folder for all transcripts below it. What cannot be listed is yielded as it
 * is, so that its scan says why.
 */
export async function* findTranscripts(
  paths: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<FoundTranscript> {
  const seen = new Set<string>();
  for (const path of paths.map((each) => resolve(each))) {
    for await (const filePath of transcriptsAt(path)) {
      signal?.throwIfAborted();
      if (seen.has(filePath)) continue;
      seen.add(filePath);
      yield { filePath, sessionId: basename(filePath, '.jsonl'), projectFolder: dirname(filePath) };
    }
  }
}

async function* transcriptsAt(path: string): AsyncGenerator<string> {
  // A folder in a transcript's place is no project: its scan says what it is.
  if (path.endsWith('.jsonl') || !(await isFolder(path))) {
    yield path;
    return;
  }
  const projects = join(path, 'projects');
  if (!(await isFolder(projects))) {
    yield* glob(path, '**/*.jsonl');
    return;
  }
  // Each project on its own: one that may not be listed must not hide the others.
  for await (const project of listed(projects, fastGlob.stream('*', { ...options(projects), onlyDirectories: true }))) {
    if (await isFolder(project)) yield* glob(project, '*.jsonl');
    else yield project;
  }
}

function glob(folder: string, pattern: string): AsyncGenerator<string> {
  return listed(folder, fastGlob.stream(pattern, { ...options(folder), ignore: NOT_SESSIONS }));
}

function options(folder: string): fastGlob.Options {
  return {
    cwd: folder,
    absolute: true,
    dot: true,
    onlyFiles: false,
    followSymbolicLinks: false,
    caseSensitiveMatch: true,
  };
}

/** The paths of a stream; the folder itself when it cannot be listed. */
async function* listed(folder: string, stream: NodeJS.ReadableStream): AsyncGenerator<string> {
  try {
    for await (const path of stream) yield resolve(String(path));
  } catch {
    yield folder;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(await realpath(path))).isDirectory();
  } catch {
    return false;
  }
}
