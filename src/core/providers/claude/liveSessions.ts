import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LiveStatus } from '../../../protocol/session';
import { type JsonObject, parseObject, stringField } from '../../util/json';

/** Returns whether the process that wrote a registry entry still runs. `procStart`: as in /proc, in clock ticks since boot. */
export type ProcessProbe = (pid: number, procStart: string | null) => Promise<boolean>;

/**
 * Sessions with a running client, from `sessions/<pid>.json` in the config folder. The client removes its entry on a
 * clean exit, so an entry alone proves nothing: its process must be running. A registry that cannot be read counts as
 * empty. (docs/format.md, "Live processes")
 */
export async function readLiveSessions(
  configDir: string,
  isAlive: ProcessProbe,
): Promise<ReadonlyMap<string, LiveStatus>> {
  const folder = join(configDir, 'sessions');
  const live = new Map<string, LiveStatus>();
  for (const name of await listNames(folder)) {
    if (!name.endsWith('.json')) continue;
    const entry = await readEntry(join(folder, name));
    const sessionId = entry === null ? null : stringField(entry, 'sessionId');
    const pid = typeof entry?.['pid'] === 'number' ? entry['pid'] : Number.parseInt(name, 10);
    if (entry === null || sessionId === null || !Number.isSafeInteger(pid) || pid <= 0) continue;
    const procStart = entry['procStart'];
    const start = typeof procStart === 'string' || typeof procStart === 'number' ? String(procStart) : null;
    if (await isAlive(pid, start)) live.set(sessionId, statusOf(entry));
  }
  return live;
}

/**
 * A process is running if a signal can be sent to it. If both `/proc` and the registry have its start time, they must
 * also agree, because pids are reused after a restart of the machine.
 */
export const probeProcess: ProcessProbe = async (pid, procStart) => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process is running but belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  if (procStart === null || !/^\d+$/.test(procStart)) return true;
  const started = await processStart(pid);
  return started === null || started === procStart;
};

/** Field 22 of /proc/<pid>/stat, in clock ticks since boot; null if there is no /proc. */
async function processStart(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command name, in parentheses, may itself contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function statusOf(entry: JsonObject): LiveStatus {
  switch (stringField(entry, 'status')) {
    case 'idle':
      return 'idle';
    case 'waiting':
      return 'waiting';
    default:
      return 'busy';
  }
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

async function readEntry(path: string): Promise<JsonObject | null> {
  try {
    return parseObject(await readFile(path, 'utf8'));
  } catch {
    return null;
  }
}
