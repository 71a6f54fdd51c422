import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

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

/** The code of the error for a pipe, a socket or a device. */
const NOT_REGULAR = 'EFTYPE';

/** Opens a file for reading. Throws the file system's error, EISDIR for a folder, and EFTYPE for a pipe, a socket or a device. */
export function openRegularFile(filePath: string): OpenFile {
  const file = openSync(filePath, constants.O_RDONLY | NON_BLOCKING);
  try {
    const stat = fstatSync(file, { bigint: true });
    if (!stat.isFile()) {
      throw Object.assign(new Error('Not a regular file'), { code: stat.isDirectory() ? 'EISDIR' : NOT_REGULAR });
    }
    return { file, identity: identityOf(stat) };
  } catch (error) {
    closeSync(file);
    throw error;
  }
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
      return { kind: 'not-a-file', message: `${filePath} is a pipe, a socket or a device, not a transcript.` };
    case 'EACCES':
    case 'EPERM':
      return { kind: 'unreadable', message: `${filePath} may not be read: permission denied.` };
    case 'ELOOP':
      return { kind: 'unreadable', message: `${filePath} is a symbolic link that leads back to itself.` };
    default:
      return { kind: 'unreadable', message: `${filePath} could not be read (${code}).` };
  }
}

function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown error';
}
