import { dirname } from 'node:path';
import { copyAttributes } from './fileAttributes';
import { CHUNK_BYTES, readFully, writeFully } from './fileBytes';
import type { WriteDeps } from './openTranscript';
import { errorCode, errorName } from './refusal';
import { unfinishedPath } from './staleFiles';
import { closeQuietly, createHidden, type FileStat, type OpenFile, removeQuietly, type WriteFs } from './writeFs';

export type TextFile =
  | { readonly kind: 'text'; readonly text: string; readonly stat: FileStat }
  | { readonly kind: 'absent' }
  /** One sentence to show, without the file's name: "is a folder." */
  | { readonly kind: 'problem'; readonly problem: string };

/** Size limit in bytes. The files are people's settings files. */
const MAX_TEXT_BYTES = CHUNK_BYTES;

/** Reads a small text file. Never rejects. */
export async function readTextFile(path: string, fs: WriteFs): Promise<TextFile> {
  try {
    const stat = await fs.lstat(path);
    if (!stat.isFile()) return { kind: 'problem', problem: 'is not a file.' };
    if (stat.size > BigInt(MAX_TEXT_BYTES)) return { kind: 'problem', problem: 'is too long.' };
    const file = await fs.open(path, 'read');
    try {
      const buffer = Buffer.alloc(MAX_TEXT_BYTES + 1);
      const bytes = buffer.subarray(0, await readFully(file, buffer, 0));
      // Keep the BOM and reject invalid UTF-8, so that writing the text back yields the same bytes.
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      return { kind: 'text', text, stat };
    } finally {
      await closeQuietly(file);
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { kind: 'absent' };
    if (error instanceof TypeError) return { kind: 'problem', problem: 'is not UTF-8 text.' };
    return { kind: 'problem', problem: `cannot be read (${errorName(error)}).` };
  }
}

/**
 * Replaces a small text file of a person, completely or not at all; keeps its mode and owner. Null text removes it.
 *
 * @param before the expected content, or null for no file; nothing is written if the content differs
 * @returns why nothing was written: one sentence to show, without the file's name; null on success
 */
export async function replaceText(
  path: string,
  before: string | null,
  after: string | null,
  { fs, random }: Pick<WriteDeps, 'fs' | 'random'>,
): Promise<string | null> {
  const found = await readTextFile(path, fs);
  if (found.kind === 'problem') return found.problem;
  if ((found.kind === 'text' ? found.text : null) !== before) return CHANGED;
  const hiddenPath = unfinishedPath(path, random());
  try {
    if (after === null) {
      if (before !== null) await fs.unlink(path);
      return null;
    }
    if (before === null) await makeFolder(dirname(path), fs);
    const file = await createHidden(hiddenPath, fs);
    try {
      await writeFully(file, Buffer.from(after));
      if (found.kind === 'text') await copyAttributesOf(path, found.stat, file, fs);
      await file.sync();
    } finally {
      await closeQuietly(file);
    }
    // Check again, as late as possible: another program may have written the file meanwhile.
    const last = await readTextFile(path, fs);
    if ((last.kind === 'text' ? last.text : null) !== before) return CHANGED;
    await fs.rename(hiddenPath, path);
    return null;
  } catch (error) {
    return `could not be written (${errorName(error)}).`;
  } finally {
    await removeQuietly(hiddenPath, fs);
  }
}

/** All of them but the times. */
async function copyAttributesOf(path: string, stat: FileStat, file: OpenFile, fs: WriteFs): Promise<void> {
  const times = await file.stat();
  const replaced = await fs.open(path, 'read');
  try {
    await copyAttributes(file, stat, times, replaced);
  } finally {
    await closeQuietly(replaced);
  }
}

const CHANGED = 'changed in the meantime, so nothing was written.';

async function makeFolder(folder: string, fs: WriteFs): Promise<void> {
  try {
    await fs.mkdir(folder);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Removes a folder if it is empty. Never rejects. */
export async function removeEmptyFolder(folder: string, fs: WriteFs): Promise<void> {
  await fs.rmdir(folder).catch(() => undefined);
}
