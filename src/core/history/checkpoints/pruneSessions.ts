import { isTranscriptName, projectsFolderOf } from '../../providers/claude/format/paths';
import { findTranscripts } from '../../providers/claude/files/findTranscripts';
import { appendToLog } from '../../storage/store/appendRow';
import { isGone } from '../../storage/writeFs';
import { CheckpointStore, type ListedSession, type StoreDeps } from './checkpointStore';
import { originOf } from './readOrigin';
import { readLastRow } from './readRows';
import { sessionPaths, storeLayout } from './storeLayout';
import { numberField } from './storedRow';

const DAY_MS = 24 * 60 * 60 * 1000;
/**
 * Counted from the last checkpoint. Claude Code keeps a session's files for the same time, unless its settings differ.
 */
const KEPT_MS = 30 * DAY_MS;

/**
 * Removes the checkpoints of sessions that can no longer be rewound: the hook took the last one more than 30 days ago,
 * the transcript is gone, and no transcript is a fork of it. Sessions that a program keeps in the store are not
 * removed. If any transcript cannot be read, nothing is removed. Runs at most once a day. Rejects with Node's error or
 * a StoreError.
 *
 * @returns ids of the sessions that were removed
 */
export async function pruneSessions(deps: StoreDeps): Promise<readonly string[]> {
  const { fs, now, random } = deps;
  const log = storeLayout(deps.configDir()).pruned;
  const store = new CheckpointStore(deps);
  const last = await readLastRow(log, fs);
  if (now() - (numberField(last ?? {}, 'timeMs') ?? 0) < DAY_MS) return [];
  const old = (await store.list()).filter(({ updatedMs }) => now() - updatedMs > KEPT_MS);
  const unreachable = old.length === 0 ? [] : await withoutTranscript(old, store, deps);
  const removed = unreachable.length === 0 ? [] : await store.deleteAll(unreachable.map(({ id }) => id));
  await appendToLog(log, 'pruned', { timeMs: now(), removed }, { fs, random });
  return removed;
}

async function withoutTranscript(
  sessions: readonly ListedSession[],
  store: CheckpointStore,
  deps: StoreDeps,
): Promise<readonly ListedSession[]> {
  const needed = await neededSessions(deps);
  if (needed === null) return [];
  const unreachable: ListedSession[] = [];
  for (const session of sessions) {
    if (!needed.has(session.id) && (await isOfGoneTranscript(session, store, deps))) unreachable.push(session);
  }
  return unreachable;
}

/** Ids of the sessions that have a transcript, or a fork with a transcript; null if any transcript cannot be read. */
async function neededSessions({ configDir, fs }: StoreDeps): Promise<ReadonlySet<string> | null> {
  const needed = new Set<string>();
  try {
    // If the projects folder is missing, it may be on a disk that is not mounted.
    await fs.readdir(projectsFolderOf(configDir()));
    for await (const { path: filePath, id: sessionId } of findTranscripts([configDir()])) {
      // A project folder that cannot be listed is reported by its own path.
      if (!isTranscriptName(filePath)) return null;
      needed.add(sessionId);
      const origin = await originOf(filePath, fs);
      if (origin !== null) needed.add(origin);
    }
  } catch {
    return null;
  }
  return needed;
}

/** Whether the hook alone kept the session, and none of the transcripts that it saw exists at its path. */
async function isOfGoneTranscript({ id }: ListedSession, store: CheckpointStore, deps: StoreDeps): Promise<boolean> {
  const { messages, transcript } = sessionPaths(storeLayout(deps.configDir()), id);
  for (const path of [messages, transcript]) if (!(await isGone(path, deps.fs))) return false;
  const paths = new Set((await store.checkpoints(id)).map(({ transcriptPath }) => transcriptPath));
  for (const path of paths) if (path === null || !(await isGone(path, deps.fs))) return false;
  return paths.size > 0;
}
