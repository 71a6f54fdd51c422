import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSessionId, type UnneededFiles } from '../../../../protocol/session';
import { fileHistoryOf, projectsFolderOf } from '../format/paths';

/** So many entries are counted in each place, so that a scan ends soon also on a slow disk. */
const MAX_ENTRIES = 200_000;
/** Smaller amounts are not worth a line. */
const MIN_BYTES = 1_000_000;

/**
 * `disk-growth`: what Claude Code keeps in its config folder for sessions whose transcripts are gone, and its debug logs, which no session
 * needs. Copies that another session shares by a hard link do not count. Only counts; never rejects.
 *
 * @param sessionIds all sessions that have a transcript, or are running, in lower case
 */
export async function findUnneededFiles(
  configDir: string,
  sessionIds: ReadonlySet<string>,
): Promise<readonly UnneededFiles[]> {
  const isGone = ({ name }: Dirent): boolean => isSessionId(name) && !sessionIds.has(name.toLowerCase());
  const count = new Count();
  const history = dirname(fileHistoryOf(configDir, 'any'));
  const projects = projectsFolderOf(configDir);
  const found: UnneededFiles[] = [
    { kind: 'file-history', path: history, ...(await count.of(history, isGone)) },
    { kind: 'session-folders', path: projects, ...(await count.inEach(projects, isGone)) },
    { kind: 'debug-logs', path: join(configDir, 'debug'), ...(await count.of(join(configDir, 'debug'), isLog)) },
  ];
  return found.filter(({ bytes }) => bytes >= MIN_BYTES);
}

function isLog({ name }: Dirent): boolean {
  return name.endsWith('.txt');
}

interface Amount {
  readonly entries: number;
  readonly bytes: number;
}

class Count {
  #left = MAX_ENTRIES;

  /** Those of the entries of a folder that match, with all that is in them. */
  async of(folder: string, matches: (entry: Dirent) => boolean): Promise<Amount> {
    let [entries, bytes] = [0, 0];
    for (const entry of await entriesIn(folder)) {
      if (!matches(entry)) continue;
      entries++;
      bytes += await this.#bytesOf(join(folder, entry.name), entry);
    }
    return { entries, bytes };
  }

  /** The same for the folders of each folder in `parent`. */
  async inEach(parent: string, matches: (entry: Dirent) => boolean): Promise<Amount> {
    let [entries, bytes] = [0, 0];
    for (const folder of await entriesIn(parent)) {
      if (!folder.isDirectory()) continue;
      const amount = await this.of(join(parent, folder.name), (entry) => entry.isDirectory() && matches(entry));
      entries += amount.entries;
      bytes += amount.bytes;
    }
    return { entries, bytes };
  }

  async #bytesOf(path: string, entry: Dirent): Promise<number> {
    if (this.#left-- <= 0) return 0;
    if (entry.isDirectory()) {
      let bytes = 0;
      for (const inner of await entriesIn(path)) bytes += await this.#bytesOf(join(path, inner.name), inner);
      return bytes;
    }
    if (!entry.isFile()) return 0;
    const stat = await lstat(path).catch(() => null);
    return stat === null || stat.nlink > 1 ? 0 : stat.size;
  }
}

async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
