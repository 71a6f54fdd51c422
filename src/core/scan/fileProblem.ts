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
