import { setupClient } from '../../scripts/setupClient.mjs';

/**
 * Path of the real client: `CLAUDE_BIN` if set, otherwise the pinned version, which is downloaded once into a cache
 * folder. Throws `Unavailable` if the download is refused.
 */
export function findClient(): string {
  const named = process.env['CLAUDE_BIN'];
  return named === undefined || named === '' ? setupClient() : named;
}
