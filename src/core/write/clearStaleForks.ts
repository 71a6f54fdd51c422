import { join } from 'node:path';
import { removeQuietly } from './leftovers';
import type { WriteDeps } from './openTranscript';

/** A fork is written in seconds; a hidden file of this age is that of a dead process. */
const STALE_MS = 60 * 60 * 1000;
const NAME = /^\.(?<id>[0-9a-f-]{36})\.jsonl\.rethread-[^/]*-fork\.tmp$/;

/**
 * Removes what processes that died while they forked left in a project's folder, with the backups that they had linked:
 * `histories` is the folder of all sessions' file histories. Never rejects.
 */
export async function clearStaleForks(
  folder: string,
  histories: string,
  { fs, now }: Pick<WriteDeps, 'fs' | 'now'>,
): Promise<void> {
  const names: readonly string[] = await fs.readdir(folder).catch(() => []);
  for (const name of names) {
    const id = NAME.exec(name)?.groups?.['id'];
    if (id === undefined) continue;
    const path = join(folder, name);
    const stat = await fs.lstat(path).catch(() => null);
    if (stat === null || now() - Number(stat.mtimeMs) < STALE_MS) continue;
    // The process may have died when the fork had its name already.
    if (!names.includes(`${id}.jsonl`)) {
      const backups = join(histories, id);
      for (const backup of await fs.readdir(backups).catch(() => [])) await removeQuietly(join(backups, backup), fs);
      await fs.rmdir(backups).catch(() => undefined);
    }
    await removeQuietly(path, fs);
  }
}
