import { newestMeasured, setupClient } from '../../scripts/setupClient.mjs';

/**
 * Version of the client that the tests are about: `npm run test:resume -- --client 2.1.250` names it, else it is the newest
 * measured one. The engine predicts by its rules.
 */
export function testedVersion(): string {
  const at = process.argv.indexOf('--client');
  const named = at < 0 ? process.argv.find((word) => word.startsWith('--client='))?.slice(9) : process.argv[at + 1];
  return named ?? newestMeasured();
}

/** Whether what was stored of the newest measured client also holds of the tested one. */
export function isStoredClient(): boolean {
  return testedVersion() === newestMeasured();
}

/**
 * Path of the real client of a version, which is downloaded once into a cache folder. `CLAUDE_BIN` replaces that of the
 * tested version. Throws `Unavailable` when the download is refused.
 */
export function findClient(version = testedVersion()): string {
  const named = process.env['CLAUDE_BIN'] ?? '';
  return named === '' || version !== testedVersion() ? setupClient(version) : named;
}
