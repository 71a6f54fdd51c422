import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TokensAction } from '../../protocol/channels/tokensView';
import type { UsageCalls, UsageView } from '../../protocol/channels/usage';
import type { ConversationHead } from '../../protocol/conversation';
import type { UsageGrouping } from '../../protocol/usage';
import { readConfigDir, readPrices } from '../config/configuration';
import { TOKENS_VIEW } from '../config/contributions';
import { SETTINGS } from '../config/settings';
import { Disposable } from '../lifetime';
import type { WorkerClient } from '../rpc/workerClient';
import type { Log, Translate } from '../services';
import type { CurrentSession } from '../sessions/currentSession';
import type { SessionsModel } from '../sessions/sessionsModel';
import { findSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import { projectLabel } from './projectLabel';
import { type ShownSession, TokensModel } from './tokensModel';
import { TokensView } from './tokensView';

export interface TokensFeatureDeps {
  readonly client: Pick<WorkerClient, 'usage' | 'onRestarted' | 'onGaveUp' | 'tryAgain' | 'conversation'>;
  readonly model: SessionsModel;
  readonly current: CurrentSession;
  /** What is known of a conversation that is open; null for others. */
  readonly headOf: (filePath: string) => ConversationHead | null;
  readonly describe: (error: unknown) => string;
  readonly extensionUri: vscode.Uri;
  readonly homeDir: string;
  readonly log: Log;
  readonly t: Translate;
}

/** The Tokens view, and what else is told of tokens. */
export class TokensFeature extends Disposable {
  readonly #deps: TokensFeatureDeps;
  readonly #model: TokensModel;

  constructor(deps: TokensFeatureDeps) {
    super();
    this.#deps = deps;
    const { client, model, current, describe, extensionUri, homeDir, log, t } = deps;
    const tokens = this._register(
      new TokensModel({
        client,
        describe,
        readSettings: () => ({
          view: readConfigDir() === null ? null : usageView(),
          invalidPrices: readPrices().invalid,
        }),
        shownSession: () => this.#shownSession(),
        labelOf: (project) => projectLabel(project, homeDir),
        texts: {
          gaveUp: () => t('What counts the tokens has stopped several times in a row.'),
          noFolder: () => t('The setting rethread.claudeConfigDir has to be an absolute path, or to begin with ~/.'),
          gone: () => t('The transcript is gone.'),
          invalidPrices: (invalid) =>
            t('Some prices in the settings are not used, since they are no numbers from 0 up: {0}', invalid.join(', ')),
        },
        now: Date.now,
      }),
    );
    this.#model = tokens;
    const moved = (): void => {
      tokens.sessionMoved();
    };
    this._register(current.onChange(moved));
    this._register(model.onChange(moved));
    this._register(
      client.conversation.onConversationChanged(({ filePath }) => {
        tokens.sessionGrew(filePath);
      }),
    );
    const view = new TokensView({
      model: tokens,
      act: (action) => this.#act(action),
      describe,
      extensionUri,
      log,
      t,
    });
    this._register(view);
    this._register(vscode.window.registerWebviewViewProvider(TOKENS_VIEW, view));
  }

  /** Settings or the config folder changed; the worker knows. */
  reconfigure(): void {
    this.#model.reconfigure();
  }

  export(): Promise<void> {
    const { client, t } = this.#deps;
    return exportTokens({ usage: client.usage, readView: usageView, t });
  }

  async #act(action: TokensAction): Promise<void> {
    switch (action) {
      case 'export':
        return this.export();
      case 'openPrices':
        return openSetting(SETTINGS.priceOverrides);
      case 'openFolderSetting':
        return openSetting(SETTINGS.claudeConfigDir);
      case 'tryAgain':
        this.#deps.client.tryAgain();
        this.#model.reconfigure();
    }
  }

  #shownSession(): ShownSession | null {
    const { model, current, headOf, t } = this.#deps;
    const { filePath } = current;
    if (filePath === null) return null;
    const known = findSession(model.snapshot, filePath)?.session;
    const sessionId = filePath.replace(/^.*[\\/]|\.jsonl$/g, '');
    const title = known?.title ?? headOf(filePath)?.title ?? null;
    return { filePath, title: sessionLabel({ title, sessionId, filePath }, t), live: known?.live ?? null };
  }
}

/** Days are those of this window. */
export function usageView(): UsageView {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return { timeZone, priceOverrides: readPrices().overrides };
}

async function openSetting(key: string): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `${SETTINGS.section}.${key}`);
}

export interface ExportTokensDeps {
  readonly usage: Pick<UsageCalls, 'exportUsage'>;
  readonly readView: () => UsageView;
  readonly t: Translate;
}

/** Asks for how the figures are grouped, and for a file; writes it. */
async function exportTokens({ usage, readView, t }: ExportTokensDeps): Promise<void> {
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
    void vscode.window.showErrorMessage(t('An export is written to the disk that the sessions are on.'));
    return;
  }
  const progress = { location: vscode.ProgressLocation.Window, title: t('Counting tokens') };
  const { problem } = await vscode.window.withProgress(progress, () =>
    usage.exportUsage(by, readView(), target.fsPath),
  );
  if (problem !== null) {
    void vscode.window.showErrorMessage(t('Failed to export the tokens: {0}', problem));
    return;
  }
  // The file is written; the message may stay for as long as it likes.
  void offerOpen(target, t);
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

async function offerOpen(target: vscode.Uri, t: Translate): Promise<void> {
  const open = t('Open');
  const name = target.path.replace(/^.*\//, '');
  const answer = await vscode.window.showInformationMessage(t('Tokens exported to {0}', name), open);
  if (answer === open) await vscode.commands.executeCommand('vscode.open', target);
}
