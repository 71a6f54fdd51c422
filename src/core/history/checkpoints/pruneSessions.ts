import { isTranscriptName, projectsFolderOf } from '../../providers/claude/format/paths';
import { findTranscripts } from '../../providers/claude/files/findTranscripts';
import { appendToLog } from '../../storage/store/appendToLog';
import { isGone } from '../../storage/writeFs';
import { CheckpointStore, type ListedSession, type StoreDeps } from './checkpointStore';
import { originOf } from './readOrigin';
import { readLastRow } from './readRows';
import { sessionPaths, storeLayout } from './storeLayout';
import { numberField } from './storedRow';

const DAY_MS = 24 * 60 * 60 * 1000;
/** After its last checkpoint. Claude Code keeps what belongs to a session for as long, unless its settings say otherwise. */
const KEPT_MS = 30 * DAY_MS;

/**
 * Removes the checkpoints that nobody can rewind to any more: those that the hook took 30 days ago and longer, for sessions
 * whose transcript is gone and of which no fork is left. What a program keeps in the store by itself stays, and so does
 * everything when it cannot be told what is gone. Looks once a day. Rejects with Node's error, or a StoreError.
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

/** Sessions that have a transcript, or a fork that has one; null when one of them cannot be looked at. */
async function neededSessions({ configDir, fs }: StoreDeps): Promise<ReadonlySet<string> | null> {
  const needed = new Set<string>();
  try {
    // A folder that is missing altogether is one that was not mounted, as likely as not.
    await fs.readdir(projectsFolderOf(configDir()));
    for await (const { path: filePath, id: sessionId } of findTranscripts([configDir()])) {
      // A project that cannot be listed stands for itself.
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

/** All of it was kept by the hook, for transcripts that are not where they were. */
async function isOfGoneTranscript({ id }: ListedSession, store: CheckpointStore, deps: StoreDeps): Promise<boolean> {
  const { messages, transcript } = sessionPaths(storeLayout(deps.configDir()), id);
  for (const path of [messages, transcript]) if (!(await isGone(path, deps.fs))) return false;
  const paths = new Set((await store.checkpoints(id)).map(({ transcriptPath }) => transcriptPath));
  for (const path of paths) if (path === null || !(await isGone(path, deps.fs))) return false;
  return paths.size > 0;
}
