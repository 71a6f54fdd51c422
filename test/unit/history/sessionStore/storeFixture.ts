import { join } from 'node:path';
import {
  type MutatingCall,
  sessionPaths,
  type SessionPaths,
  SessionStore,
  type StoreDeps,
  storeLayout,
} from '../../../rooms/history';
import { nodeWriteFs, type WriteFs } from '../../../rooms/storage';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

export interface StoreFixture {
  /** A temporary folder that contains the config folder. */
  readonly folder: string;
  readonly configDir: string;
  readonly deps: StoreDeps;
  readonly store: SessionStore;
  readonly pathsOf: (id: string) => SessionPaths;
  /** The same folder, accessed through another file system. */
  readonly storeOn: (fs: WriteFs, deps?: Partial<StoreDeps>) => SessionStore;
}

/** Times grow by 1 ms with each reading of the clock, names by 1 with each use. */
export function storeParts(configDir: string, fs: WriteFs = nodeWriteFs, prefix = 'drawn'): StoreDeps {
  let ms = Date.UTC(2026, 10, 22);
  let drawn = 0;
  return { configDir: () => configDir, fs, now: () => ms++, random: () => `${prefix}-${drawn++}` };
}

export function withStore<T>(use: (fixture: StoreFixture) => Promise<T>): Promise<T> {
  return withTemporaryFolder((folder) => {
    const configDir = join(folder, 'config');
    const deps = storeParts(configDir);
    return use({
      folder,
      configDir,
      deps,
      store: new SessionStore(deps),
      pathsOf: (id) => sessionPaths(storeLayout(configDir), id),
      storeOn: (fs, others) => new SessionStore({ ...deps, ...others, fs }),
    });
  });
}

export function callOf(call: Partial<MutatingCall> = {}): MutatingCall {
  return {
    promptUuid: null,
    promptId: null,
    toolUseId: null,
    toolName: 'Write',
    agentId: null,
    transcriptPath: null,
    ...call,
  };
}

export function bodiesOf(messages: readonly { readonly body: unknown }[]): unknown[] {
  return messages.map(({ body }) => body);
}
