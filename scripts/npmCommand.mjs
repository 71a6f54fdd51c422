// @ts-check
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

/** Absolute path of npm's own script, so that another Node than the one on PATH can run it. */
export function npmScript() {
  const running = process.env.npm_execpath;
  if (running?.endsWith('npm-cli.js')) return running;
  return realpathSync(execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim());
}

/**
 * The environment for an npm that works in another folder: what a surrounding `npm test` says of this package is left out.
 * @returns {NodeJS.ProcessEnv}
 */
export function npmEnvironment() {
  const ours = /^npm_(package_|lifecycle_|command$|config_local_prefix$)|^INIT_CWD$/;
  return Object.fromEntries(Object.entries(process.env).filter(([key]) => !ours.test(key)));
}
