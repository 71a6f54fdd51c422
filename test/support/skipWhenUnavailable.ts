import { Unavailable } from '../../scripts/unavailable.mjs';

/** Calls `prepare`; when what it needs cannot be had on this machine, says so and marks mocha's test as skipped. */
export async function skipWhenUnavailable<T>(test: Mocha.Context, prepare: () => T | Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.log(`skipped: ${error.message}`);
    return test.skip();
  }
}
