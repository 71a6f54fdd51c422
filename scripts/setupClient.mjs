// Puts the Claude Code client that the resume tests talk to into a cache folder, once, and prints its path on stdout.
// Exit code 0: there. 3: the download was refused; stderr says "skipped: …". 1: something else went wrong.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const CLIENT_VERSION = '2.1.330';
const INSTALL_TIMEOUT_MS = 10 * 60_000;
const EXIT_SKIPPED = 3;

/** The download did not happen: no network, no npm, a registry that refuses. The caller skips, and says so. */
export class DownloadRefused extends Error {
  code = 'DOWNLOAD_REFUSED';
}

export function cacheFolder(env = process.env) {
  const root = env.RETHREAD_DEV_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'rethread-dev');
  return join(root, `claude-${CLIENT_VERSION}`);
}

/** Path of the client's binary; installs it first when it is not in the cache. */
export function setupClient(env = process.env) {
  const folder = cacheFolder(env);
  if (isExecutable(binaryIn(folder))) return binaryIn(folder);
  const staging = stagingBeside(folder);
  try {
    install(staging, env);
    if (!isExecutable(binaryIn(staging))) {
      throw new DownloadRefused(`npm brought no client for ${process.platform}-${process.arch}`);
    }
    publish(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return binaryIn(folder);
}

function binaryIn(folder) {
  const name = process.platform === 'win32' ? 'claude.exe' : 'claude';
  return join(folder, 'node_modules', '@anthropic-ai', platformPackage(), name);
}

function platformPackage() {
  return `claude-code-${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`;
}

/** The report of a Node that was built for musl names no glibc. */
function isMusl() {
  if (process.platform !== 'linux') return false;
  process.report.excludeNetwork = true;
  return !process.report.getReport().header.glibcVersionRuntime;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function stagingBeside(folder) {
  mkdirSync(join(folder, '..'), { recursive: true });
  return mkdtempSync(`${folder}.tmp-`);
}

/** `--ignore-scripts` leaves the wrapper package inert; the binary lies in the optional package of the platform. */
function install(folder, env) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
  const npm = spawnSync('npm', ['install', ...options, `@anthropic-ai/claude-code@${CLIENT_VERSION}`], {
    cwd: folder,
    env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (npm.error) throw new DownloadRefused(`npm could not be run: ${npm.error.message}`);
  if (npm.status !== 0) throw new DownloadRefused(firstErrors(npm.stderr));
}

function firstErrors(stderr) {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.slice(0, 3).join('; ') || 'npm failed without a word';
}

/** A rename, so that two runs at once never see half an installation; the one that comes second keeps the first's. */
function publish(staging, folder) {
  if (existsSync(folder) && !isExecutable(binaryIn(folder))) rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(staging, folder);
  } catch (error) {
    if (!isExecutable(binaryIn(folder))) throw error;
  }
}

function main() {
  try {
    console.log(setupClient());
  } catch (error) {
    const isRefused = error instanceof DownloadRefused;
    const what = `the Claude Code client ${CLIENT_VERSION} could not be`;
    console.error(isRefused ? `skipped: ${what} downloaded: ${error.message}` : `failed: ${what} set up: ${error}`);
    process.exitCode = isRefused ? EXIT_SKIPPED : 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
