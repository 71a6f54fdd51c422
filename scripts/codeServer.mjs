// @ts-check
// Starts and ends a VS Code server on 127.0.0.1 with data folders of its own. Nothing leaves the machine.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 50;

/** Settings of a workbench that shows nothing but what is looked at. */
const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.reduceMotion': 'on',
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
  'files.simpleDialog.enable': true,
  'remote.autoForwardPorts': false,
  'security.workspace.trust.startupPrompt': 'never',
};

/**
 * @typedef {object} CodeServerOptions
 * @property {import('./setupVscode.mjs').VscodeInstallation} installation
 * @property {string} folder  where its settings, extensions and logs go; the caller removes it
 * @property {string | readonly string[]} [vsix]  an extension to install first, or several
 * @property {Record<string, unknown>} [settings]
 * @property {NodeJS.ProcessEnv} [env]  on top of this process's
 * @property {string[]} [args]
 * @property {boolean} [isTrusted]  without it, the workspace opens in Restricted Mode
 */

/**
 * @typedef {object} CodeServer
 * @property {string} origin   http://127.0.0.1:PORT
 * @property {string} logFile  what the server printed
 * @property {(folder: string, payload?: [string, string][]) => string} url  of a workbench with that folder open
 * @property {(path: string) => string} remoteUri  a path of this machine as the workbench names it
 * @property {() => Promise<void>} stop  ends the server and everything that it started
 */

/**
 * @param {CodeServerOptions} options
 * @returns {Promise<CodeServer>}
 */
export async function startCodeServer({
  installation,
  folder,
  vsix,
  settings = {},
  env = {},
  args = [],
  isTrusted = true,
}) {
  const userData = join(folder, 'user');
  await mkdir(join(userData, 'User'), { recursive: true });
  await writeFile(join(userData, 'User/settings.json'), JSON.stringify({ ...QUIET_SETTINGS, ...settings }, null, 2));
  const environment = serverEnvironment(env);
  // Without --config it would write to the person's ~/.config.
  const folders = ['--user-data-dir', userData, '--extensions-dir', join(folder, 'extensions')];
  const command = [installation.entry, ...folders, '--config', join(folder, 'config.yaml')];
  if (vsix) {
    const install = [vsix].flat().flatMap((each) => ['--install-extension', resolve(each)]);
    execFileSync(installation.node, [...command, ...install, '--force'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  const logFile = join(folder, 'server.log');
  const output = openSync(logFile, 'w');
  const quiet = ['--disable-telemetry', '--disable-update-check', '--disable-proxy'];
  const trust = isTrusted ? ['--disable-workspace-trust'] : [];
  const network = ['--auth', 'none', '--bind-addr', '127.0.0.1:0'];
  const start = ['--disable-getting-started-override', '--ignore-last-opened'];
  const child = spawn(installation.node, [...command, ...network, ...quiet, ...trust, ...start, ...args], {
    env: environment,
    stdio: ['ignore', output, output],
    // A process group of its own, so that extension hosts and terminals end with it.
    detached: true,
  });
  closeSync(output);
  const group = child.pid;
  if (group === undefined) throw new Error(`Failed to start ${installation.node}`);
  const kill = () => signalGroup(group, 'SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    await endGroup(group);
    process.off('exit', kill);
  };

  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const origin = await listeningOrigin(logFile, hasExited).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    origin,
    logFile,
    stop,
    url: (workspace, payload = []) => {
      const address = new URL(origin);
      address.searchParams.set('folder', resolve(workspace));
      if (payload.length > 0) address.searchParams.set('payload', JSON.stringify(payload));
      return address.href;
    },
    remoteUri: (path) => `vscode-remote://${new URL(origin).host}${resolve(path)}`,
  };
}

/**
 * @param {NodeJS.ProcessEnv} extra
 * @returns {NodeJS.ProcessEnv}
 */
function serverEnvironment(extra) {
  // What a surrounding VS Code's terminal sets would make the server take itself for a part of that one.
  const inherited = Object.entries(process.env).filter(([key]) => !/^(VSCODE_|ELECTRON_|CODE_SERVER_)/.test(key));
  // An empty gallery turns the marketplace off.
  return { ...Object.fromEntries(inherited), EXTENSIONS_GALLERY: '{}', ...extra };
}

/**
 * @param {string} logFile
 * @param {() => boolean} hasExited
 */
async function listeningOrigin(logFile, hasExited) {
  for (const end = Date.now() + START_TIMEOUT_MS; ; await sleep(POLL_MS)) {
    const log = await readFile(logFile, 'utf8');
    const origin = /HTTP server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(log)?.[1];
    if (origin) return origin;
    if (hasExited() || Date.now() > end) throw new Error(`Failed to start code-server:\n${log}`);
  }
}

/** @param {number} group */
async function endGroup(group) {
  signalGroup(group, 'SIGTERM');
  for (const end = Date.now() + STOP_TIMEOUT_MS; signalGroup(group, 0); await sleep(POLL_MS)) {
    if (Date.now() > end) signalGroup(group, 'SIGKILL');
  }
}

/**
 * @param {number} group
 * @param {NodeJS.Signals | 0} signal
 * @returns {boolean} whether a process of the group is left
 */
function signalGroup(group, signal) {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}
