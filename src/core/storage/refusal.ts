import type { RepairFailureReason } from '../../protocol/repair';

/** Nothing was written: the transcript is unchanged. */
export interface Refused {
  readonly kind: 'refused';
  readonly reason: RepairFailureReason;
  /** One sentence to show. */
  readonly problem: string;
}

/**
 * Thrown within `core/storage` and by the work that callers pass in. Functions with an outcome return it as a
 * `Refused`.
 */
export class Refusal extends Error {
  constructor(
    readonly code: RepairFailureReason,
    problem: string,
    options?: ErrorOptions,
  ) {
    super(problem, options);
    this.name = 'Refusal';
  }
}

export const PROBLEMS = {
  changed: 'The transcript changed in the meantime, so nothing was written. Scan it and try again.',
  maybeLive: 'If you are sure that no client is using this session, you can change it anyway.',
  live: 'Claude is using this session. Close it there, then try again.',
  locked: 'Another window or process is working on this session. Try again in a moment.',
} as const;

/** The `code` of a Node error, such as `ENOENT`. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** A name to show for a Node error, without its stack and paths: `EIO, fsync`. */
export function errorName(error: unknown): string {
  const code = errorCode(error);
  if (code === null) return error instanceof Error ? (error.message.split('\n', 1)[0] ?? error.name) : 'unknown error';
  return error instanceof Error && 'syscall' in error && typeof error.syscall === 'string'
    ? `${code}, ${error.syscall}`
    : code;
}

export function refusedFrom(error: unknown): Refused {
  const { code, message } = error instanceof Refusal ? error : refusalOf(error);
  return { kind: 'refused', reason: code, problem: message };
}

function refusalOf(error: unknown): Refusal {
  const name = errorName(error);
  switch (errorCode(error) ?? '') {
    case 'ENOSPC':
    case 'EDQUOT':
      return new Refusal(
        'no-space',
        `There is no room on the disk to write the transcript anew, so it is as it was (${name}).`,
      );
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new Refusal(
        'read-only',
        `The folder of this session cannot be written to, so nothing was changed (${name}).`,
      );
    default:
      return new Refusal('write-failed', `The transcript could not be written and is as it was (${name}).`);
  }
}
