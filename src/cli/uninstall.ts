import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { removeHooks } from '../core/history/checkpoints/checkpointHooks';
import { nodeWriteFs } from '../core/storage/writeFs';
import { configDirOf } from './environment';

/**
 * VS Code runs this once after the extension was uninstalled, not after an update: takes the checkpoint hooks out of the
 * projects, which would otherwise run a program that is gone. Checkpoints, backups and safety copies stay.
 */
async function uninstall(program: string): Promise<void> {
  const home = homedir();
  const configDir = configDirOf({ env: process.env, cwd: home, home });
  // <extensions folder>/<extension>/dist/uninstall.js
  const extensionsFolder = dirname(dirname(dirname(resolve(program))));
  const { removed, failed } = await removeHooks([configDir, join(home, '.claude')], extensionsFolder, {
    fs: nodeWriteFs,
    now: Date.now,
    random: randomUUID,
    configDir: () => configDir,
    home,
  });
  for (const path of removed) process.stdout.write(`${path}: checkpoints disabled\n`);
  for (const line of failed) process.stderr.write(`${line}\n`);
}

uninstall(process.argv[1] ?? '').catch((error: unknown) => {
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
});
