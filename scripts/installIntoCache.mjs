// @ts-check
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cacheFolder.mjs';
import { npmEnvironment, npmScript } from './npmCommand.mjs';
import { refusal, Unavailable } from './unavailable.mjs';

const INSTALL_TIMEOUT_MS = 8 * 60_000;

/**
 * Installs an npm package into a folder of its own in the cache. What is there already is left alone. The package's
 * scripts are not run.
 * @param {object} wanted
 * @param {string} wanted.folder  its name in the cache
 * @param {string} wanted.spec  `name@version`, exact
 * @param {(folder: string) => boolean} wanted.isReady  whether the folder holds what is wanted of the package
 * @param {string} wanted.otherwise  what is said when it was installed and does not: npm passes over an optional package
 *   that the registry does not hand out
 * @returns {string} absolute path of the folder, with `node_modules` in it
 * @throws {Unavailable}
 */
export function installIntoCache({ folder, spec, isReady, otherwise }) {
  const final = join(cacheFolder(), folder);
  if (isReady(final)) return final;
  mkdirSync(cacheFolder(), { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder(), `.${folder}-`));
  try {
    install(temporary, spec);
    if (!isReady(temporary)) throw new Unavailable(`${spec} ${otherwise}`);
    publish(temporary, final, isReady);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return final;
}

/**
 * @param {string} folder
 * @param {string} spec
 */
function install(folder, spec) {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const quiet = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const npm = spawnSync(process.execPath, [npmScript(), 'install', ...quiet, spec], {
    cwd: folder,
    env: npmEnvironment(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (npm.status === 0) return;
  const refused = refusal(npm.stderr);
  if (refused !== null) throw new Unavailable(`${spec} could not be downloaded: ${refused}`);
  throw new Error(`Failed to install ${spec}: ${npm.error?.message ?? npm.stderr}`);
}

/**
 * The one that comes second of two at once keeps what the first one installed.
 * @param {string} temporary
 * @param {string} final
 * @param {(folder: string) => boolean} isReady
 */
function publish(temporary, final, isReady) {
  if (existsSync(final) && !isReady(final)) rmSync(final, { recursive: true, force: true });
  try {
    renameSync(temporary, final);
  } catch (error) {
    if (!isReady(final)) throw error;
  }
}
