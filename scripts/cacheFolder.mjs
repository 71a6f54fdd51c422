// @ts-check
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The one folder outside the checkout that development writes to; RETHREAD_DEV_CACHE puts it elsewhere. */
export function cacheFolder() {
  return (
    process.env.RETHREAD_DEV_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'rethread-dev')
  );
}
