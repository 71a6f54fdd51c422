import type * as vscode from 'vscode';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { connectTokens, type TokensActions } from './connectTokens';
import { readTokensNavigation, type TokensModel } from './tokensModel';

/** The Tokens view in the side bar: the session, and what today cost. */
export class TokensView extends Disposable implements vscode.WebviewViewProvider {
  #shown: vscode.WebviewView | null = null;
  readonly #navigation = { current: readTokensNavigation(undefined) };

  constructor(
    private readonly services: Services,
    private readonly model: TokensModel,
    private readonly actions: TokensActions,
  ) {
    super();
  }

  resolveWebviewView(view: vscode.WebviewView, { state }: vscode.WebviewViewResolveContext): void {
    const { model } = this;
    if (state !== undefined) this.#navigation.current = readTokensNavigation(state);
    const page = {
      place: 'view',
      webview: view.webview,
      title: view.title ?? '',
      isVisible: () => view.visible,
      navigation: this.#navigation,
    } as const;
    const connected = connectTokens(page, this.services, model, this.actions);
    this.#shown = view;
    view.onDidChangeVisibility(() => {
      model.setWatching('view', view.visible);
    });
    const close = (): void => {
      if (this.#shown === view) model.setWatching('view', false);
      connected.dispose();
    };
    view.onDidDispose(close);
    this._register({ dispose: close });
    model.setWatching('view', view.visible);
  }
}
