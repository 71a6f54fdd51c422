import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRewinds, type Rewinds } from '../../rooms/history';
import { loaderRules } from '../../rooms/loader';
import { nodeWriteFs, type WriteFs } from '../../rooms/storage';
import { createFileScanner } from '../../rooms/transcript';
import { createPacer } from '../../rooms/util';
import { plainScanner } from '../../support/plainScanner';

/** A temporary home with a project beside it. Everything in `root` except `home` belongs to the session. */
export interface Place {
  readonly root: string;
  readonly home: string;
  readonly cwd: string;
  readonly configDir: string;
  readonly sessionId: string;
  readonly filePath: string;
  readonly backupFolder: string;
}

export const HOME = 'home';

/** The project is `<root>/project`, unless another name is given. */
export function makePlace(root: string, sessionId: string, project = 'project'): Place {
  const home = join(root, HOME);
  const cwd = join(root, project);
  const configDir = join(home, '.claude');
  const folder = join(configDir, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
  const backupFolder = join(configDir, 'file-history', sessionId);
  for (const each of [cwd, folder, backupFolder]) mkdirSync(each, { recursive: true });
  return { root, home, cwd, configDir, sessionId, filePath: join(folder, `${sessionId}.jsonl`), backupFolder };
}

/** Nothing here has to survive a power failure, and waiting for the disk takes most of the time. */
const unsyncedFs: WriteFs = {
  ...nodeWriteFs,
  async open(path, mode) {
    const file = await nodeWriteFs.open(path, mode);
    return { ...file, sync: () => Promise.resolve() };
  },
};

/** Our rewinds of a place's sessions, on the real file system. */
export function rewindsOf({ configDir, home }: Place): Rewinds {
  const scanFile = createFileScanner(plainScanner, createPacer(10));
  return createRewinds({
    capabilities: { rewind: true },
    scanFile,
    rules: loaderRules(),
    configDir: () => configDir,
    homeDir: home,
    write: { fs: unsyncedFs, now: Date.now, random: randomUUID },
    liveness: () => Promise.resolve({ live: 'not-live', why: null }),
    ownCheckpoints: { read: () => Promise.resolve([]) },
  });
}
