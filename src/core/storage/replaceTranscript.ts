import { dirname } from 'node:path';
import { CANNOT_LINK, createHidden, syncFolder } from './backups';
import { copyAttributes, fileIdentity, type FileIdentity, isSameFile, isSameIdentity } from './fileAttributes';
import { ChunkWriter, readChunks, writeFully } from './fileBytes';
import type { OpenTranscript, WriteDeps } from './openTranscript';
import { errorCode, errorName, PROBLEMS, Refusal } from './refusal';
import { appendLateBytes, closeQuietly, keptOriginalPath, removeQuietly, unfinishedPath } from './staleFiles';
import type { FileStat, OpenFile, ReadableFile, WriteFs } from './writeFs';

/** The content that replaces a transcript. */
export interface Replacement {
  readonly write: (writer: ChunkWriter) => Promise<void>;
  /** Reads the written file back and compares it with the intended content. */
  readonly isAsIntended: (written: ReadableFile) => Promise<boolean>;
  /** The caller's own check of the file under its hidden name. */
  readonly verify: (path: string) => Promise<boolean>;
  readonly isLive: () => Promise<boolean>;
  /** The file gets the times of this one. */
  readonly times: FileStat;
}

export interface Replaced {
  /** Identity of the file at the transcript's path. */
  readonly identity: FileIdentity;
  /** One sentence to show if rows that arrived during the swap could not be transferred; usually null. */
  readonly warning: string | null;
  /** The swap survives a power failure. */
  readonly isDurable: boolean;
}

/**
 * Replaces the transcript's content by a rename, so that its path holds either all of the previous or all of the
 * replacing bytes at any moment. Throws only before the rename, and then leaves nothing behind. After the rename, only
 * the transfer of rows that a client appended during the swap can fail, and those rows stay on disk.
 *
 * A transcript with several hard links is replaced, too: the other names keep the previous bytes. Snapshots that link
 * unchanged files (`cp -al`, `rsync --link-dest`) rely on that.
 *
 * One race remains that no portable call prevents: another program may itself replace the transcript with another file
 * between the last check and the rename directly after it. A running client does so, hence `isLive`.
 */
export async function replaceTranscript(
  transcript: OpenTranscript,
  replacement: Replacement,
  token: string,
  deps: WriteDeps,
): Promise<Replaced> {
  const { filePath, stat } = transcript;
  const { fs } = deps;
  const path = unfinishedPath(filePath, token);
  const written = await createHidden(path, fs);
  let replaced: ReplacedFile;
  let identity: FileIdentity;
  try {
    const writer = new ChunkWriter(written);
    await replacement.write(writer);
    await writer.flush();
    await copyAttributes(written, stat, replacement.times);
    await written.sync();
    if (!(await replacement.isAsIntended(written))) {
      throw new Refusal(
        'write-failed',
        'What was written does not read back as it should, so the transcript was left as it was.',
      );
    }
    if (!(await replacement.verify(path))) {
      throw new Refusal(
        'not-repairable',
        'Claude would not load the session better after this repair, so nothing was changed.',
      );
    }
    identity = fileIdentity(await written.stat());
    replaced = await swap(transcript, { file: written, path, identity }, replacement.isLive, token, fs);
  } catch (error) {
    await closeQuietly(written);
    await removeQuietly(path, fs);
    throw error;
  }
  const isDurable = await syncFolder(dirname(filePath), fs);
  const warning = await mergeLateAppends(replaced, written, filePath, fs);
  const settled = await written.stat().catch(() => null);
  await closeQuietly(written);
  return { identity: settled === null ? identity : fileIdentity(settled), warning, isDurable };
}

interface WrittenFile {
  readonly file: OpenFile;
  readonly path: string;
  readonly identity: FileIdentity;
}

/** Makes the last checks and renames. Throws only if the transcript was not replaced. */
async function swap(
  transcript: OpenTranscript,
  written: WrittenFile,
  isLive: () => Promise<boolean>,
  token: string,
  fs: WriteFs,
): Promise<ReplacedFile> {
  const { filePath, identity } = transcript;
  if (await isLive()) throw new Refusal('live', PROBLEMS.live);
  const { size, mtimeNs } = identity;
  const kept = keptOriginalPath(filePath, token, { size, mtimeNs, replacedBySize: written.identity.size });
  const keptPath = (await keepName(filePath, kept, fs)) ? kept : null;
  try {
    // Windows cannot rename over an open file. The previous file can be opened again under its kept name.
    if (keptPath !== null) await closeQuietly(transcript.file);
    if (transcript.lock.isLost()) throw new Refusal('locked', PROBLEMS.locked);
    const current = await fs.lstat(filePath).catch(throwChangedIfMissing);
    if (!isSameIdentity(fileIdentity(current), identity))
      throw new Refusal('changed-while-repairing', PROBLEMS.changed);
    await rename(written, filePath, fs);
  } catch (error) {
    if (keptPath !== null) await removeQuietly(keptPath, fs);
    throw error;
  }
  return { keptPath, file: transcript.file, identity };
}

/** On a network file system, a rename may succeed although its response is lost, so the path is checked. */
async function rename(written: WrittenFile, filePath: string, fs: WriteFs): Promise<void> {
  try {
    await fs.rename(written.path, filePath);
  } catch (error) {
    const current = await fs.lstat(filePath).catch(() => null);
    if (current === null || !isSameFile(current, written.identity)) throw error;
  }
}

/**
 * Gives the transcript a second name, so that rows that a client appends during the swap stay on disk even if this
 * process dies. This takes no disk space. False if the file system has no hard links.
 */
async function keepName(filePath: string, keptPath: string, fs: WriteFs): Promise<boolean> {
  try {
    await fs.link(filePath, keptPath);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (code === 'ENOENT') throw new Refusal('changed-while-repairing', PROBLEMS.changed, { cause: error });
    if (code !== 'EEXIST') await removeQuietly(keptPath, fs);
    if (!CANNOT_LINK.includes(code)) throw error;
    return false;
  }
}

function throwChangedIfMissing(error: unknown): never {
  if (errorCode(error) === 'ENOENT') throw new Refusal('changed-while-repairing', PROBLEMS.changed, { cause: error });
  throw error;
}

/** The file that was at the transcript's path until the swap. */
interface ReplacedFile {
  /** Its second name, or null if the file system has no hard links: then `file` is open and the only access to it. */
  readonly keptPath: string | null;
  readonly file: ReadableFile;
  /** Its identity just before the swap. */
  readonly identity: FileIdentity;
}

/**
 * Transfers what a client appended to the replaced file between the last check and the swap, then closes and removes
 * that file. Never rejects. If something could not be transferred, returns a sentence to show that says where it is.
 */
async function mergeLateAppends(
  replaced: ReplacedFile,
  transcript: OpenFile,
  filePath: string,
  fs: WriteFs,
): Promise<string | null> {
  const { keptPath } = replaced;
  if (keptPath === null) return settleWithoutName(replaced, transcript, filePath, fs);
  try {
    const file = await fs.open(keptPath, 'read');
    try {
      const warning = await settle(file, replaced.identity, transcript, filePath, keptPath, fs);
      if (warning !== null) return warning;
      // Removed while it is still open, so that nothing happens between the last check and its removal.
      await removeQuietly(keptPath, fs);
      return null;
    } finally {
      await closeQuietly(file);
    }
  } catch (error) {
    return `Rows that Claude wrote during the swap, if any, are kept in ${keptPath} and put back by the next repair (${errorName(error)}).`;
  }
}

async function settle(
  file: ReadableFile,
  before: FileIdentity,
  transcript: OpenFile,
  filePath: string,
  keptPath: string,
  fs: WriteFs,
): Promise<string | null> {
  const { appended, last } = await appendLateBytes(file, before.size, transcript);
  if (appended > 0) {
    const current = await fs.lstat(filePath);
    return isSameFile(current, await transcript.stat())
      ? null
      : `The transcript was replaced again during the swap; rows that Claude wrote in that moment are kept in ${keptPath}.`;
  }
  return Number(last.size) === before.size && last.mtimeNs === before.mtimeNs
    ? null
    : `The transcript was changed during the swap; that version is kept in ${keptPath}.`;
}

async function settleWithoutName(
  replaced: ReplacedFile,
  transcript: OpenFile,
  filePath: string,
  fs: WriteFs,
): Promise<string | null> {
  try {
    await appendLateBytes(replaced.file, replaced.identity.size, transcript);
    return null;
  } catch (error) {
    const rescuePath = `${filePath}.late-rows-${String(replaced.identity.ino)}`;
    const isSaved = await saveLateBytes(replaced, rescuePath, fs);
    return isSaved
      ? `Rows that Claude wrote during the swap are kept in ${rescuePath} (${errorName(error)}).`
      : `Rows that Claude wrote during the swap could not be brought over (${errorName(error)}).`;
  }
}

/** Writes rows that cannot be appended to a separate file; returns whether that succeeded. */
async function saveLateBytes(replaced: ReplacedFile, path: string, fs: WriteFs): Promise<boolean> {
  try {
    const rescue = await fs.open(path, 'create');
    try {
      const { size } = fileIdentity(await replaced.file.stat());
      for await (const chunk of readChunks(replaced.file, replaced.identity.size, size))
        await writeFully(rescue, chunk);
      await rescue.sync();
    } finally {
      await closeQuietly(rescue);
    }
    return true;
  } catch {
    return false;
  }
}
