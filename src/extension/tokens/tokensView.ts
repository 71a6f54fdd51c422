import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import {
  type TokensAction,
  type TokensNavigation,
  type TokensStart,
  type TokensViewCalls,
  tokensViewChannel,
  tokensViewSchemas,
} from '../../protocol/channels/tokensView';
import { panelHtml } from '../conversation/panelHtml';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { PageChannel } from '../webviews/pageChannel';
import type { TokensModel } from './tokensModel';
import { readTokensNavigation } from './tokensNavigation';
import { tokensTexts } from './tokensTexts';

const BUNDLES = ['dist', 'webview'];

/** The Tokens view. Its page is discarded whenever the view is hidden, and rebuilt from the model. */
export class TokensView extends Disposable implements vscode.WebviewViewProvider, TokensViewCalls {
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
