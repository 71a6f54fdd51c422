import { diffArrays } from 'diff';
import { areNextBytesEqual, ByteCursor, readFully } from '../../storage/fileBytes';
import { realFolderOf } from '../../storage/files/projectFolder';
import { errorCode } from '../../storage/refusal';
import { closeQuietly, type FileStat, type WriteFs } from '../../storage/writeFs';
import { kindOfFile } from '../../util/openForeignFile';

/** Larger files are reported as changed without line counts. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024;
/** A NUL within this many bytes makes a file binary, as in git. */
const BINARY_BYTES = 8_000;

export type FileText =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'binary' } | { readonly kind: 'tooLarge' };

/** The text of a file, with U+FFFD for invalid UTF-8, as the client reads it. Rejects with the file system's error. */
export async function readFileText(path: string, fs: Pick<WriteFs, 'open'>): Promise<FileText> {
  const file = await fs.open(path, 'read');
  try {
    const size = Number((await file.stat()).size);
    if (size > MAX_TEXT_BYTES) return { kind: 'tooLarge' };
    const bytes = Buffer.alloc(size);
    const filled = bytes.subarray(0, await readFully(file, bytes, 0));
    if (filled.subarray(0, BINARY_BYTES).includes(0)) return { kind: 'binary' };
    return { kind: 'text', text: filled.toString('utf8') };
  } finally {
    await closeQuietly(file);
  }
}

/** Compares two files of the same size in bounded memory. Rejects with the file system's error. */
export async function haveSameBytes(
  one: string,
  other: string,
  size: number,
  fs: Pick<WriteFs, 'open'>,
): Promise<boolean> {
  const first = await fs.open(one, 'read');
  try {
    const second = await fs.open(other, 'read');
    try {
      return await areNextBytesEqual(
        new ByteCursor({ file: first, from: 0, to: size }),
        new ByteCursor({ file: second, from: 0, to: size }),
        size,
      );
    } finally {
      await closeQuietly(second);
    }
  } finally {
    await closeQuietly(first);
  }
}

/**
 * Maximum edit distance that is computed; files that differ by more are compared by their lines regardless of order.
 */
const MAX_EDIT_LENGTH = 2_000;

export interface LineCounts {
  readonly insertions: number;
  readonly deletions: number;
}

/**
 * Counts the lines by which two texts differ, as jsdiff's `diffLines` does, which the client uses: a line is its text
 * with its newline. For texts that differ by thousands of moved lines, the counts may be too low.
 */
export function countLines(before: string, after: string): LineCounts {
  if (before === after) return { insertions: 0, deletions: 0 };
  const [old, young] = [splitLines(before), splitLines(after)];
  const [inOld, inYoung] = [new Set(old), new Set(young)];
  // Lines that only one side has are removed first, because most differences are short without them.
  const left = old.filter((line) => inYoung.has(line));
  const right = young.filter((line) => inOld.has(line));
  const common = countCommon(left, right);
  return { insertions: young.length - common, deletions: old.length - common };
}

function countCommon(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return 0;
  const parts = diffArrays([...left], [...right], { maxEditLength: MAX_EDIT_LENGTH });
  if (parts === undefined) return countShared(left, right);
  return parts.reduce((sum, { added, removed, count }) => (added || removed ? sum : sum + count), 0);
}

function countShared(left: readonly string[], right: readonly string[]): number {
  const free = new Map<string, number>();
  for (const line of left) free.set(line, (free.get(line) ?? 0) + 1);
  let shared = 0;
  for (const line of right) {
    const count = free.get(line) ?? 0;
    if (count === 0) continue;
    free.set(line, count - 1);
    shared++;
  }
  return shared;
}

function splitLines(text: string): string[] {
  const lines = text.split(/(?<=\n)/);
  return lines.length === 1 && lines[0] === '' ? [] : lines;
}

/** What is at a path. */
export type FileState =
  | { readonly kind: 'absent'; readonly realFolder: string }
  | { readonly kind: 'file'; readonly stat: FileStat; readonly realFolder: string }
  | { readonly kind: 'symlink' }
  /** A folder, a socket, a FIFO … `what`: a noun with its article. */
  | { readonly kind: 'other'; readonly what: string }
  /** One of the parents is a file, a broken link, or a link that leads back to itself. */
  | { readonly kind: 'blocked' }
  /** Nothing can exist there: the path is too long or contains a NUL. */
  | { readonly kind: 'impossible' }
  | { readonly kind: 'unreadable'; readonly code: string };

/** Rejects only if the disk fails. */
export async function readFileState(path: string, fs: Pick<WriteFs, 'lstat' | 'realpath'>): Promise<FileState> {
  try {
    const stat = await lstatOrNull(path, fs);
    if (stat?.isSymbolicLink() === true) return { kind: 'symlink' };
    if (stat !== null && !stat.isFile()) return { kind: 'other', what: kindOfFile(stat) };
    const realFolder = await realFolderOf(path, fs);
    return stat === null ? { kind: 'absent', realFolder } : { kind: 'file', stat, realFolder };
  } catch (error) {
    const code = commonErrorCode(error);
    if (['ENOTDIR', 'ELOOP', 'ENOENT'].includes(code)) return { kind: 'blocked' };
    if (['ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE'].includes(code)) return { kind: 'impossible' };
    return { kind: 'unreadable', code };
  }
}

/** Errors that do not concern one file alone and may not occur again at the next attempt. */
const DISK_ERRORS: ReadonlySet<string> = new Set(['EIO', 'ENOSPC', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EINTR']);

/** The code of an error that concerns one file. Throws any other error. */
export function commonErrorCode(error: unknown): string {
  const code = errorCode(error);
  if (code === null || DISK_ERRORS.has(code)) throw error;
  return code;
}

/** Null if nothing is there. Rejects with any other error of the file system. */
export async function lstatOrNull(path: string, fs: Pick<WriteFs, 'lstat'>): Promise<FileStat | null> {
  try {
    return await fs.lstat(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
