import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually } from './eventually';
import { extension, manifest, scannedSessions } from './rethread';
import { liveThreadCount, workerThreads } from './workerThreads';

describe('Activation', () => {
  it('registers every command that package.json declares, and no others', async () => {
    await extension().activate();
    // SAFETY: the shape that VS Code requires of package.json.
    const { commands, views } = manifest()['contributes'] as {
      commands: { command: string }[];
      views: Record<string, { id: string }[]>;
    };
    const viewIds = Object.values(views).flatMap((each) => each.map(({ id }) => id));
    const declared = commands.map(({ command }) => command);
    // VS Code adds its own commands for each view, prefixed with the view's id.
    const registered = (await vscode.commands.getCommands(true)).filter(
      (command) => command.startsWith('rethread.') && !viewIds.some((id) => command.startsWith(`${id}.`)),
    );
    assert.deepEqual(registered.sort(), declared.sort());
  });

  it('reads nothing and starts no thread until the view is shown', async () => {
    assert.equal(extension().isActive, true);
    assert.equal(extension().exports.getSessions().revision, 0);
    assert.equal(workerThreads.length, 0);
    const threadsBefore = liveThreadCount();

    await vscode.commands.executeCommand('rethread.sessions.focus');

    await eventually('the sessions are scanned', scannedSessions);
    assert.equal(workerThreads.length, 1);
    assert.equal(liveThreadCount(), threadsBefore + 1);
  });

  it('shows the tasks of no session while the person has neither opened nor selected one', async () => {
    await vscode.commands.executeCommand('rethread.tasks.focus');
    await eventually('nothing is shown', () => extension().exports.getTasks().kind === 'noSession');
  });

  it('works in Restricted Mode, where the workspace cannot set the folder that is read', () => {
    // SAFETY: the shape that VS Code requires of package.json.
    const { untrustedWorkspaces } = manifest()['capabilities'] as {
      untrustedWorkspaces: { supported: unknown; restrictedConfigurations: string[] };
    };
    assert.equal(untrustedWorkspaces.supported, 'limited');
    assert.ok(untrustedWorkspaces.restrictedConfigurations.includes('rethread.claudeConfigDir'));
  });

  it('runs where the sessions are: with the workspace, on the remote side of a remote connection', () => {
    assert.deepEqual(manifest()['extensionKind'], ['workspace']);
  });
});
