// @ts-check
// Installs the Claude Code client that the resume tests talk to into the cache folder, from npm, and prints its path on
// stdout. What is there already is left alone.
//   node scripts/setupClient.mjs
// Exit code 3 and `skipped: …` on stderr when the download was refused.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheFolder } from './cacheFolder.mjs';
import { npmEnvironment, npmScript } from './npmCommand.mjs';
import { refusal, SKIPPED_EXIT_CODE, Unavailable } from './unavailable.mjs';

const CLIENT_VERSION = '2.1.330';
const INSTALL_TIMEOUT_MS = 8 * 60_000;

/**
 * @returns {string} absolute path of the client's executable
 * @throws {Unavailable}
 */
export function setupClient() {
  const final = join(cacheFolder(), `claude-${CLIENT_VERSION}`);
  if (isExecutable(clientIn(final))) return clientIn(final);
  mkdirSync(cacheFolder(), { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder(), `.claude-${CLIENT_VERSION}-`));
  try {
    install(temporary);
    publish(temporary, final);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return clientIn(final);
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

/**
 * The executable lies in an optional package for the platform; the scripts that would link it are not run.
 * @param {string} folder
 */
function install(folder) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const quiet = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const wanted = `@anthropic-ai/claude-code@${CLIENT_VERSION}`;
  const npm = spawnSync(process.execPath, [npmScript(), 'install', ...quiet, wanted], {
    cwd: folder,
    env: npmEnvironment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (npm.status !== 0) {
    const refused = refusal(npm.stderr);
    if (refused !== null) throw new Unavailable(`${wanted} could not be downloaded: ${refused}`);
    throw new Error(`Failed to install ${wanted}: ${npm.error?.message ?? npm.stderr}`);
  }
  // npm passes over an optional package that the registry does not hand out.
  if (!isExecutable(clientIn(folder))) throw new Unavailable(`${wanted} came without ${platformPackage()}`);
}

/**
 * The one that comes second of two at once keeps what the first one installed.
 * @param {string} temporary
 * @param {string} final
 */
function publish(temporary, final) {
  if (existsSync(final) && !isExecutable(clientIn(final))) rmSync(final, { recursive: true, force: true });
  try {
    renameSync(temporary, final);
  } catch (error) {
    if (!isExecutable(clientIn(final))) throw error;
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
