import { readFileSync } from 'node:fs';
import { replaceLocked } from '../../util/lockedFile';
import { SessionTable } from './sessionTable';

/** null when there is none, or none that can be made use of. On the calling thread: a few milliseconds. */
export function loadTable(filePath: string, engineVersion: string): SessionTable | null {
  try {
    return SessionTable.read(readFileSync(filePath), engineVersion);
  } catch {
    return null;
  }
}

/**
 * Replaces the file by what `change` makes of it, while no other process does. `change` is given null when there is no
 * file, or none that can be made use of. Rejects with the error of the file system or the lock; the file is then as it
 * was.
 */
export async function replaceTable(
  filePath: string,
  engineVersion: string,
  change: (table: SessionTable | null) => Promise<Buffer>,
): Promise<void> {
  await replaceLocked(filePath, (bytes) => change(bytes === null ? null : SessionTable.read(bytes, engineVersion)));
}
