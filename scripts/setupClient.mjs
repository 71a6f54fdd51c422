// @ts-check
// Installs the Claude Code client that the resume tests talk to into the cache folder, from npm, and prints its path on
// stdout. What is there already is left alone.
//   node scripts/setupClient.mjs
// Exit code 3 and `skipped: …` on stderr when the download was refused.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installIntoCache } from './installIntoCache.mjs';
import { SKIPPED_EXIT_CODE, Unavailable } from './unavailable.mjs';

const CLIENT_VERSION = '2.1.330';

/**
 * @returns {string} absolute path of the client's executable
 * @throws {Unavailable}
 */
export function setupClient() {
  const folder = installIntoCache({
    folder: `claude-${CLIENT_VERSION}`,
    spec: `@anthropic-ai/claude-code@${CLIENT_VERSION}`,
    // The executable lies in an optional package for the platform; the scripts that would link it are not run.
    isReady: (installed) => isExecutable(clientIn(installed)),
    otherwise: `came without ${platformPackage()}`,
  });
  return clientIn(folder);
}

/** @param {string} folder */
function clientIn(folder) {
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
  return join(folder, 'node_modules/@anthropic-ai', platformPackage(), name);
}

function platformPackage() {
  return `claude-code-${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`;
}

/** The report of a Node that was built for musl names no glibc. */
function isMusl() {
  if (process.platform !== 'linux') return false;
  // Without it, the report looks up the names of hosts.
  Reflect.set(process.report, 'excludeNetwork', true);
  return !JSON.stringify(process.report.getReport()).includes('"glibcVersionRuntime"');
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    console.log(setupClient());
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.error(`skipped: ${error.message}`);
    process.exitCode = SKIPPED_EXIT_CODE;
  }
}
