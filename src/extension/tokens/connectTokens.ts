import * as vscode from 'vscode';
import {
  type TokensAction,
  type TokensNavigation,
  type TokensPlace,
  tokensViewChannel,
  tokensViewSchemas,
} from '../../protocol/channels/tokensView';
import type { DisposableLike } from '../lifetime';
import type { Services } from '../services';
import { loadPage } from '../webviews/loadPage';
import { PageChannel } from '../webviews/page';
import type { TokensModel } from './tokensModel';
import { tokensTexts } from './tokensTexts';

/** What a page asks of the extension beside its figures. */
export interface TokensActions {
  act(action: TokensAction): Promise<void>;
  openSession(filePath: string): void;
  /** `pixels`: width of the side view. */
  resized(pixels: number): void;
}

export interface TokensWebview {
  readonly place: TokensPlace;
  readonly webview: vscode.Webview;
  readonly title: string;
  readonly isVisible: () => boolean;
  /** What the person last chose; kept by the owner, because the page is rebuilt whenever it was hidden. */
  readonly navigation: { current: TokensNavigation };
}

/**
 * Loads the page into a webview and sends it the figures of the model while it is visible. The page is discarded whenever
 * it is hidden, and rebuilt from the model.
 */
export function connectTokens(
  { place, webview, title, isVisible, navigation }: TokensWebview,
  services: Services,
  model: TokensModel,
  actions: TokensActions,
): DisposableLike {
  const { describe, home, log, t } = services;
  const channel = new PageChannel({
    channel: tokensViewChannel,
    calls: {
      ready: () =>
        Promise.resolve({
          place,
          navigation: navigation.current,
          snapshot: model.snapshotFor(place),
          texts: tokensTexts(t),
          locale: vscode.env.language,
        }),
      navigated: (changed) => {
        navigation.current = changed;
      },
      resized: (pixels) => {
        if (place === 'view') actions.resized(pixels);
      },
      act: (action) => actions.act(action),
      // eslint-disable-next-line @typescript-eslint/require-await -- an error must reject the promise
      openSession: async (filePath) => {
        actions.openSession(filePath);
      },
    },
    schemas: tokensViewSchemas.calls,
    port: {
      post: (message) => void webview.postMessage(message),
      onMessage: (listener) => webview.onDidReceiveMessage(listener),
    },
    describe,
    onFailure: (call, error) => {
      log.warn(`Tokens, ${place}: ${call}: ${error instanceof Error ? error.message : String(error)}`);
    },
  });
  const telling = model.onChange(() => {
    if (isVisible()) channel.page.changed(model.snapshotFor(place)).catch(() => undefined);
  });
  loadPage(webview, home.extensionUri, { bundle: 'tokens', title });
  return {
    dispose: () => {
      telling.dispose();
      channel.dispose();
    },
  };
}
