import { Unavailable } from '../../scripts/unavailable.mjs';

/** Calls `prepare`. If what it needs is unavailable on this machine, prints that and skips mocha's test. */
export async function skipWhenUnavailable<T>(test: Mocha.Context, prepare: () => T | Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.log(`skipped: ${error.message}`);
    return test.skip();
  }
}
