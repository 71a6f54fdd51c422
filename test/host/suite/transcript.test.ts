import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { choosing } from './answers';
import { eventually } from './eventually';
import { fixture, scanAll } from './rethread';

describe('A session in the list', () => {
  const { filePath, sessionId, title } = fixture('Plan the next release');

  before(scanAll);

  it('is copied to the clipboard by its id with Copy Session ID', async () => {
    await choosing('rethread.copySessionId', title);
    assert.equal(await vscode.env.clipboard.readText(), sessionId);
  });

  it('opens its transcript with Reveal Transcript if there is no desktop to show it on', async function () {
    // With a desktop, the file manager opens.
    if (vscode.env.uiKind === vscode.UIKind.Desktop) this.skip();
    await choosing('rethread.revealTranscript', title);
    await eventually('the transcript is open', () => {
      const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      return input instanceof vscode.TabInputText && input.uri.fsPath === filePath;
    });
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });
});
