import type { RewindFailureReason } from '../../../shared/rewind';
import { errorCode, errorName, Refusal } from '../refusal';

/** Why files are as they were. Thrown inside the rooms that change files; `half-done` is the one after which they are not. */
export class FilesRefusal extends Error {
  constructor(
    readonly code: RewindFailureReason,
    problem: string,
    /** The safety snapshot that is left; null when there is none. */
    readonly safetyPath: string | null = null,
    options?: ErrorOptions,
  ) {
    super(problem, options);
    this.name = 'FilesRefusal';
  }
}

export const FILE_PROBLEMS = {
  changed: 'A file changed in the meantime, so nothing was changed. Look at the preview again.',
  live: 'Claude is using this session, and may change the same files. Close it there, or say that it may be.',
  locked: 'Another window or process is rewinding files. Try again in a moment.',
} as const;

/** Whatever was thrown, as a refusal that says it. */
export function filesRefusalOf(error: unknown): FilesRefusal {
  if (error instanceof FilesRefusal) return error;
  if (error instanceof Refusal) {
    if (error.code === 'locked') return new FilesRefusal('locked', FILE_PROBLEMS.locked, null, { cause: error });
    if (error.code === 'changed-while-repairing') {
      return new FilesRefusal('changed-since-preview', FILE_PROBLEMS.changed, null, { cause: error });
    }
  }
  const name = errorName(error);
  switch (errorCode(error) ?? '') {
    case 'ENOSPC':
    case 'EDQUOT':
      return new FilesRefusal('no-space', `There is no room on the disk, so nothing was changed (${name}).`);
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new FilesRefusal('read-only', `A file or folder cannot be written, so nothing was changed (${name}).`);
    default:
      return new FilesRefusal('write-failed', `A file could not be written, so nothing was changed (${name}).`);
  }
}
