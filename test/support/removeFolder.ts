import { rmSync } from 'node:fs';

const PATIENCE_MS = 10_000;
const PAUSE_MS = 100;

/**
 * Deletes a folder with everything in it, also while a program that was just ended still writes there. Node's own
 * `maxRetries` only tries the last step again: it never sees a file that appeared after the folder was listed.
 *
 * @throws the file system's error, for what is still there after ten seconds
 */
export function removeFolder(path: string): void {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY' || Date.now() > end) throw error;
      // Synchronous, because a process that ends cannot wait in any other way.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
