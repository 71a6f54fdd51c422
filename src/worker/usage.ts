import { randomUUID } from 'node:crypto';
import { nodeWriteFs } from '../core/storage/writeFs';
import { ToolCache } from '../core/usage/toolCache';
import { UsageCache, type UsageCacheDeps } from '../core/usage/usageCache';
import { UsageService, type UsageServiceDeps } from '../core/usage/usageService';
import { systemClock } from '../core/util/scheduling';

export interface UsageDeps extends Omit<UsageServiceDeps, 'clock' | 'openCache' | 'openToolCache' | 'write'> {
  readonly engineVersion: string;
  /** Absolute path of the extension's own folder; null if nothing is kept. */
  readonly cacheDir: () => string | null;
  readonly warn: UsageCacheDeps['warn'];
}

/** Counts tokens. Loaded on first use: many windows never need it. */
export function createUsage({ engineVersion, cacheDir, warn, ...parts }: UsageDeps): UsageService {
  return new UsageService({
    ...parts,
    clock: systemClock,
    write: { fs: nodeWriteFs, random: randomUUID },
    openCache: (configDir) => {
      const folder = cacheDir();
      return folder === null ? null : new UsageCache({ folder, configDir, engineVersion, warn });
    },
    openToolCache: (configDir) => {
      const folder = cacheDir();
      return folder === null ? null : new ToolCache({ folder, configDir, warn });
    },
  });
}
