import * as vscode from 'vscode';
import type { SessionSummary } from '../../shared/api/worker';
import { note } from '../statusBar/note';
import type { Translate } from '../text/translate';

/**
 * Shows the transcript in the file manager of the desktop. Where the file lies on another machine, or there is no
 * desktop, it is opened in an editor; VS Code reads it itself, so that its size does not matter here.
 */
export async function revealTranscript(session: SessionSummary, t: Translate): Promise<void> {
  const uri = vscode.Uri.file(session.filePath);
  try {
    await vscode.workspace.fs.stat(uri);
  } catch {
    void vscode.window.showErrorMessage(t('The transcript is gone: {0}', session.filePath));
    return;
  }
  const isOnThisDesktop = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (isOnThisDesktop) await vscode.commands.executeCommand('revealFileInOS', uri);
  else await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
}

export async function copySessionId(session: SessionSummary, t: Translate): Promise<void> {
  await vscode.env.clipboard.writeText(session.sessionId);
  note(t('Session ID copied'));
}
