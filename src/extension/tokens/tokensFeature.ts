import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TokensAction, TokensResume } from '../../protocol/channels/tokensView';
import type { SessionResume, UsageGrouping } from '../../protocol/usage';
import { readConfigDir, readPrices, readUsageView } from '../config/configuration';
import { TOKENS_VIEW } from '../config/contributions';
import { SETTINGS } from '../config/settings';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import type { CurrentSession } from '../sessions/currentSession';
import { findSession, isRunning, sessionAt } from '../sessions/sessionsState';
import type { SideBarWidth } from '../sessions/sideBarWidth';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import type { Dialogs } from '../window/dialogs';
import { projectLabel } from './limitOverview';
import { type ShownSession, TokensModel } from './tokensModel';
import { TokensPage } from './tokensPage';
import { TokensView } from './tokensView';

/** The Tokens view, the page of all sessions, and the export of their figures. */
export class TokensFeature extends Disposable {
  readonly #model: TokensModel;
  readonly #page: TokensPage;

  constructor(
    private readonly services: Services,
    private readonly panels: ConversationPanels,
    private readonly current: CurrentSession,
    width: SideBarWidth,
  ) {
    super();
    const { client, model, describe, homeDir, now, t } = services;
    const tokens = this._register(
      new TokensModel({
        client,
        describe,
        readSettings: () => ({
          view: readConfigDir() === null ? null : readUsageView(),
          invalidPrices: readPrices().invalid,
        }),
        shownSession: () => this.#shownSession(),
        hasSessions: () => model.snapshot.projects.some(({ sessions }) => sessions.length > 0),
        labelOf: (project) => projectLabel(project, homeDir),
        describeResume: (resume) => this.#describeResume(resume),
        texts: {
          gaveUp: () => t('What counts the tokens has stopped several times in a row.'),
          noFolder: () => t('The setting rethread.claudeConfigDir has to be an absolute path, or to begin with ~/.'),
          gone: () => t('The transcript is gone.'),
          invalidPrices: (invalid) =>
            t('Some prices in the settings are not used, since they are no numbers from 0 up: {0}', invalid.join(', ')),
        },
        now,
      }),
    );
    this.#model = tokens;
    this._register(
      current.onChange(() => {
        tokens.sessionMoved();
      }),
    );
    this._register(
      model.onChange(() => {
        tokens.listChanged();
      }),
    );
    this._register(
      client.conversation.onConversationChanged(({ path: filePath }) => {
        tokens.sessionGrew(filePath);
      }),
    );
    const actions = {
      act: (action: TokensAction) => this.#act(action),
      openSession: (filePath: string) => {
        // The page can open only what it was shown.
        const resumes = tokens.snapshotFor('page').overview?.page?.resumes ?? [];
        if (!resumes.some((resume) => resume.filePath === filePath))
          throw new Error('Refused: the session is not in the list');
        panels.open({ filePath, line: null });
      },
      resized: (pixels: number) => {
        width.tell(pixels);
      },
    };
    const view = this._register(new TokensView(services, tokens, actions));
    this._register(vscode.window.registerWebviewViewProvider(TOKENS_VIEW, view));
    this.#page = this._register(new TokensPage(services, tokens, actions));
  }

  /** Settings or the config folder changed; the worker has been notified. */
  reconfigure(): void {
    this.#model.reconfigure();
  }

  /** Shows the page of all sessions. */
  openPage(): void {
    this.#page.open();
  }

  export(): Promise<void> {
    return exportTokens(this.services);
  }

  async #act(action: TokensAction): Promise<void> {
    switch (action) {
      case 'export':
        return this.export();
      case 'openPage':
        this.openPage();
        return;
      case 'openPrices':
        return openSetting(SETTINGS.priceOverrides);
      case 'openFolderSetting':
        return openSetting(SETTINGS.claudeConfigDir);
      case 'tryAgain':
        this.services.client.tryAgain();
        this.#model.reconfigure();
    }
  }

  #describeResume({ filePath, sessionId, title, context, resumeCost }: SessionResume): TokensResume {
    const { model, t } = this.services;
    const known = findSession(model.snapshot, filePath)?.session;
    return {
      filePath,
      title: sessionLabel({ title: known?.title ?? title, id: sessionId }, t),
      isRunning: isRunning(known ?? null),
      context,
      resumeCost,
    };
  }

  #shownSession(): ShownSession | null {
    const { model, t } = this.services;
    const { filePath } = this.current;
    if (filePath === null) return null;
    const known = findSession(model.snapshot, filePath)?.session;
    const { id: sessionId } = sessionAt(model.snapshot, filePath);
    const title = known?.title ?? this.panels.at(filePath)?.head?.title ?? null;
    return { path: filePath, title: sessionLabel({ title, id: sessionId }, t), isRunning: isRunning(known ?? null) };
  }
}

async function openSetting(key: string): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `${SETTINGS.section}.${key}`);
}

/** Asks how to group the figures and for a file, and writes the file. */
async function exportTokens({ client, dialogs, t }: Services): Promise<void> {
  const by = await pickGrouping(t);
  if (by === undefined) return;
  const target = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.file(join(firstFolder(), `tokens-by-${by}.csv`)),
    filters: { CSV: ['csv'] },
    saveLabel: t('Export'),
    title: t('Export Tokens'),
  });
  if (target === undefined) return;
  if (target.scheme !== 'file') {
    void dialogs.notify('error', t('An export is written to the disk that the sessions are on.'));
    return;
  }
  const progress = { location: vscode.ProgressLocation.Window, title: t('Counting tokens') };
  const { problem } = await vscode.window.withProgress(progress, () =>
    client.usage.exportUsage(by, readUsageView(), target.fsPath),
  );
  if (problem !== null) {
    void dialogs.notify('error', t('Failed to export the tokens: {0}', problem));
    return;
  }
  // The file is written, so nothing waits for the message to be closed.
  void offerOpen(target, dialogs, t);
}

async function pickGrouping(t: Translate): Promise<UsageGrouping | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly by: UsageGrouping })[] = [
    { label: t('By Day'), by: 'day' },
    { label: t('By Model'), by: 'model' },
    { label: t('By Project'), by: 'project' },
    { label: t('By Session'), by: 'session' },
  ];
  const placeHolder = t('Choose what a line of the table is about');
  return (await vscode.window.showQuickPick(items, { title: t('Export Tokens'), placeHolder, ignoreFocusOut: true }))
    ?.by;
}

function firstFolder(): string {
  return vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath ?? homedir();
}

async function offerOpen(target: vscode.Uri, dialogs: Dialogs, t: Translate): Promise<void> {
  const open = t('Open');
  const name = target.path.replace(/^.*\//, '');
  const answer = await dialogs.notify('info', t('Tokens exported to {0}', name), open);
  if (answer === open) await vscode.commands.executeCommand('vscode.open', target);
}
