import { dirname, join } from 'node:path';
import { clearLeftovers, findLeftovers } from '../storage/files/rollBack';
import type { WriteDeps } from '../storage/openTranscript';
import { clearUnfinished, findUnfinished, UNFINISHED_MS } from '../storage/store/keepContent';
import { clearHiddenFolders, findHiddenFolders } from '../storage/store/sessionFolder';
import { pathsIn, storeLayout } from './checkpoints/storeLayout';

/**
 * What rewinds and checkpoint hooks that were killed have left in a config folder, by path, where nothing has to be put
 * back: locks, snapshots of rewinds that never began, and unfinished copies. An interrupted rewind is not among them: the
 * next rewind, undo or start of the extension puts it back. Never rejects.
 */
export async function findLeftRecords(
  configDir: string,
  deps: Pick<WriteDeps, 'fs' | 'now'>,
): Promise<readonly string[]> {
  const { fs, now } = deps;
  const { rewinds, sessions, files } = await foldersIn(configDir, fs);
  const beforeMs = now() - UNFINISHED_MS;
  const found = [
    ...rewinds.map((folder) => findLeftovers(dirname(folder), folder, deps).catch(() => [])),
    ...files.map((folder) => findUnfinished(folder, beforeMs, fs)),
    findHiddenFolders(sessions, beforeMs, fs),
  ];
  return [...new Set((await Promise.all(found)).flat())];
}

/** Removes what `findLeftRecords` finds. Returns the paths that are left. Never rejects. */
export async function clearLeftRecords(configDir: string, deps: WriteDeps): Promise<readonly string[]> {
  const { fs, now } = deps;
  const { rewinds, sessions, files } = await foldersIn(configDir, fs);
  const beforeMs = now() - UNFINISHED_MS;
  for (const folder of rewinds) await clearLeftovers(dirname(folder), folder, deps);
  for (const folder of files) await clearUnfinished(folder, beforeMs, fs);
  await clearHiddenFolders(sessions, beforeMs, fs);
  return findLeftRecords(configDir, deps);
}

interface RecordFolders {
  /** Of the sessions that were rewound. If there is none, one that does not exist stands for the folder of all of them. */
  readonly rewinds: readonly string[];
  /** Contains a folder for each session with checkpoints. */
  readonly sessions: string;
  /** In which the hook writes. */
  readonly files: readonly string[];
}

async function foldersIn(configDir: string, fs: Pick<WriteDeps['fs'], 'readdir'>): Promise<RecordFolders> {
  const namesIn = (folder: string): Promise<readonly string[]> => fs.readdir(folder).catch(() => []);
  const rewinds = join(configDir, 'rethread', 'rewinds');
  const layout = storeLayout(configDir);
  const rewound = await namesIn(rewinds);
  const kept = (await namesIn(layout.sessions)).map((name) => pathsIn(join(layout.sessions, name), layout));
  return {
    rewinds: (rewound.length === 0 ? ['none'] : rewound).map((name) => join(rewinds, name)),
    sessions: layout.sessions,
    files: [dirname(layout.problems), ...kept.flatMap(({ folder, content }) => [folder, content.own])],
  };
}
