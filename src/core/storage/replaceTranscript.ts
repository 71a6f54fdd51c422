import { dirname } from 'node:path';
import { CANNOT_LINK, createHidden, syncFolder } from './backups';
import { copyAttributes, fileIdentity, type FileIdentity, isSameFile, isSameIdentity } from './fileAttributes';
import { ChunkWriter } from './fileBytes';
import { type ReplacedFile, mergeLateAppends } from './mergeLateAppends';
import type { OpenTranscript, WriteDeps } from './openTranscript';
import { errorCode, PROBLEMS, Refusal } from './refusal';
import { closeQuietly, keptOriginalPath, removeQuietly, unfinishedPath } from './staleFiles';
import type { FileStat, OpenFile, ReadableFile, WriteFs } from './writeFs';

/** The content that takes a transcript's place. */
export interface Replacement {
  readonly write: (writer: ChunkWriter) => Promise<void>;
  /** Reads the written file back and compares it with what was meant. */
  readonly isAsMeant: (written: ReadableFile) => Promise<boolean>;
  /** The caller's own proof, on the file under its hidden name. */
  readonly verify: (path: string) => Promise<boolean>;
  readonly isLive: () => Promise<boolean>;
  /** Whose times the file gets. */
  readonly times: FileStat;
}

export interface Replaced {
  /** Of the file that lies at the transcript's path. */
  readonly identity: FileIdentity;
  /** One sentence for people when rows that arrived during the swap could not be brought over; null as a rule. */
  readonly warning: string | null;
  /** The swap survives a power cut. */
  readonly isDurable: boolean;
}

/**
 * Puts new content in the transcript's place by a rename, so that its path holds all of the old or all of the new bytes
 * at every moment. Throws only before the rename, and leaves nothing behind then; after it nothing can fail any more
 * but bringing over rows that a client appended in the moment of the swap, and those stay on the disk.
 *
 * A transcript with further hard links is replaced too: the other names keep the bytes from before, which is what the
 * snapshots that link unchanged files (`cp -al`, `rsync --link-dest`) are for.
 *
 * What no portable call prevents: another program that itself puts a new file in place of the transcript between the
 * last look at it and the rename, which follow each other directly. A running client does such a thing, hence `isLive`.
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
    if (!(await replacement.isAsMeant(written))) {
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

/** The last checks and the rename. Throws only when the transcript was not replaced. */
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
    // Windows does not rename over an open file; under its kept name the old one can be opened again.
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

/** Over a network a rename may happen and its answer get lost: the path tells. */
async function rename(written: WrittenFile, filePath: string, fs: WriteFs): Promise<void> {
  try {
    await fs.rename(written.path, filePath);
  } catch (error) {
    const current = await fs.lstat(filePath).catch(() => null);
    if (current === null || !isSameFile(current, written.identity)) throw error;
  }
}

/**
 * Gives the transcript a second name, so that rows which a client appends in the moment of the swap stay on the disk
 * even when this process dies. It costs no space. False where the file system has no second names.
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
