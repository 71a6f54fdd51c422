import type { JsonObject } from '../util/json';
import { ChunkWriter } from './fileBytes';
import { errorCode } from './refusal';
import { firstRow } from './store/appendRow';
import { type ContentFolders, keepContent, type KeepDeps, ownContentPath } from './store/keepContent';
import { makePrivateFolder } from './store/privateFolder';
import { closeQuietly, type WriteFs } from './writeFs';

/** The initial content of a forked session in the extension's session store. */
export interface ForkedContent {
  readonly messages: readonly JsonObject[];
  readonly checkpoints: readonly JsonObject[];
  /** Hex SHA-256 of the file copies that the checkpoints refer to. */
  readonly hashes: ReadonlySet<string>;
  /** The source's folders of these copies. */
  readonly copies: ContentFolders;
}

/** The target: absolute paths of the row files, and the folders of the copies. */
export interface ForkedPlace {
  readonly messages: string;
  readonly checkpoints: string;
  readonly content: ContentFolders;
}

/**
 * Writes the initial content of a fork into a folder that is not visible to others yet. File copies are shared by
 * links, not duplicated. Parked, like the session store that calls it. Rejects with Node's error.
 */
export async function writeForkedSession(content: ForkedContent, target: ForkedPlace, deps: KeepDeps): Promise<void> {
  const { messages, checkpoints, hashes, copies } = content;
  if (messages.length > 0) await writeRows(target.messages, 'messages', messages, deps.fs);
  if (checkpoints.length === 0) return;
  await makePrivateFolder(target.content.own, deps.fs);
  for (const sha256 of hashes) await shareOrCopy(sha256, copies, target.content, deps);
  await writeRows(target.checkpoints, 'checkpoints', checkpoints, deps.fs);
}

/** Writes a file as if the rows had been appended one by one. Rejects with Node's error, also if the file exists. */
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
    // The copy is gone: a rewind of the fork reports what is missing, as a rewind of the source does.
    if (errorCode(error) === 'ENOENT') return;
    const file = await deps.fs.open(original, 'read');
    try {
      await keepContent({ path: original, file }, to, deps);
    } finally {
      await closeQuietly(file);
    }
  }
}
