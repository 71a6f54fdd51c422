import { type BigIntStats, closeSync, constants, fstatSync, openSync } from 'node:fs';

/** A pipe in a transcript's place must not keep the thread waiting for a writer. Windows has no such flag, and no pipes. */
const NON_BLOCKING = (constants.O_NONBLOCK as number | undefined) ?? 0;

/** Who a file was when its reading began: taken before the first byte. */
export interface ScannedIdentity {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
}

export interface OpenFile {
  /** To be closed by the caller. */
  readonly file: number;
  readonly identity: ScannedIdentity;
}

/** Opens a file for reading. Throws the file system's error, and EISDIR for anything that is no regular file. */
export function openRegularFile(filePath: string): OpenFile {
  const file = openSync(filePath, constants.O_RDONLY | NON_BLOCKING);
  try {
    const stat = fstatSync(file, { bigint: true });
    if (!stat.isFile()) throw Object.assign(new Error('Not a regular file'), { code: 'EISDIR' });
    return { file, identity: identityOf(stat) };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function identityOf({ size, mtimeNs, ctimeNs, ino, dev }: BigIntStats): ScannedIdentity {
  return { size, mtimeNs, ctimeNs, ino, dev };
}

/** Why a transcript could not be read. */
export type FileProblemKind = 'missing' | 'unreadable' | 'not-a-file';

export interface FileProblem {
  readonly kind: FileProblemKind;
  /** One sentence for people. */
  readonly message: string;
}

/** Puts what the operating system said into words; never a stack trace. */
export function fileProblem(error: unknown, filePath: string): FileProblem {
  const code = errorCode(error);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return { kind: 'missing', message: `${filePath} does not exist.` };
    case 'EISDIR':
      return { kind: 'not-a-file', message: `${filePath} is a folder, not a transcript.` };
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
