import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFile } from 'atomically';
import { lock } from 'proper-lockfile';

/** The content comes from transcripts, which other users cannot read either. */
const PRIVATE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;
/** A lock that was not refreshed for this long belongs to a dead process. */
const LOCK_STALE_MS = 10_000;
/** About three seconds in all; another window holds the lock for a few milliseconds. */
const LOCK_RETRIES = { retries: 15, factor: 1.5, minTimeout: 10, maxTimeout: 400, randomize: true };

/** A file of the extension is left alone, because a later version of the extension wrote it. */
export class LaterVersionError extends Error {
  constructor() {
    super('A later version of Rethread wrote it');
  }
}

/**
 * Replaces a file of the extension with the result of `change`, under a lock against other processes. `change` receives null if
 * there is no file. Rejects with the error of the file system or the lock; the file is then unchanged.
 */
export async function replaceLocked(
  filePath: string,
  change: (bytes: Buffer | null) => Promise<Uint8Array>,
): Promise<void> {
  await mkdir(dirname(filePath), { recursive: true, mode: PRIVATE_FOLDER_MODE });
  const held = { isLost: false };
  const release = await lock(filePath, {
    // The file itself may not exist yet.
    realpath: false,
    stale: LOCK_STALE_MS,
    retries: LOCK_RETRIES,
    onCompromised: () => {
      held.isLost = true;
    },
  });
  try {
    const bytes = await change(await readIfThere(filePath));
    if (held.isLost) throw new Error('The lock was lost to another process');
    await writeFile(filePath, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      mode: PRIVATE_MODE,
      // The lock allows a fixed name, so a process that is killed leaves at most one such file.
      tmpCreate: (path) => `${path}.new`,
    });
  } finally {
    if (!held.isLost) await release().catch(() => undefined);
  }
}

/** Null only if the file is missing: a file that is temporarily unreadable must not be replaced with less content. */
async function readIfThere(filePath: string): Promise<Buffer | null> {
  try {
    return await readFile(filePath);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
