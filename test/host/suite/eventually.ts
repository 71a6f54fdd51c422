import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
const PATIENCE_MS = 45_000;

/** The first value of `look` that is neither null nor false; rejects if there is none in time. */
export async function eventually<T>(
  what: string,
  look: () => T | null | false | Promise<T | null | false>,
): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const value = await look();
    if (value !== null && value !== false) return value;
    await sleep(POLL_MS);
  }
  throw new Error(`It did not happen: ${what}`);
}
