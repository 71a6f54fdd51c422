import { basename } from 'node:path';
import type { SessionProvider } from '../../src/core/providers/provider';

/** The common part of all fake providers: it has all capabilities, and names sessions after their files, none of which is running. */
export const FAKE_PROVIDER: Pick<
  SessionProvider,
  'id' | 'capabilities' | 'refOf' | 'readLiveness' | 'findDebris' | 'clearDebris' | 'pruneBackups'
> = {
  id: 'claude',
  capabilities: { repair: true, fork: true, rewind: true },
  findDebris: () => Promise.resolve([]),
  clearDebris: () => Promise.resolve(null),
  pruneBackups: () => Promise.resolve([]),
  readLiveness: () => () => Promise.resolve({ live: 'not-live', why: null }),
  refOf: (path) => ({ provider: 'claude', id: basename(path, '.jsonl'), path }),
};
