import * as vscode from 'vscode';
import { TOKENS_PAGE } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { connectTokens, type TokensActions } from './connectTokens';
import { readTokensNavigation, type TokensModel } from './tokensModel';

/** The page with the tokens of all sessions: one editor tab, which is restored after a restart. */
export class TokensPage extends Disposable implements vscode.WebviewPanelSerializer {
  /** The tab itself is left to VS Code, which restores it after the window was reloaded. */
  #panel: vscode.WebviewPanel | null = null;
  readonly #navigation = { current: readTokensNavigation(undefined) };

  constructor(
    private readonly services: Services,
    private readonly model: TokensModel,
    private readonly actions: TokensActions,
  ) {
    super();
    this._register(vscode.window.registerWebviewPanelSerializer(TOKENS_PAGE, this));
  }

  /** Brings the page to the front, or opens it. */
  open(): void {
    if (this.#panel === null) {
      this.#show(vscode.window.createWebviewPanel(TOKENS_PAGE, this.services.t('Tokens'), vscode.ViewColumn.Active));
    } else this.#panel.reveal();
  }

  /** VS Code has restored the tab, with the state that the page stored. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    if (this.#panel === null) {
      this.#navigation.current = readTokensNavigation(state);
      this.#show(panel);
    } else panel.dispose();
    return Promise.resolve();
  }

  #show(panel: vscode.WebviewPanel): void {
    const { model } = this;
    this.#panel = panel;
    const page = {
      place: 'page',
      webview: panel.webview,
      title: panel.title,
      isVisible: () => panel.visible,
      navigation: this.#navigation,
    } as const;
    const connected = this._register(connectTokens(page, this.services, model, this.actions));
    const { extensionUri } = this.services.home;
    const icon = (theme: string): vscode.Uri => vscode.Uri.joinPath(extensionUri, 'media', `tokens-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    panel.onDidChangeViewState(() => {
      model.setWatching('page', panel.visible);
    });
    panel.onDidDispose(() => {
      this.#panel = null;
      model.setWatching('page', false);
      connected.dispose();
    });
    model.setWatching('page', panel.visible);
  }
}
