import { basename, dirname, resolve, sep } from 'node:path';
import { kindOfFile } from '../util/openForeignFile';
import { configDirOf, isTranscriptName } from '../providers/claude/format/paths';
import { transcriptsWithBackup } from './backupNames';
import { fileIdentity, isSameFile } from './fileAttributes';
import { ChunkWriter } from './fileBytes';
import type { WriteDeps } from './openTranscript';
import { errorCode, errorName } from './refusal';
import { unfinishedPath } from './staleFiles';
import { closeQuietly, createHidden, removeQuietly, type WriteFs } from './writeFs';

export type Written =
  | { readonly kind: 'written'; readonly bytes: number }
  /** One sentence to show; the path is unchanged. */
  | { readonly kind: 'failed'; readonly problem: string };

/** What an export never changes. Absolute paths. */
export interface KeptFiles {
  /** The transcript from which the file is made; null if there is no single one. */
  readonly transcript: string | null;
  /** The client's folder; null if it is unknown. */
  readonly configDir: string | null;
}

/**
 * Writes a file that only its owner can read. The file gets its name when it is complete, so that its path holds either
 * all of it or what was there before. If `pieces` throws, rethrows that error and leaves nothing behind.
 * Overwrites no transcript, no backup, no read-only file, and nothing that is no regular file, such as a link or a device.
 * Writes nothing below the client's folder.
 */
export async function writeExport(
  path: string,
  kept: KeptFiles,
  pieces: AsyncIterable<string> | Iterable<string>,
  { fs, random }: Pick<WriteDeps, 'fs' | 'random'>,
): Promise<Written> {
  const hiddenPath = unfinishedPath(path, random());
  const refusal = await refusalOf(path, kept, fs);
  if (refusal !== null) return failed(refusal);
  const file = await createHidden(hiddenPath, fs).catch(failedWith);
  if ('kind' in file) return file;
  let bytes = 0;
  let isWriting = false;
  try {
    const writer = new ChunkWriter(file);
    for await (const piece of pieces) {
      const encoded = Buffer.from(piece);
      bytes += encoded.length;
      isWriting = true;
      await writer.write(encoded);
      isWriting = false;
    }
    isWriting = true;
    await writer.flush();
    await file.sync();
    await file.close();
    await fs.rename(hiddenPath, path);
    return { kind: 'written', bytes };
  } catch (error) {
    await closeQuietly(file);
    await removeQuietly(hiddenPath, fs);
    if (isWriting) return failedWith(error);
    throw error;
  }
}

/** Why the path must not be written: one sentence; null if it may be. */
async function refusalOf(path: string, { transcript, configDir }: KeptFiles, fs: WriteFs): Promise<string | null> {
  const [existing, source] = await Promise.all(
    [path, transcript].map(async (each) => (each === null ? null : fs.lstat(each).catch(() => null))),
  );
  if (existing && source && isSameFile(existing, fileIdentity(source))) return 'This is the transcript.';
  const folders = [configDir, transcript === null ? null : configDirOf(transcript)];
  for (const folder of folders) {
    if (folder !== null && (await isBelow(path, folder, fs)))
      return 'Nothing can be exported to the folder of Claude Code.';
  }
  if (existing === null || existing === undefined) return null;
  if (!existing.isFile()) return `There is ${kindOfFile(existing)} of this name.`;
  if (basename(path).toLowerCase() === CLIENT_STATE) return 'This is a file of Claude Code.';
  if (transcriptsWithBackup([basename(path)]).size > 0) return 'There is a backup of this name.';
  if (isTranscriptName(path)) return 'There is a transcript of this name.';
  const isReadOnly = (existing.mode & WRITE_BITS) === 0n || (await fs.accessToWrite(path).then(isFalse, isTrue));
  return isReadOnly ? 'There is a read-only file of this name.' : null;
}

/** Beside the client's folder by default. */
const CLIENT_STATE = '.claude.json';
const WRITE_BITS = 0o222n;
const isTrue = (): boolean => true;
const isFalse = (): boolean => false;

/** Whether the file is in the folder or below it, whatever links lead there. */
async function isBelow(path: string, folder: string, fs: WriteFs): Promise<boolean> {
  const real = (each: string): Promise<string> => fs.realpath(each).catch(() => resolve(each));
  const [parent, root] = await Promise.all([real(dirname(path)), real(folder)]);
  return parent === root || parent.startsWith(root.endsWith(sep) ? root : root + sep);
}

function failed(problem: string): Written & { readonly kind: 'failed' } {
  return { kind: 'failed', problem };
}

function failedWith(error: unknown): Written & { readonly kind: 'failed' } {
  if (errorCode(error) === 'ENOENT') return failed('The folder for the file does not exist.');
  return failed(`The file could not be written (${errorName(error)}).`);
}
