import { fileIdentity, type FileIdentity, isSameFile } from './fileAttributes';
import { readChunks, writeFully } from './fileBytes';
import { errorName } from './refusal';
import { appendLateBytes, closeQuietly, removeQuietly } from './staleFiles';
import type { OpenFile, ReadableFile, WriteFs } from './writeFs';

/** The file that was at the transcript's path until the swap. */
export interface ReplacedFile {
  /** Its second name, or null if the file system has no hard links: then `file` is open and the only access to it. */
  readonly keptPath: string | null;
  readonly file: ReadableFile;
  /** Its identity just before the swap. */
  readonly identity: FileIdentity;
}

/**
 * Transfers what a client appended to the replaced file between the last check and the swap, then closes and removes that file.
 * Never rejects. If something could not be transferred, returns a sentence to show that says where it is.
 */
export async function mergeLateAppends(
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
