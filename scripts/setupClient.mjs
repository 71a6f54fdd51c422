// @ts-check
// Installs the Claude Code client that the resume tests talk to into the cache folder, from npm, and prints its path on
// stdout. What is there already is left alone.
//   node scripts/setupClient.mjs [VERSION]
// Without a version, it is the newest one whose rules were measured.
// Exit code 3 and `skipped: …` on stderr when the download was refused.
import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installIntoCache } from './installIntoCache.mjs';
import { SKIPPED_EXIT_CODE, Unavailable } from './unavailable.mjs';

const RULES = fileURLToPath(new URL('../src/core/providers/claude/loader/rules.ts', import.meta.url));

/**
 * The one place that names the version is the table of rules.
 * @returns {string}
 */
export function newestMeasured() {
  const version = /NEWEST_MEASURED = '([^']+)'/.exec(readFileSync(RULES, 'utf8'))?.[1];
  if (version === undefined) throw new Error(`Failed to find the newest measured client in ${RULES}`);
  return version;
}

/**
 * @param {string} [version]  such as `2.1.330`; the newest measured one by default
 * @returns {string} absolute path of the client's executable
 * @throws {Unavailable}
 */
export function setupClient(version = newestMeasured()) {
  const folder = installIntoCache({
    folder: `claude-${version}`,
    spec: `@anthropic-ai/claude-code@${version}`,
    // The executable lies in an optional package for the platform; the scripts that would link it are not run.
    isReady: (installed) => isExecutable(clientIn(installed)),
    otherwise: `came without ${platformPackage()}`,
  });
  return clientIn(folder);
}

/**
 * Older versions are a script for Node, which npm links as a command.
 * @param {string} folder
 */
function clientIn(folder) {
  const packages = join(folder, 'node_modules/@anthropic-ai');
  if (isExecutable(join(packages, 'claude-code/cli.js'))) return join(folder, 'node_modules/.bin/claude');
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
  return join(packages, platformPackage(), name);
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
    console.log(setupClient(process.argv[2]));
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.error(`skipped: ${error.message}`);
    process.exitCode = SKIPPED_EXIT_CODE;
  }
}
