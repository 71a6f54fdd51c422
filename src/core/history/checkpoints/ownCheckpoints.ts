import { projectsFolderOf, transcriptNameOf } from '../../providers/claude/format/paths';
import { basename, join } from 'node:path';
import { ownContentPath } from '../../storage/store/keepContent';
import type { WriteFs } from '../../storage/writeFs';
import type { OwnCheckpoint, OwnCheckpoints, OwnFileState } from '../rewind/ownCheckpoints';
import { CheckpointStore, type StoreDeps } from './checkpointStore';
import { readOrigin, readInheritedRows } from './readOrigin';
import { sessionPaths, storeLayout } from './storeLayout';
import type { StoredCheckpoint, StoredState } from './storedRow';
import { readLines } from './transcriptLines';
import { TurnFinder } from './turnFinder';

/** Maximum number of forks that are followed from a session to the sessions from which it was forked. */
const MAX_FORKS = 32;

/**
 * Reads Rethread's own checkpoints for a rewind. If the hook could not determine the prompt of a call, the prompt is
 * looked up in the transcript. A fork also has the checkpoints of the sessions from which it was forked, up to the
 * fork.
 */
export function createOwnCheckpoints(deps: StoreDeps): OwnCheckpoints {
  const store = new CheckpointStore(deps);

  const readOf = async (sessionId: string, forks: number): Promise<readonly OwnCheckpoint[]> => {
    const kept = await store.checkpoints(sessionId);
    const transcriptPath = await findTranscript(sessionId, kept, deps);
    const own = await withPrompts(kept, transcriptPath, deps.fs);
    const { content } = sessionPaths(storeLayout(deps.configDir()), sessionId);
    const checkpoints = own.map((checkpoint) => toOwnCheckpoint(checkpoint, content.own));
    if (transcriptPath === null || forks > MAX_FORKS) return checkpoints;
    return [...(await inherited(sessionId, transcriptPath, forks)), ...checkpoints];
  };

  /** The checkpoints of the session from which a fork was made, for the rows that the fork took over. */
  const inherited = async (
    sessionId: string,
    transcriptPath: string,
    forks: number,
  ): Promise<readonly OwnCheckpoint[]> => {
    const origin = await readOrigin(transcriptPath, deps.fs);
    const known = origin === null || origin === sessionId ? [] : await readOf(origin, forks + 1);
    if (known.length === 0) return [];
    const { prompts, endMs } = await readInheritedRows(transcriptPath, deps.fs);
    return known.filter(({ promptUuid, timeMs }) => promptUuid !== null && prompts.has(promptUuid) && timeMs <= endMs);
  };

  return {
    async read(sessionId) {
      const checkpoints = await readOf(sessionId, 0);
      return checkpoints.toSorted((a, b) => a.timeMs - b.timeMs);
    },
  };
}

async function withPrompts(
  checkpoints: readonly StoredCheckpoint[],
  transcriptPath: string | null,
  fs: WriteFs,
): Promise<readonly StoredCheckpoint[]> {
  if (transcriptPath === null || checkpoints.every(({ promptUuid }) => promptUuid !== null)) return checkpoints;
  const finder = new TurnFinder();
  try {
    await readLines(transcriptPath, Infinity, finder.addLine, fs);
  } catch {
    // The rewind reads the transcript as well, and reports the error.
    return checkpoints;
  }
  return checkpoints.map((checkpoint) => ({
    ...checkpoint,
    promptUuid: checkpoint.promptUuid ?? finder.find(checkpoint),
  }));
}

/**
 * Path of the session's transcript: where the hook saw it, or in any project's folder if it was moved. Null if there is
 * none.
 */
async function findTranscript(
  sessionId: string,
  kept: readonly StoredCheckpoint[],
  { configDir, fs }: StoreDeps,
): Promise<string | null> {
  const name = transcriptNameOf(sessionId);
  // The id comes from outside and must not be used as a path.
  if (basename(name) !== name || name.includes('\\')) return null;
  const seen = new Set(kept.map(({ transcriptPath }) => transcriptPath).reverse());
  const projects = projectsFolderOf(configDir());
  for (const path of seen) if (path !== null && basename(path) === name && (await isFile(path, fs))) return path;
  for (const project of await fs.readdir(projects).catch(() => [])) {
    const path = join(projects, project, name);
    if (await isFile(path, fs)) return path;
  }
  return null;
}

async function isFile(path: string, fs: WriteFs): Promise<boolean> {
  return fs.lstat(path).then(
    (stat) => stat.isFile(),
    () => false,
  );
}

function toOwnCheckpoint({ promptUuid, toolUseId, timeMs, files }: StoredCheckpoint, own: string): OwnCheckpoint {
  return {
    promptUuid,
    toolUseId,
    timeMs,
    files: files.map(({ path, realFolder, state }) => ({ path, realFolder, state: toOwnState(state, own) })),
  };
}

function toOwnState(state: StoredState, own: string): OwnFileState {
  return state.kind === 'file' ? { ...state, contentPath: ownContentPath(own, state.sha256) } : state;
}
