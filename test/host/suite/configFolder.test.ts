import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { eventually } from './eventually';
import { extension, scanAll, scannedSessions } from './rethread';

describe('rethread.claudeConfigDir', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rethread-config-'));
    await scanAll();
  });

  after(async () => {
    await setConfigDir(undefined);
    await eventually('the sessions are back', scannedSessions);
    await rm(folder, { recursive: true });
  });

  it('names another folder: one that does not exist holds no sessions, and is reported as missing', async () => {
    await setConfigDir(join(folder, 'nowhere'));
    const { problem } = await eventually('the folder is missing', () => {
      const snapshot = extension().exports.getSessions();
      return snapshot.isFolderMissing && snapshot;
    });
    assert.equal(problem, null);
    assert.deepEqual(extension().exports.getSessions().projects, []);
  });

  it('must be an absolute path: a relative one shows no sessions, instead of those of another folder', async () => {
    await setConfigDir(undefined);
    await eventually('the sessions are back', scannedSessions);
    await setConfigDir('somewhere');
    await eventually('no session is shown', () => extension().exports.getSessions().projects.length === 0);
    assert.equal(extension().exports.getSessions().isFolderMissing, false);
  });

  it('falls back to the environment when it is empty', async () => {
    await setConfigDir('');
    await eventually('the sessions are back', scannedSessions);
  });
});

async function setConfigDir(value: string | undefined): Promise<void> {
  const settings = vscode.workspace.getConfiguration('rethread');
  await settings.update('claudeConfigDir', value, vscode.ConfigurationTarget.Global);
}
