// @ts-check
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { npmEnvironment, npmScript } from './npmCommand.mjs';

/** Runs `npm ci` when node_modules is missing or is not what package-lock.json says. Expects the repository as cwd. */
export function installDependencies() {
  if (isInstalled()) return;
  console.log('npm ci');
  execFileSync(process.execPath, [npmScript(), 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    env: npmEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

/** npm leaves a copy of the lock file, without the packages for other platforms, in node_modules. */
function isInstalled() {
  const wanted = packages('package-lock.json');
  const present = packages('node_modules/.package-lock.json');
  if (!wanted || !present) return false;
  const isRight = Object.entries(present).every(([path, entry]) => wanted[path]?.version === entry.version);
  const isComplete = Object.entries(wanted).every(([path, entry]) => path === '' || entry.optional || present[path]);
  return isRight && isComplete;
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version?: string, optional?: boolean }> | null}
 */
function packages(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return null;
  }
}
