// @ts-check
// `npm start`: from a fresh clone to a VS Code with the extension in it. Shows the person's own sessions, or demo ones in
// a throw-away folder when there are none. Nothing is installed for good, and Ctrl-C ends all that it started.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCodeServer } from './codeServer.mjs';
import { startDemoClients } from './demoClients.mjs';
import { addDemoFork } from './demoFork.mjs';
import { addDemoHistory } from './demoHistory.mjs';
import { createDemoSessions } from './demoSessions.mjs';
import { addDemoUsage } from './demoUsage.mjs';
import { installDependencies } from './installDependencies.mjs';
import { npmScript } from './npmCommand.mjs';
import { installVscode } from './setupVscode.mjs';
import { SKIPPED_EXIT_CODE, Unavailable } from './unavailable.mjs';
import { packageViewOpener, writeViewOpener } from './viewOpener.mjs';
import { NEWEST } from './vscodeReleases.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {{ configDir: string, workspace: string, isDemo: boolean, stop: () => Promise<void> }} Shown */

async function main() {
  const interrupted = new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, done);
  });
  const cameFrom = process.env.INIT_CWD ?? process.cwd();
  process.chdir(ROOT);
  installDependencies();
  console.log('Building…');
  execFileSync(process.execPath, [npmScript(), 'run', '--silent', 'package'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });

  const temporary = await realpath(await mkdtemp(join(tmpdir(), 'rethread-start-')));
  let stop = () => Promise.resolve();
  try {
    const shown = await sessionsToShow(temporary, cameFrom);
    stop = shown.stop;
    console.log('');
    spawnSync(process.execPath, ['dist/cli.js', 'scan', shown.configDir], { stdio: ['ignore', 'inherit', 'inherit'] });
    console.log('');
    await (hasDesktop() ? openDesktop(shown, temporary, interrupted) : serve(shown, temporary, interrupted));
  } finally {
    await stop();
    await rm(temporary, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * @param {string} temporary
 * @param {string} cameFrom  the folder that the person called `npm start` from
 * @returns {Promise<Shown>}
 */
async function sessionsToShow(temporary, cameFrom) {
  const configDir = process.env.CLAUDE_CONFIG_DIR ?? join(homedir(), '.claude');
  if (await hasSessions(configDir)) {
    console.log(`Your sessions, from ${configDir}:`);
    return { configDir, workspace: cameFrom, isDemo: false, stop: () => Promise.resolve() };
  }
  const folder = join(temporary, 'demo');
  const demo = await createDemoSessions(folder);
  await addDemoFork(demo);
  await addDemoHistory(folder, demo);
  await addDemoUsage(folder, demo);
  const stop = await startDemoClients(demo);
  console.log(
    `There are no sessions in ${configDir}. These are demo sessions in a throw-away folder, ${demo.configDir}:`,
  );
  return { configDir: demo.configDir, workspace: demo.workspace, isDemo: true, stop };
}

/** @param {string} configDir */
async function hasSessions(configDir) {
  const projects = join(configDir, 'projects');
  for (const project of await namesIn(projects)) {
    const names = await namesIn(join(projects, project));
    if (names.some((name) => name.endsWith('.jsonl') && !name.startsWith('agent-'))) return true;
  }
  return false;
}

/** @param {string} folder */
function namesIn(folder) {
  return readdir(folder).catch(() => /** @type {string[]} */ ([]));
}

/** In the terminal of a remote VS Code `code` is another program, which cannot load an extension from a folder. */
function hasDesktop() {
  return !process.env.VSCODE_IPC_HOOK_CLI && spawnSync('code', ['--version'], { stdio: 'ignore' }).status === 0;
}

/**
 * @param {Shown} shown
 * @param {string} temporary
 * @param {Promise<unknown>} interrupted
 */
async function openDesktop({ configDir, workspace, isDemo }, temporary, interrupted) {
  // Demo sessions get a VS Code of their own, as a running one would not see this environment.
  const own = [`--user-data-dir=${join(temporary, 'user')}`, `--extensions-dir=${join(temporary, 'extensions')}`];
  const extensions = [ROOT, await writeViewOpener(temporary)].map((path) => `--extensionDevelopmentPath=${path}`);
  const args = ['--wait', '--new-window', ...extensions, ...(isDemo ? own : []), workspace];
  const child = spawn('code', args, { env: { ...process.env, CLAUDE_CONFIG_DIR: configDir }, stdio: 'inherit' });
  console.log('VS Code is opening, with the Rethread view. Close its window, or press Ctrl-C here, to end.');
  const closed = new Promise((done) => child.once('exit', done));
  await Promise.race([closed, interrupted]);
  child.kill();
  await closed;
}

/**
 * @param {Shown} shown
 * @param {string} temporary
 * @param {Promise<unknown>} interrupted
 */
async function serve({ configDir, workspace }, temporary, interrupted) {
  console.log('There is no `code` on this machine; VS Code will be served to your browser.');
  const server = await startCodeServer({
    installation: await installVscode(NEWEST),
    folder: join(temporary, 'server'),
    vsix: ['rethread.vsix', await packageViewOpener(temporary)],
    env: { CLAUDE_CONFIG_DIR: configDir },
  });
  console.log(`Open ${server.url(existsSync(workspace) ? workspace : ROOT)}`);
  console.log('It opens with the Rethread view. Ctrl-C here ends it.');
  await interrupted;
  await server.stop();
}

main().catch((error) => {
  const isUnavailable = error instanceof Unavailable;
  console.error(isUnavailable ? `skipped: no VS Code here: ${error.message}` : error);
  process.exitCode = isUnavailable ? SKIPPED_EXIT_CODE : 1;
});
