import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm, stat, utimes } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { readHostTestEnvironment } from '../hostTestEnvironment';
import { watchingMessages, choosing } from './answers';
import { eventually } from './eventually';
import { extension, fixture, scanAll, scannedSessions } from './rethread';
import { workerThreads } from './workerThreads';

describe('The worker thread', () => {
  const { logsFolder } = readHostTestEnvironment();

  it('is restarted when it dies, and finds the sessions again', async () => {
    const before = await scanAll();
    const threadsBefore = workerThreads.length;

    await workerThreads.at(-1)?.terminate();

    await eventually('another thread is started', () => workerThreads.length === threadsBefore + 1);
    const after = await eventually('the sessions are scanned again', () => {
      const sessions = scannedSessions();
      return sessions !== before && sessions;
    });
    assert.deepEqual(health(after), health(before));
  });

  it('can die during a scan without breaking the commands', async () => {
    const threadsBefore = workerThreads.length;
    const scan = vscode.commands.executeCommand('rethread.scanAllSessions');
    await workerThreads.at(-1)?.terminate();
    await scan;
    await eventually('another thread is started', () => workerThreads.length === threadsBefore + 1);
    assert.equal((await scanAll()).length, (await eventually('the sessions are scanned', scannedSessions)).length);
  });

  // The last of all tests: the extension is gone after it.
  it('is shut down gracefully on deactivation: results are kept, and no more requests are made', async () => {
    await scanAll();
    const thread = workerThreads.at(-1);
    assert.ok(thread !== undefined);
    const ended = once(thread, 'exit');
    const kept = join(dirname(logsFolder), 'User/globalStorage', extension().id, 'sessions.cache');
    await rm(kept, { force: true });
    await utimes(fixture('Plan the next release').filePath, new Date(), new Date());
    await vscode.commands.executeCommand('rethread.refresh');

    await deactivate();

    await ended;
    assert.ok((await stat(kept)).size > 0);
    const { errors } = await watchingMessages(() => choosing('rethread.scanSession', 'Plan the next release'));
    assert.equal(errors.length, 1);
  });
});

/** As VS Code does when the window closes. It has loaded the same module. */
async function deactivate(): Promise<void> {
  const main = createRequire(__filename)(join(extension().extensionPath, 'dist/extension.js')) as {
    deactivate(): Promise<void>;
  };
  await main.deactivate();
}

function health(sessions: readonly { path: string; health: string }[]): [string, string][] {
  return sessions.map(({ path, health }) => [path, health]);
}
