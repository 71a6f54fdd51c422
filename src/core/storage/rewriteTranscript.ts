import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { copyAttributes, type FileIdentity, fileIdentity, isSameFile, isSameIdentity } from './fileAttributes';
import { ChunkWriter, readChunks, writeFully } from './fileBytes';
import { claimBackupName } from './backupNames';
import { keepBeside, type KeptFile } from './keepBeside';
import { type LiveGuard, type OpenTranscript, withTranscript, type WriteDeps } from './openTranscript';
import { errorCode, errorName, PROBLEMS, Refusal, type Refused } from './refusal';
import { isSplicedCopy, type Splice, Splicer } from './splice';
import { linkInPlace, takeAside } from './files/exchangeFile';
import { appendLateBytes, keptOriginalPath, returnOriginal, unfinishedPath } from './staleFiles';
import {
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
  /** What the splices take out of the transcript and should stay readable; by default nothing. */
  readonly kept?: readonly KeptFile[];
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
  const removeKept = await keepBeside(transcript.filePath, request.kept ?? [], token, deps.fs);
  const backup = await createBackup(transcript, token, deps).catch(async (error: unknown) => {
    await removeKept();
    throw error;
  });
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
    await removeKept();
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
 * Replaces the transcript's content. What stands at its path is first moved to a second name and compared, and the replacing
 * file then comes to the path by a call that fails if something stands there: a file that another program has put there, or
 * taken away, in the last moment is neither overwritten nor brought back. No portable call exchanges two files, so between these
 * two steps nothing stands at the path. A process that dies there leaves both files, and the next one puts the original back.
 *
 * Throws only if the transcript was not replaced, and then leaves nothing behind. After that, only the transfer of rows that a
 * client appended during the swap can fail, and those rows stay on disk.
 *
 * A transcript with several hard links is replaced, too: the other names keep the previous bytes. Snapshots that link
 * unchanged files (`cp -al`, `rsync --link-dest`) rely on that.
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
    await copyAttributes(written, stat, replacement.times, transcript.file);
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
    // Without this file, the next repair would not know that the transcript was taken away from its path.
    if (!(error instanceof LeftAside)) await removeQuietly(path, fs);
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

/** Makes the last checks and the exchange. Throws only if the transcript was not replaced. */
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
  const keptPath = keptOriginalPath(filePath, token, { size, mtimeNs, replacedBySize: written.identity.size });
  // Windows cannot rename an open file.
  await closeQuietly(transcript.file);
  if (transcript.lock.isLost()) throw new Refusal('locked', PROBLEMS.locked);
  const current = await fs.lstat(filePath).catch(throwChangedIfMissing);
  if (!isSameIdentity(fileIdentity(current), identity)) throw changed();
  try {
    if (!(await takeAside(filePath, keptPath, fs))) throw changed();
    // What another program put there a moment ago was taken aside as well.
    const taken = fileIdentity(await fs.lstat(keptPath));
    const isGrown = taken.size > size;
    if (!isSameFile(taken, identity) || !(isGrown || isSameIdentity(taken, identity))) throw changed();
    if (!(await putWritten(written, filePath, fs))) throw changed();
  } catch (error) {
    throw await afterReturn(error, filePath, keptPath, token, fs);
  }
  return { keptPath, identity };
}

/** Puts the original back. Returns the error, or one that says where the original is if it is not back. */
async function afterReturn(
  error: unknown,
  filePath: string,
  keptPath: string,
  token: string,
  fs: WriteFs,
): Promise<unknown> {
  try {
    const stays = await returnOriginal(filePath, keptPath, token, fs);
    if (stays === null) return error;
    const problem = `Another program has put another transcript in its place, which was left as it is. The one before is ${stays}.`;
    return new Refusal('changed-while-repairing', problem, { cause: error });
  } catch (failed) {
    const problem = `The transcript may have been left in ${keptPath} (${errorName(failed)}): the next repair puts it back.`;
    return new LeftAside('write-failed', problem, { cause: new AggregateError([error, failed]) });
  }
}

/** The original may still be under its kept name. */
class LeftAside extends Refusal {}

/** False if something stands at the path. */
async function putWritten(written: WrittenFile, filePath: string, fs: WriteFs): Promise<boolean> {
  try {
    if ((await linkInPlace(written.path, filePath, fs)) === null) return false;
  } catch (error) {
    // On a network file system, a call may take effect and return an error all the same.
    const there = await fs.lstat(filePath).catch(() => null);
    if (there === null || !isSameFile(there, written.identity)) throw error;
  }
  await removeQuietly(written.path, fs);
  return true;
}

function changed(cause?: unknown): Refusal {
  return new Refusal('changed-while-repairing', PROBLEMS.changed, { cause });
}

function throwChangedIfMissing(error: unknown): never {
  if (errorCode(error) === 'ENOENT') throw changed(error);
  throw error;
}

/** The file that was at the transcript's path until the swap. */
interface ReplacedFile {
  readonly keptPath: string;
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
      : `The transcript was replaced again during the swap; what Claude wrote in that moment is kept in ${keptPath}.`;
  }
  return Number(last.size) === before.size && last.mtimeNs === before.mtimeNs
    ? null
    : `The transcript was changed during the swap; that version is kept in ${keptPath}.`;
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
    await copyAttributes(file, transcript.stat, transcript.stat, transcript.file);
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
