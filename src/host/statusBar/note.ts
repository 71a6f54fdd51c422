import * as vscode from 'vscode';

const NOTE_DURATION_MS = 6000;

/** Says in the status bar, for a while, that something went well: a notification would want to be dismissed. */
export function note(text: string): void {
  vscode.window.setStatusBarMessage(text, NOTE_DURATION_MS);
}
