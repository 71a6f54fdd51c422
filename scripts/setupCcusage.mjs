// @ts-check
import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { installIntoCache } from './installIntoCache.mjs';

/** A native one, and the last that was written in JavaScript. */
export const CCUSAGE_VERSIONS = /** @type {const} */ ({ native: '20.0.24', javascript: '18.0.11' });

/**
 * Installs the tool that the benchmark of the token counts is held against into the cache folder, from npm.
 * @param {keyof typeof CCUSAGE_VERSIONS} kind
 * @returns {string[]} the command that runs it, with Node where it needs one
 * @throws {import('./unavailable.mjs').Unavailable}
 */
export function setupCcusage(kind) {
  const version = CCUSAGE_VERSIONS[kind];
  const platform = `@ccusage/ccusage-${process.platform}-${process.arch}`;
  const path = kind === 'native' ? join(platform, 'bin', binaryName()) : 'ccusage/dist/index.js';
  const isReady = (/** @type {string} */ folder) => existsSync(join(folder, 'node_modules', path));
  const otherwise = `came without ${path}`;
  const folder = installIntoCache({ folder: `ccusage-${version}`, spec: `ccusage@${version}`, isReady, otherwise });
  const tool = join(folder, 'node_modules', path);
  if (kind === 'javascript') return [process.execPath, tool];
  // The package leaves that to its own start script.
  chmodSync(tool, 0o755);
  return [tool];
}

function binaryName() {
  return process.platform === 'win32' ? 'ccusage.exe' : 'ccusage';
}
