import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import {
  type TokensAction,
  type TokensNavigation,
  type TokensStart,
  type TokensViewCalls,
  tokensViewChannel,
  tokensViewSchemas,
} from '../../protocol/channels/tokensView';
import type { UsageView } from '../../protocol/channels/usage';
import type { UsageGrouping } from '../../protocol/usage';
import { readConfigDir, readPrices } from '../config/configuration';
import { TOKENS_VIEW } from '../config/contributions';
import { SETTINGS } from '../config/settings';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import type { CurrentSession } from '../sessions/currentSession';
import { findSession, isRunning, sessionAt } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import { PageChannel, panelHtml } from '../webviews/page';
import { projectLabel } from './limitOverview';
import { readTokensNavigation, type ShownSession, TokensModel } from './tokensModel';
import { tokensTexts } from './tokensTexts';

/** The Tokens view, and the token counts shown elsewhere. */
export class TokensFeature extends Disposable {
  readonly #model: TokensModel;

  constructor(
    private readonly services: Services,
    private readonly panels: ConversationPanels,
    private readonly current: CurrentSession,
  ) {
    super();
    const { client, model, describe, homeDir, now, t } = services;
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
        now,
      }),
    );
    this.#model = tokens;
    const moved = (): void => {
      tokens.sessionMoved();
    };
    this._register(current.onChange(moved));
    this._register(model.onChange(moved));
    this._register(
      client.conversation.onConversationChanged(({ path: filePath }) => {
        tokens.sessionGrew(filePath);
      }),
    );
    const view = new TokensView(services, tokens, (action) => this.#act(action));
    this._register(view);
    this._register(vscode.window.registerWebviewViewProvider(TOKENS_VIEW, view));
  }

  /** Settings or the config folder changed; the worker has been notified. */
  reconfigure(): void {
    this.#model.reconfigure();
  }

  export(): Promise<void> {
    return exportTokens(this.services);
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
        this.services.client.tryAgain();
        this.#model.reconfigure();
    }
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

/** Usage is grouped by days in the time zone of this window. */
export function usageView(): UsageView {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return { timeZone, priceOverrides: readPrices().overrides };
}

async function openSetting(key: string): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.openSettings', `${SETTINGS.section}.${key}`);
}

/** Asks how to group the figures and for a file, and writes the file. */
async function exportTokens({ client, t }: Services): Promise<void> {
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
    client.usage.exportUsage(by, usageView(), target.fsPath),
  );
  if (problem !== null) {
    void vscode.window.showErrorMessage(t('Failed to export the tokens: {0}', problem));
    return;
  }
  // The file is written, so nothing waits for the message to be closed.
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

const BUNDLES = ['dist', 'webview'];

/** The Tokens view. Its page is discarded whenever the view is hidden, and rebuilt from the model. */
class TokensView extends Disposable implements vscode.WebviewViewProvider, TokensViewCalls {
  #shown: vscode.WebviewView | null = null;
  #navigation: TokensNavigation = readTokensNavigation(undefined);

  constructor(
    private readonly services: Services,
    private readonly model: TokensModel,
    readonly act: (action: TokensAction) => Promise<void>,
  ) {
    super();
  }

  resolveWebviewView(view: vscode.WebviewView, { state }: vscode.WebviewViewResolveContext): void {
    const { model } = this;
    const { describe, home, log } = this.services;
    const { webview } = view;
    if (state !== undefined) this.#navigation = readTokensNavigation(state);
    const channel = new PageChannel({
      channel: tokensViewChannel,
      calls: this,
      schemas: tokensViewSchemas.calls,
      port: {
        post: (message) => void webview.postMessage(message),
        onMessage: (listener) => webview.onDidReceiveMessage(listener),
      },
      describe,
      onFailure: (call, error) => {
        log.warn(`Tokens view: ${call}: ${error instanceof Error ? error.message : String(error)}`);
      },
    });
    const telling = model.onChange((snapshot) => {
      if (view.visible) channel.page.changed(snapshot).catch(() => undefined);
    });
    this.#shown = view;
    view.onDidChangeVisibility(() => {
      model.setWatching(view.visible);
    });
    const close = (): void => {
      if (this.#shown === view) model.setWatching(false);
      telling.dispose();
      channel.dispose();
    };
    view.onDidDispose(close);
    this._register({ dispose: close });
    webview.options = {
      enableScripts: true,
      enableForms: false,
      localResourceRoots: [vscode.Uri.joinPath(home.extensionUri, ...BUNDLES)],
    };
    const bundled = (name: string): string =>
      webview.asWebviewUri(vscode.Uri.joinPath(home.extensionUri, ...BUNDLES, name)).toString();
    webview.html = panelHtml({
      nonce: randomBytes(24).toString('base64url'),
      source: webview.cspSource,
      script: bundled('tokens.js'),
      stylesheet: bundled('tokens.css'),
      language: vscode.env.language,
      title: view.title ?? '',
    });
    model.setWatching(view.visible);
  }

  ready(): Promise<TokensStart> {
    return Promise.resolve({
      navigation: this.#navigation,
      snapshot: this.model.snapshot,
      texts: tokensTexts(this.services.t),
      locale: vscode.env.language,
    });
  }

  navigated(navigation: TokensNavigation): void {
    this.#navigation = navigation;
  }
}
