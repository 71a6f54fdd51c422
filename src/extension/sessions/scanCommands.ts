import * as vscode from 'vscode';
import type { SessionSummary } from '../../protocol/channels/sessions';
import { SESSIONS_VIEW } from '../config/contributions';
import type { Services } from '../services';
import { sessionLabel } from '../text/sessionTitle';
import { verdict } from './sessionTooltip';
import { allSessions } from './sessionsState';

/** Scans one session or all of them again. Results appear in the tree, with a summary in the status bar. */
export class ScanCommands {
  constructor(private readonly services: Services) {}

  /** Scans every transcript, changed or not, and shows the view. */
  async scanAll(): Promise<void> {
    const { client, dialogs, model, formats, log, t } = this.services;
    await vscode.commands.executeCommand(`${SESSIONS_VIEW}.focus`);
    // Claude Code may have been updated since, and then everything is judged for the new version.
    await client.reconfigure().catch((error: unknown) => {
      log.warn(`Failed to look for the installed client: ${String(error)}`);
    });
    await model.scanAll({ rescanUnchanged: true });
    if (model.problem !== null || model.snapshot.problem !== null) return;
    const sessions = allSessions(model.snapshot);
    const corrupted = sessions.filter((session) => session.health === 'corrupted').length;
    dialogs.note(
      corrupted === 0
        ? t('Sessions scanned: {0}. None is broken.', formats.number(sessions.length))
        : t('Sessions scanned: {0}. Broken: {1}.', formats.number(sessions.length), formats.number(corrupted)),
    );
  }

  async scan(session: SessionSummary): Promise<void> {
    const { client, dialogs, formats, t } = this.services;
    const title = sessionLabel(session, t);
    const progress = { location: vscode.ProgressLocation.Window, title: t('Scanning “{0}”', title) };
    const scan = await vscode.window.withProgress(progress, () => client.sessions.scanSession(session));
    dialogs.note(t('“{0}”: {1}', title, verdict(scan, await client.sessions.info(session), formats, t)));
  }
}
