import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from './eventually';
import { scanAll, scannedSessions } from './rethread';
import { workerThreads } from './workerThreads';

describe('the worker thread', () => {
  it('is started again when it dies, and finds the sessions again', async () => {
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

  it('dies in the middle of a scan without taking the commands with it', async () => {
    const threadsBefore = workerThreads.length;
    const scan = vscode.commands.executeCommand('rethread.scanAllSessions');
    await workerThreads.at(-1)?.terminate();
    await scan;
    await eventually('another thread is started', () => workerThreads.length === threadsBefore + 1);
    assert.equal((await scanAll()).length, (await eventually('the sessions are scanned', scannedSessions)).length);
  });
});

function health(sessions: readonly { filePath: string; health: string }[]): [string, string][] {
  return sessions.map(({ filePath, health }) => [filePath, health]);
}
