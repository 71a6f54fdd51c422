import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { SessionOfFile } from '../../protocol/channels/search';
import type { Services } from '../services';
import { sessionLabel } from '../text/sessionTitle';
import type { ConversationPanels } from './conversationPanels';

interface SessionItem extends vscode.QuickPickItem {
  readonly session: SessionOfFile;
}

/**
 * Lists the sessions in which a file was changed; choosing one opens its conversation at the last change.
 *
 * @param argument  the file whose menu was opened; otherwise, the file in the active editor
 */
export async function showSessionsOfFile(
  argument: unknown,
  services: Services,
  panels: ConversationPanels,
): Promise<void> {
  const { t } = services;
  const uri = argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
  if (uri?.scheme !== 'file') {
    void services.dialogs.notify('info', t('Open a file to see the sessions that changed it.'));
    return;
  }
  const name = basename(uri.fsPath);
  const reading = new AbortController();
  const picker = vscode.window.createQuickPick<SessionItem>();
  picker.title = t('Sessions That Changed {0}', name);
  picker.placeholder = t('Looking through all sessions…');
  picker.busy = true;
  const closed = new Promise<void>((resolve) => {
    picker.onDidAccept(() => {
      const chosen = picker.selectedItems[0]?.session;
      if (chosen === undefined) return;
      panels.open({ filePath: chosen.filePath, line: chosen.line });
      picker.hide();
    });
    picker.onDidHide(() => {
      reading.abort();
      picker.dispose();
      resolve();
    });
  });
  picker.show();
  try {
    const sessions = await services.client.search.sessionsThatChanged(uri.fsPath, reading.signal);
    picker.placeholder =
      sessions.length === 0
        ? t('No session changed {0}. Changes that commands made are not known.', name)
        : t('Choose a session to open it at the last change');
    picker.items = sessions.map((session) => sessionItem(session, services));
  } catch (error) {
    if (reading.signal.aborted) return;
    picker.placeholder = services.describe(error);
  } finally {
    picker.busy = false;
  }
  await closed;
}

function sessionItem(session: SessionOfFile, { formats, now, t }: Services): SessionItem {
  const { changes, timeMs } = session;
  const count = changes === 1 ? t('1 change') : t('{0} changes', formats.number(changes));
  return {
    session,
    // A quick pick renders `$(name)` as an icon.
    label: sessionLabel({ title: session.title, id: session.sessionId }, t).replaceAll('$(', '\\$('),
    description: [count, ...(timeMs === null ? [] : [formats.timeAgo(timeMs, now())])].join(' · '),
  };
}
