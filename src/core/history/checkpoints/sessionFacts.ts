import { basename } from 'node:path';
import { CHUNK_BYTES, readFully } from '../../storage/fileBytes';
import { errorCode } from '../../storage/refusal';
import { closeQuietly } from '../../storage/staleFiles';
import { createSessionFolder, type FolderDeps, writeFirstFile } from '../../storage/store/sessionFolder';
import type { ReadableFile, WriteFs } from '../../storage/writeFs';
import { type JsonObject, parseObject, stringField } from '../../util/json';
import { readLastRow } from './readRows';
import { idOfFolderName, type SessionPaths } from './storeLayout';
import { numberField } from './storedRow';

/** What is known of a session without reading it. */
export interface SessionFacts {
  readonly id: string;
  /** Working directory; empty when nothing tells. */
  readonly cwd: string;
  readonly model: string | null;
  /** The session that it was forked from; null for any other. */
  readonly parentSessionId: string | null;
  /** Milliseconds since the epoch. */
  readonly createdMs: number;
}

/** What is written of a session once, when it is made. */
function factsRow({ id, cwd, model, parentSessionId, createdMs }: SessionFacts): JsonObject {
  return { rethread: 'session', version: 1, id, cwd, model, parentSessionId, createdMs };
}

/** Makes a session's folder with its facts. False when there is one already. Rejects with Node's error. */
export function createSession(
  paths: SessionPaths,
  facts: SessionFacts,
  deps: FolderDeps,
  fill: (unfinished: string) => Promise<void> = () => Promise.resolve(),
): Promise<boolean> {
  return createSessionFolder(
    paths.folder,
    async (unfinished) => {
      const bytes = Buffer.from(`${JSON.stringify(factsRow(facts))}\n`);
      await writeFirstFile(`${unfinished}/${basename(paths.facts)}`, bytes, deps.fs);
      await fill(unfinished);
    },
    deps,
  );
}

/** Null when there is no such session, or nothing tells its id. Rejects with Node's error when the store cannot be read. */
export async function readFacts(paths: SessionPaths, fs: WriteFs): Promise<SessionFacts | null> {
  const text = await readSmall(paths.facts, fs);
  if (text === null && (await fs.lstat(paths.folder).catch(() => null)) === null) return null;
  const row = parseObject(text ?? '') ?? {};
  const id = stringField(row, 'id') ?? idOfFolderName(basename(paths.folder));
  if (id === null) return null;
  return {
    id,
    cwd: stringField(row, 'cwd') ?? '',
    model: stringField(row, 'model'),
    parentSessionId: stringField(row, 'parentSessionId'),
    createdMs: numberField(row, 'createdMs') ?? 0,
  };
}

/** When something was last kept of the session, in milliseconds since the epoch. */
export async function readUpdatedMs(paths: SessionPaths, facts: SessionFacts, fs: WriteFs): Promise<number> {
  const last = await Promise.all([paths.messages, paths.checkpoints].map((path) => readLastRow(path, fs)));
  return Math.max(facts.createdMs, ...last.map((row) => numberField(row ?? {}, 'timeMs') ?? 0));
}

/** The first bytes of a file, which is all of one as short as this; null when there is none. */
async function readSmall(path: string, fs: WriteFs): Promise<string | null> {
  let file: ReadableFile;
  try {
    file = await fs.open(path, 'read');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return null;
    throw error;
  }
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    return buffer.toString('utf8', 0, await readFully(file, buffer, 0));
  } finally {
    await closeQuietly(file);
  }
}
