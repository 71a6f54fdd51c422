// @ts-check
// Sessions that run while somebody looks at the demo: one works and writes, one waits for an approval.
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

const CLIENT = fileURLToPath(new URL('demoClient.mjs', import.meta.url));
/** Slow enough to be read, and fast enough to be seen. */
const PAUSE_MS = 4000;
const START_TIMEOUT_MS = 20_000;
const POLL_MS = 50;

/**
 * Starts them, and returns once they are in the registry of running clients.
 * @param {{ configDir: string, workspace: string }} demo
 * @param {number} [pauseMs]  between two messages of the one that works
 * @returns {Promise<() => Promise<void>>} ends them
 */
export async function startDemoClients({ configDir, workspace }, pauseMs = PAUSE_MS) {
  const children = ['working', 'waiting'].map((work) =>
    spawn(process.execPath, [CLIENT, configDir, workspace, work, String(pauseMs)], {
      // They end when this pipe closes, also if this process is killed.
      stdio: ['pipe', 'ignore', 'inherit'],
    }),
  );
  const stop = async () => {
    await Promise.all(
      children.map(async (child) => {
        const ended = new Promise((done) => child.once('exit', done));
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.stdin?.end();
        await ended;
      }),
    );
  };
  const isListed = async () => (await readdir(join(configDir, 'sessions')).catch(() => [])).length === children.length;
  for (const end = Date.now() + START_TIMEOUT_MS; !(await isListed()); await sleep(POLL_MS)) {
    if (Date.now() < end) continue;
    await stop();
    throw new Error('Failed to start the running sessions of the demo');
  }
  return stop;
}
