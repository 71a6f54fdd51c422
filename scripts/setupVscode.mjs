// @ts-check
// Installs real VS Codes (code-server), the Node each one needs, and Chromium, from npm and apt alone. What is there
// already is left alone, so a second run takes no time.
//
//   node scripts/setupVscode.mjs [1.139] [1.100]      default: both
//
// Exit code 3 when something cannot be had on this machine (no network, no apt): its tests are to be skipped aloud.
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheFolder } from './cacheFolder.mjs';
import { npmEnvironment, npmScript } from './npmCommand.mjs';
import { refusal, Unavailable, SKIPPED_EXIT_CODE } from './unavailable.mjs';
import { VSCODE_RELEASES } from './vscodeReleases.mjs';

/** Raise it when the steps of an installation change, so that older ones are not taken for complete. */
const SCHEME = 1;

/** What VS Code cannot do without, or can do better with; code-server's own postinstall builds more, for minutes. */
const NATIVE_MODULES = [
  '@vscode/spdlog',
  '@vscode/native-watchdog',
  'native-watchdog',
  '@vscode/fs-copyfile',
  'node-pty',
  '@parcel/watcher',
];

/** 300 MB that no test of an extension uses; paths within code-server's lib/vscode. */
const UNUSED = ['extensions/copilot', 'node_modules/@microsoft/mxc-sdk/bin'];

/**
 * @typedef {object} VscodeInstallation
 * @property {string} vscode  major.minor
 * @property {string} node    absolute path of the Node that runs it
 * @property {string} entry   absolute path of code-server's script
 */

/**
 * @param {import('./vscodeReleases.mjs').VscodeRelease} release
 * @returns {Promise<VscodeInstallation>}
 * @throws {Unavailable} when a download is refused
 */
export async function installVscode(release) {
  if (process.platform !== 'linux')
    throw new Unavailable(`code-server is set up on Linux only, not ${process.platform}`);
  await mkdir(cacheFolder(), { recursive: true });
  const nodeFolder = await installOnce(`node-${release.node}`, (folder) => installNode(release.node, folder));
  const name = `code-server-${release.codeServer}-s${SCHEME}`;
  const codeServer = await installOnce(name, (folder) => installCodeServer(release.codeServer, nodeFolder, folder));
  return {
    vscode: release.vscode,
    node: join(nodeFolder, 'bin/node'),
    entry: join(codeServer, 'node_modules/code-server/out/node/entry.js'),
  };
}

/**
 * Debian's own Chromium, or the executable that CHROMIUM names.
 * @returns {string} its absolute path
 * @throws {Unavailable}
 */
export function installChromium() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  const present = which('chromium');
  // Without a font of their own, pages on a server have none at all.
  if (!present) aptInstall(['chromium', 'fonts-dejavu-core']);
  installCjkFont();
  if (present) return present;
  const installed = which('chromium');
  if (!installed) throw new Unavailable('apt installed no `chromium`; name one in CHROMIUM');
  return installed;
}

/** Without a font that has its characters, Chromium needs seconds to lay out a page of Chinese or Japanese. */
function installCjkFont() {
  if (!which('apt-get') || !which('fc-list')) return;
  if (execFileSync('fc-list', [':lang=ja'], { encoding: 'utf8' }) === '') aptInstall(['fonts-droid-fallback']);
}

/**
 * Fills a folder of the cache beside its final place and moves it there when it is complete, so that an interrupted
 * or a second, simultaneous installation leaves nothing half done.
 * @param {string} name
 * @param {(folder: string) => Promise<void>} install
 */
async function installOnce(name, install) {
  const final = join(cacheFolder(), name);
  if (existsSync(final)) return final;
  const temporary = await mkdtemp(join(cacheFolder(), `.${name}-`));
  try {
    await install(temporary);
    await rename(temporary, final).catch((error) => {
      if (!existsSync(final)) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return final;
}

/**
 * The npm package holds the binary itself and its headers, and runs no download script.
 * @param {string} version
 * @param {string} folder
 */
async function installNode(version, folder) {
  const name = `node-linux-${process.arch}`;
  say(`npm: ${name}@${version}`);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  npm(process.execPath, folder, ['install', '--no-save', '--ignore-scripts', `${name}@${version}`]);
  for (const entry of await readdir(join(folder, 'node_modules', name))) {
    await rename(join(folder, 'node_modules', name, entry), join(folder, entry)).catch(() => undefined);
  }
}

/**
 * @param {string} version
 * @param {string} nodeFolder
 * @param {string} folder
 */
async function installCodeServer(version, nodeFolder, folder) {
  const node = join(nodeFolder, 'bin/node');
  const extra = {
    npm_config_nodedir: nodeFolder,
    npm_config_yes: 'true',
    PATH: `${nodeFolder}/bin:${process.env.PATH}`,
  };
  /** @type {(cwd: string, args: string[]) => void} */
  const run = (cwd, args) => npm(node, cwd, args, extra);
  const root = join(folder, 'node_modules/code-server');
  const code = join(root, 'lib/vscode');

  say(`npm: code-server@${version}`);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  run(folder, ['install', '--no-save', '--ignore-scripts', `code-server@${version}`]);
  // Releases whose argon2 holds no built module cannot start without one.
  const toBuild = existsSync(join(folder, 'node_modules/argon2/prebuilds')) ? [] : ['argon2'];
  // `npm ci` refuses here: upstream's shrinkwrap lacks a peer. `install` obeys it for the rest.
  run(code, ['install', '--omit=dev', '--ignore-scripts']);
  run(join(code, 'extensions'), ['install', '--omit=dev', '--ignore-scripts']);
  // The two links that its postinstall makes.
  await symlink('code-linux.sh', join(code, 'bin/remote-cli/code-server')).catch(() => undefined);
  await symlink('browser-linux.sh', join(code, 'bin/helpers/browser.sh')).catch(() => undefined);

  const native = NATIVE_MODULES.filter((name) => existsSync(join(code, 'node_modules', name)));
  say(`building ${[...toBuild, ...native].join(', ')}`);
  ensureCompiler();
  if (toBuild.length > 0) run(folder, ['rebuild', ...toBuild]);
  run(code, ['rebuild', ...native]);
  await trim(code);
}

/** @param {string} code */
async function trim(code) {
  const platform = `linux-${process.arch}`;
  const perPlatform = ['node_modules/@vscode/ripgrep-universal/bin', 'node_modules/node-pty/prebuilds'];
  const others = await Promise.all(
    perPlatform.map(async (folder) => {
      const entries = await readdir(join(code, folder)).catch(() => /** @type {string[]} */ ([]));
      return entries.filter((entry) => !entry.startsWith(platform)).map((entry) => join(folder, entry));
    }),
  );
  for (const path of [...UNUSED, ...others.flat()]) await rm(join(code, path), { recursive: true, force: true });
}

function ensureCompiler() {
  if (['g++', 'make', 'python3'].some((tool) => !which(tool))) aptInstall(['g++', 'make', 'python3']);
}

/**
 * @param {string} node
 * @param {string} cwd
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [extra]
 */
function npm(node, cwd, args, extra = {}) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  execute(node, [npmScript(), ...args, ...quiet], { cwd, env: { ...npmEnvironment(), ...extra } });
}

/** Installs what sets and shows extended attributes and ACLs. Throws `Unavailable`. */
export function installAttributeTools() {
  if (!which('setfattr') || !which('setfacl')) aptInstall(['attr', 'acl']);
}

/** Installs what runs the client in a terminal of a test. Throws `Unavailable`. */
export function installTerminal() {
  if (!which('tmux')) aptInstall(['tmux']);
}

/** @param {string[]} packages */
function aptInstall(packages) {
  if (!which('apt-get')) throw new Unavailable(`${packages.join(', ')} missing, and no apt-get to install from`);
  say(`apt: ${packages.join(', ')}`);
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', ...(process.stdin.isTTY ? [] : ['-n'])];
  if (asRoot.length > 0 && !which('sudo'))
    throw new Unavailable(`${packages.join(', ')} missing, and no right to install`);
  /** @type {(args: string[]) => void} */
  const apt = (args) => {
    // Tests that run side by side install the same packages; another program may be installing its own.
    mkdirSync(cacheFolder(), { recursive: true });
    const oneAtATime = which('flock') ? ['flock', join(cacheFolder(), 'apt.lock')] : [];
    const quietly = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=600'];
    const [command = '', ...rest] = [...oneAtATime, ...asRoot, ...quietly, ...args];
    execute(command, rest, {});
  };
  const install = ['install', '-y', '--no-install-recommends', ...packages];
  try {
    apt(install);
  } catch {
    // The package lists of a machine just set up are missing or out of date.
    apt(['update']);
    apt(install);
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} options
 */
function execute(command, args, options) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    ...options,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  const output = `${stdout ?? ''}${stderr ?? ''}`;
  const refused = refusal(output);
  if (refused) throw new Unavailable(refused);
  throw new Error(`Failed to run ${command} ${args.join(' ')}\n${output}`, { cause: error });
}

/** @param {string} tool */
function which(tool) {
  try {
    return execFileSync('sh', ['-c', 'command -v "$0"', tool], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/** @param {string} text */
function say(text) {
  console.log(`[setup] ${text}`);
}

async function main() {
  const wanted = process.argv.slice(2);
  const releases = VSCODE_RELEASES.filter(({ vscode }) => wanted.length === 0 || wanted.includes(vscode));
  if (wanted.length > 0 && releases.length !== wanted.length) {
    throw new Error(`Known releases: ${VSCODE_RELEASES.map(({ vscode }) => vscode).join(', ')}`);
  }
  say(`Chromium: ${installChromium()}`);
  for (const release of releases) {
    const { entry } = await installVscode(release);
    say(`VS Code ${release.vscode}: ${entry}`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main().catch((error) => {
    console.error(error instanceof Unavailable ? `skipped: ${error.message}` : error);
    process.exitCode = error instanceof Unavailable ? SKIPPED_EXIT_CODE : 1;
  });
}
