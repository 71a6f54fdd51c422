import { errorCode } from '../../storage/refusal';
import { closeQuietly } from '../../storage/staleFiles';
import { type ContentFolders, keepContent, type KeepDeps, ownContentPath } from '../../storage/store/keepContent';
import { makePrivateFolder } from '../../storage/store/privateFolder';
import { writeRows } from '../../storage/store/writeRows';
import type { SessionPaths } from './storeLayout';
import { messageRow, type StoredCheckpoint, type StoredMessage } from './storedRow';

export interface SessionContent {
  readonly messages: readonly StoredMessage[];
  readonly checkpoints: readonly StoredCheckpoint[];
  readonly content: ContentFolders;
}

/** Writes what a fork begins with into a folder that nobody sees yet. Copies of files are shared, not made again. */
export async function copySession(source: SessionContent, target: SessionPaths, deps: KeepDeps): Promise<void> {
  const { messages, checkpoints } = source;
  const rows = messages.map((message) => messageRow({ ...message, after: null }));
  if (rows.length > 0) await writeRows(target.messages, 'messages', rows, deps.fs);
  if (checkpoints.length === 0) return;
  await makePrivateFolder(target.content.own, deps.fs);
  for (const sha256 of keptHashes(checkpoints)) await shareOrCopy(sha256, source.content, target.content, deps);
  await writeRows(
    target.checkpoints,
    'checkpoints',
    checkpoints.map((checkpoint) => ({ ...checkpoint })),
    deps.fs,
  );
}

function keptHashes(checkpoints: readonly StoredCheckpoint[]): ReadonlySet<string> {
  const states = checkpoints.flatMap(({ files }) => files.map(({ state }) => state));
  return new Set(states.flatMap((state) => (state.kind === 'file' ? [state.sha256] : [])));
}

async function shareOrCopy(sha256: string, from: ContentFolders, to: ContentFolders, deps: KeepDeps): Promise<void> {
  const original = ownContentPath(from.own, sha256);
  try {
    await deps.fs.link(original, ownContentPath(to.own, sha256));
  } catch (error) {
    // Gone: whoever rewinds the fork is told what is missing, as with the source.
    if (errorCode(error) === 'ENOENT') return;
    const file = await deps.fs.open(original, 'read');
    try {
      await keepContent(file, to, deps);
    } finally {
      await closeQuietly(file);
    }
  }
}
