import * as vscode from 'vscode';
import { isWaitingState } from '../../protocol/sessionActivity';
import { SESSIONS_VIEW } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { escapeMarkdown } from '../text/formats';
import { corruptedSessions, sessionsOfWindow } from './sessionsState';
import { attentionText } from './sessionsViewText';

/**
 * Shows in the status bar and on the view how many of the window's sessions are broken or wait for the person; nothing if there are
 * none.
 */
export class AttentionBadge extends Disposable {
  constructor({ model, formats, t }: Services, view: vscode.TreeView<unknown>) {
    super();
    const item = this._register(
      vscode.window.createStatusBarItem('rethread.attention', vscode.StatusBarAlignment.Left, 0),
    );
    item.name = t('Claude Code Sessions That Need You');
    item.command = `${SESSIONS_VIEW}.focus`;
    let shownKey = '';
    const update = (): void => {
      const hasOpenFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
      const broken = corruptedSessions(model.snapshot, hasOpenFolder);
      const waiting = sessionsOfWindow(model.snapshot, hasOpenFolder).filter(
        ({ activity }) => activity !== null && isWaitingState(activity.state),
      );
      const text = attentionText({ waiting, broken }, hasOpenFolder, formats, t);
      const key = JSON.stringify(text);
      // Snapshots are frequent: an unchanged value is not set again, so that an open tooltip stays open.
      if (key === shownKey) return;
      shownKey = key;
      view.badge = text === null ? undefined : { value: text.count, tooltip: text.summary };
      if (text === null) {
        item.hide();
        return;
      }
      item.text = `$(${broken.length > 0 ? 'debug-disconnect' : 'bell-dot'}) ${text.short}`;
      const list = text.lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n');
      item.tooltip = new vscode.MarkdownString(`${escapeMarkdown(text.summary)}\n\n${list}`);
      item.accessibilityInformation = { label: text.summary };
      item.show();
    };
    this._register(model.onChange(update));
    this._register(vscode.workspace.onDidChangeWorkspaceFolders(update));
  }
}
