/** A job that was refused, or that had not begun when its queue was closed. */
export class QueueClosedError extends Error {
  readonly code = 'queue-closed';

  constructor(session: string) {
    super(`Failed to look at ${session}: the work is being wound up`);
    this.name = 'QueueClosedError';
  }
}
