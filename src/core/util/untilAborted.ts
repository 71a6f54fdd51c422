/** The work's own end, or a rejection with the signal's reason when that comes first; the work itself goes on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- an AbortError, or what the caller chose
      reject(signal.reason);
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
