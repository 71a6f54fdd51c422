import * as vscode from 'vscode';
import { SESSIONS_VIEW } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { escapeMarkdown } from '../text/formats';
import { corruptedSessions } from './sessionsState';
import { corruptionText } from './sessionsViewText';

/** Shows the number of the window's corrupted sessions in the status bar and on the view; nothing if there are none. */
export class CorruptionBadge extends Disposable {
  constructor({ model, formats, t }: Services, view: vscode.TreeView<unknown>) {
    super();
    const item = this._register(
      vscode.window.createStatusBarItem('rethread.corrupted', vscode.StatusBarAlignment.Left, 0),
    );
    item.name = t('Corrupted Claude Code Sessions');
    item.command = `${SESSIONS_VIEW}.focus`;
    let shownKey = '';
    const update = (): void => {
      const hasOpenFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
      const sessions = corruptedSessions(model.snapshot, hasOpenFolder);
      const text = corruptionText(sessions, hasOpenFolder, formats, t);
      const key = JSON.stringify(text);
      // Snapshots are frequent: an unchanged value is not set again, so that an open tooltip stays open.
      if (key === shownKey) return;
      shownKey = key;
      view.badge = text === null ? undefined : { value: sessions.length, tooltip: text.summary };
      if (text === null) {
        item.hide();
        return;
      }
      item.text = `$(warning) ${text.count}`;
      const list = text.lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n');
      item.tooltip = new vscode.MarkdownString(`${escapeMarkdown(text.summary)}\n\n${list}`);
      item.accessibilityInformation = { label: text.summary };
      item.show();
    };
    this._register(model.onChange(update));
    this._register(vscode.workspace.onDidChangeWorkspaceFolders(update));
  }
}
