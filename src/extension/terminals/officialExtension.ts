import * as vscode from 'vscode';
import { CLAUDE_CODE_EXTENSION } from '../config/configuration';
import { CONTEXT_KEYS } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { OfficialPanel } from './clientChoice';

/** Either may be absent in a version. */
const OPEN_COMMAND = 'claude-vscode.editor.open';
const OPEN_PATH = '/open';

/** Claude Code's own extension for VS Code, by the two ways in which it opens a session. */
export class OfficialExtension extends Disposable implements OfficialPanel {
  constructor() {
    super();
    const update = (): void => {
      void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.hasOfficialExtension, this.isInstalled());
    };
    this._register(vscode.extensions.onDidChange(update));
    update();
  }

  isInstalled(): boolean {
    return vscode.extensions.getExtension(CLAUDE_CODE_EXTENSION) !== undefined;
  }

  async open(sessionId: string | null): Promise<void> {
    await vscode.extensions.getExtension(CLAUDE_CODE_EXTENSION)?.activate();
    const commands = await vscode.commands.getCommands();
    if (commands.includes(OPEN_COMMAND)) {
      await vscode.commands.executeCommand(OPEN_COMMAND, ...(sessionId === null ? [] : [sessionId]));
      return;
    }
    const uri = vscode.Uri.from({
      scheme: vscode.env.uriScheme,
      authority: CLAUDE_CODE_EXTENSION,
      path: OPEN_PATH,
      query: sessionId === null ? '' : `session=${sessionId}`,
    });
    if (await vscode.env.openExternal(uri)) return;
    throw new Error('Failed to open the panel of Claude Code: its extension has no command for it');
  }
}
