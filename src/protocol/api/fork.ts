import type { ForkOutcome, ForkRequest } from '../history';

/** Calls from the host to the worker. */
export interface ForkApi {
  /** Writes a new transcript beside the source, or nothing at all. Never rejects for what is on disk. */
  fork(request: ForkRequest): Promise<ForkOutcome>;
}
