import { errorCode, errorName } from '../../storage/refusal';

/** `exists`, `missing`: the session. `unknown-message`: it has no such message. `failed`: `cause` says why. */
export type StoreErrorCode = 'exists' | 'missing' | 'unknown-message' | 'no-space' | 'failed';

/** What a session could not be asked for, or not keep. What was kept before is as it was. */
export class StoreError extends Error {
  constructor(
    readonly code: StoreErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'StoreError';
  }
}

/** @param doing as in "Failed to <doing>" */
export function storeErrorFrom(doing: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = errorCode(cause);
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  return new StoreError(isFull ? 'no-space' : 'failed', `Failed to ${doing} (${errorName(cause)})`, { cause });
}
