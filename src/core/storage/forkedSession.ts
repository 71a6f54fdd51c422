import type { JsonObject } from '../util/json';
import { ChunkWriter } from './fileBytes';
import { errorCode } from './refusal';
import { closeQuietly } from './staleFiles';
import { firstRow } from './store/appendRow';
import { type ContentFolders, keepContent, type KeepDeps, ownContentPath } from './store/keepContent';
import { makePrivateFolder } from './store/privateFolder';
import type { WriteFs } from './writeFs';

/** What a forked session of ours begins with. */
export interface ForkedContent {
  readonly messages: readonly JsonObject[];
  readonly checkpoints: readonly JsonObject[];
  /** SHA-256 in hex of the copies of files that the checkpoints name. */
  readonly hashes: ReadonlySet<string>;
  /** Where the source has them. */
  readonly copies: ContentFolders;
}

/** Where it is written: absolute paths of the files of rows, and the folder of the copies. */
export interface ForkedPlace {
  readonly messages: string;
  readonly checkpoints: string;
  readonly content: ContentFolders;
}

/**
 * Writes what a fork begins with into a folder that nobody sees yet. Copies of files are shared, not made again. Parked,
 * as the session store that calls it. Rejects with Node's error.
 */
export async function writeForkedSession(content: ForkedContent, target: ForkedPlace, deps: KeepDeps): Promise<void> {
  const { messages, checkpoints, hashes, copies } = content;
  if (messages.length > 0) await writeRows(target.messages, 'messages', messages, deps.fs);
  if (checkpoints.length === 0) return;
  await makePrivateFolder(target.content.own, deps.fs);
  for (const sha256 of hashes) await shareOrCopy(sha256, copies, target.content, deps);
  await writeRows(target.checkpoints, 'checkpoints', checkpoints, deps.fs);
}

/** Makes a file as if the rows had been appended one by one. Rejects with Node's error, also when there is such a file. */
export async function writeRows(path: string, kind: string, rows: readonly JsonObject[], fs: WriteFs): Promise<void> {
  const file = await fs.open(path, 'create');
  try {
    const writer = new ChunkWriter(file);
    await writer.write(Buffer.from(JSON.stringify(firstRow(kind))));
    for (const row of rows) await writer.write(Buffer.from(`\n${JSON.stringify(row)}`));
    await writer.flush();
  } finally {
    await closeQuietly(file);
  }
}

async function shareOrCopy(sha256: string, from: ContentFolders, to: ContentFolders, deps: KeepDeps): Promise<void> {
  const original = ownContentPath(from.own, sha256);
  try {
    await deps.fs.link(original, ownContentPath(to.own, sha256));
  } catch (error) {
    // It is gone: a rewind of the fork says what is missing, as one of the source does.
    if (errorCode(error) === 'ENOENT') return;
    const file = await deps.fs.open(original, 'read');
    try {
      await keepContent(file, to, deps);
    } finally {
      await closeQuietly(file);
    }
  }
}
