import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, type StatsBase } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * A flag to open a file that may be anything. Without it, opening a pipe blocks the thread until there is a writer. Windows has no
 * such flag, and no such pipes.
 */
export const NON_BLOCKING = (constants.O_NONBLOCK as number | undefined) ?? 0;

/** The state of a file before its first byte was read. */
export interface ScannedIdentity {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
}

export interface OpenFile {
  /** File descriptor; the caller must close it. */
  readonly file: number;
  readonly identity: ScannedIdentity;
}

/** The code of the error for a FIFO, a socket or a device. */
const NOT_REGULAR = 'EFTYPE';

/** What is no regular file, and no folder. */
class NotRegularError extends Error {
  readonly code = NOT_REGULAR;

  /** `what` is a noun with its article. */
  constructor(readonly what: string) {
    super(`Failed to open ${what} as a file`);
  }
}

/** Opens a file for reading. Throws the file system's error, EISDIR for a folder, and EFTYPE for a FIFO, a socket or a device. */
export function openRegularFile(filePath: string): OpenFile {
  const file = openSync(filePath, constants.O_RDONLY | NON_BLOCKING);
  try {
    const stat = fstatSync(file, { bigint: true });
    assertRegular(stat);
    return { file, identity: identityOf(stat) };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Like `openRegularFile`, without blocking the thread. */
export async function openRegularHandle(
  filePath: string,
): Promise<{ readonly file: FileHandle; readonly size: number }> {
  const file = await open(filePath, constants.O_RDONLY | NON_BLOCKING);
  try {
    const stat = await file.stat();
    assertRegular(stat);
    return { file, size: stat.size };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Throws EISDIR for a folder, and EFTYPE for a FIFO, a socket or a device. */
export function assertRegular(stat: StatsBase<number | bigint>): void {
  if (stat.isFile()) return;
  if (stat.isDirectory()) throw Object.assign(new Error('Failed to open a folder as a file'), { code: 'EISDIR' });
  throw new NotRegularError(kindOfFile(stat));
}

/** What is no regular file, as a noun with its article. */
export function kindOfFile(stat: StatsBase<number | bigint>): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isSymbolicLink()) return 'a link';
  return stat.isFIFO() ? 'a FIFO' : stat.isSocket() ? 'a socket' : 'a device';
}

function identityOf({ size, mtimeNs, ctimeNs, ino, dev }: BigIntStats): ScannedIdentity {
  return { size, mtimeNs, ctimeNs, ino, dev };
}

/** Bytes of a file, and when it was last written. */
export interface FileBytes {
  readonly bytes: Buffer;
  /** Milliseconds since the epoch. */
  readonly mtimeMs: number;
}

/** A whole file. Throws like `openRegularFile`, and EFBIG if the file has more than `maxBytes`. */
export function readSmallFile(filePath: string, maxBytes: number): FileBytes {
  return readPart(filePath, (size) => {
    if (size > maxBytes) throw Object.assign(new Error('Too large'), { code: 'EFBIG' });
    return { from: 0, length: size };
  });
}

/** The first bytes of a file, at most `maxBytes`. Throws like `openRegularFile`. */
export function readFileStart(filePath: string, maxBytes: number): FileBytes {
  return readPart(filePath, (size) => ({ from: 0, length: Math.min(size, maxBytes) }));
}

/** The last bytes of a file, at most `maxBytes`. Throws like `openRegularFile`. */
export function readFileEnd(filePath: string, maxBytes: number): FileBytes {
  return readPart(filePath, (size) => ({ from: Math.max(0, size - maxBytes), length: Math.min(size, maxBytes) }));
}

function readPart(
  filePath: string,
  partOf: (size: number) => { readonly from: number; readonly length: number },
): FileBytes {
  const { file, identity } = openRegularFile(filePath);
  try {
    const { from, length } = partOf(Number(identity.size));
    const bytes = Buffer.alloc(length);
    const bytesRead = readSync(file, bytes, 0, length, from);
    return { bytes: bytes.subarray(0, bytesRead), mtimeMs: Number(identity.mtimeNs / 1_000_000n) };
  } finally {
    closeSync(file);
  }
}

/** Why a transcript could not be read. */
export type FileProblemKind = 'missing' | 'unreadable' | 'not-a-file';

export interface FileProblem {
  readonly kind: FileProblemKind;
  /** One sentence to show. */
  readonly message: string;
}

/** Describes a file system error; never includes a stack trace. */
export function fileProblem(error: unknown, filePath: string): FileProblem {
  const code = errorCode(error);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'missing', message: `${filePath} does not exist.` };
    case 'EISDIR':
      return { kind: 'not-a-file', message: `${filePath} is a folder, not a transcript.` };
    case NOT_REGULAR:
      return { kind: 'not-a-file', message: `${filePath} is ${notRegularName(error)}, not a transcript.` };
    case 'EACCES':
    case 'EPERM':
      return { kind: 'unreadable', message: `${filePath} may not be read: permission denied.` };
    case 'ELOOP':
      return { kind: 'unreadable', message: `${filePath} is a symbolic link that leads back to itself.` };
    case 'RangeError':
      return {
        kind: 'unreadable',
        message: `${filePath} could not be read: something in it is too large, or is nested too deeply.`,
      };
    default:
      return { kind: 'unreadable', message: `${filePath} could not be read (${code}).` };
  }
}

function notRegularName(error: unknown): string {
  return error instanceof NotRegularError ? error.what : 'no regular file';
}

function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown error';
}
