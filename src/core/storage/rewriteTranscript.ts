import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { copyAttributes, type FileIdentity, fileIdentity, isSameFile, isSameIdentity } from './fileAttributes';
import { ChunkWriter, readChunks, writeFully } from './fileBytes';
import { claimBackupName } from './backupNames';
import { type LiveGuard, type OpenTranscript, withTranscript, type WriteDeps } from './openTranscript';
import { errorCode, errorName, PROBLEMS, Refusal, type Refused } from './refusal';
import { isSplicedCopy, type Splice, Splicer } from './splice';
import { appendLateBytes, keptOriginalPath, unfinishedPath } from './staleFiles';
import {
  CANNOT_LINK,
  closeQuietly,
  createHidden,
  type FileStat,
  type OpenFile,
  type ReadableFile,
  removeQuietly,
  syncFolder,
  type WriteFs,
} from './writeFs';

export interface RewriteRequest {
  readonly filePath: string;
  /** The transcript for which the splices were planned. */
  readonly expected: FileIdentity;
  readonly splices: readonly Splice[];
  /** Called at the start and again just before the swap. */
  readonly assertNotLive: LiveGuard;
  /** The caller's check that the content is as planned: a simulation on the file at `path`. */
  readonly verify: (path: string) => Promise<boolean>;
}

export interface Written {
  readonly kind: 'written';
  /** Holds the original transcript, byte for byte. */
  readonly backupPath: string;
  readonly identity: FileIdentity;
  /** One sentence to show if rows that arrived during the swap are kept elsewhere; usually null. */
  readonly warning: string | null;
}

export type RewriteOutcome = Written | Refused;

/**
 * Changes only the spliced bytes of a transcript, keeps its mode and mtime, and keeps a backup. Never rejects: if it
 * refuses, the transcript is unchanged and no file is left beside it.
 */
export async function rewriteTranscript(request: RewriteRequest, deps: WriteDeps): Promise<RewriteOutcome> {
  return withTranscript(resolve(request.filePath), request.assertNotLive, deps, (transcript) =>
    rewrite(transcript, request, deps),
  );
}

async function rewrite(transcript: OpenTranscript, request: RewriteRequest, deps: WriteDeps): Promise<Written> {
  const { file, identity } = transcript;
  if (!isSameIdentity(identity, request.expected)) {
    const problem = transcript.hasRecoveredRows
      ? 'Rows that an interrupted repair had set aside were put back first. Scan the session and try again.'
      : PROBLEMS.changed;
    throw new Refusal('changed-while-repairing', problem);
  }
  const splicer = splicerFor(request.splices, identity.size);
  const token = deps.random();
  const backup = await createBackup(transcript, token, deps);
  try {
    const { identity: written, warning } = await replaceTranscript(
      transcript,
      {
        async write(writer) {
          for await (const chunk of readChunks(file, 0, identity.size)) {
            for (const bytes of splicer.push(chunk)) await writer.write(bytes);
          }
          for (const bytes of splicer.end()) await writer.write(bytes);
        },
        isAsIntended: (copy) => isSplicedCopy({ file: backup.file, size: identity.size }, copy, request.splices),
        verify: request.verify,
        assertNotLive: request.assertNotLive,
        times: transcript.stat,
      },
      token,
      deps,
    );
    return { kind: 'written', backupPath: backup.path, identity: written, warning };
  } catch (error) {
    await removeQuietly(backup.path, deps.fs);
    throw error;
  } finally {
    await closeQuietly(backup.file);
  }
}

function splicerFor(splices: readonly Splice[], size: number): Splicer {
  try {
    const last = splices.at(-1);
    if (last !== undefined && last.offset + last.length > size) throw new RangeError('Failed to splice beyond the end');
    return new Splicer(splices);
  } catch (error) {
    throw new Refusal('not-repairable', 'The planned edits do not fit this transcript, so nothing was changed.', {
      cause: error,
    });
  }
}

/** The content that replaces a transcript. */
export interface Replacement {
  readonly write: (writer: ChunkWriter) => Promise<void>;
  /** Reads the written file back and compares it with the intended content. */
  readonly isAsIntended: (written: ReadableFile) => Promise<boolean>;
  /** The caller's own check of the file under its hidden name. */
  readonly verify: (path: string) => Promise<boolean>;
  readonly assertNotLive: LiveGuard;
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
 * between the last check and the rename directly after it. A running client does so, hence `assertNotLive`.
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
    replaced = await swap(transcript, { file: written, path, identity }, replacement.assertNotLive, token, fs);
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
  assertNotLive: LiveGuard,
  token: string,
  fs: WriteFs,
): Promise<ReplacedFile> {
  const { filePath, identity } = transcript;
  await assertNotLive();
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

/**
 * Copies the transcript byte for byte to `<file>.backup-<ms>`, with its mode and times, and proves the copy by reading
 * it back. The copy gets its name when it is complete, so a file with such a name always holds a whole transcript.
 * Throws and leaves nothing behind on failure. The caller must close the file.
 */
async function createBackup(
  transcript: OpenTranscript,
  token: string,
  deps: WriteDeps,
): Promise<{ readonly path: string; readonly file: OpenFile }> {
  const { fs } = deps;
  const hiddenPath = unfinishedPath(transcript.filePath, `${token}-backup`);
  const file = await createHidden(hiddenPath, fs);
  let claimed: string | null = null;
  try {
    const copied = createHash('sha256');
    for await (const chunk of readChunks(transcript.file, 0, transcript.identity.size)) {
      copied.update(chunk);
      await writeFully(file, chunk);
    }
    if (!isSameIdentity(fileIdentity(await transcript.file.stat()), transcript.identity)) {
      throw new Refusal('changed-while-repairing', PROBLEMS.changed);
    }
    await copyAttributes(file, transcript.stat, transcript.stat);
    await file.sync();
    if ((await digest(file, transcript.identity.size)) !== copied.digest('hex')) {
      throw new Refusal(
        'write-failed',
        'The backup does not read back as it was written, so the repair was not begun.',
      );
    }
    claimed = await claimBackupName(transcript.filePath, deps.now, fs);
    await fs.rename(hiddenPath, claimed);
    return { path: claimed, file };
  } catch (error) {
    await closeQuietly(file);
    await removeQuietly(hiddenPath, fs);
    if (claimed !== null) await removeQuietly(claimed, fs);
    throw error;
  }
}

async function digest(file: ReadableFile, size: number): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readChunks(file, 0, size)) hash.update(chunk);
  return hash.digest('hex');
}
