import { type BirpcReturn, createBirpc } from 'birpc';
import type { TokensApi, TokensHostApi, TokensNavigation } from '../../protocol/api/tokens';

interface VscodeApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}

declare const acquireVsCodeApi: () => VscodeApi;

/** An export waits for the person, who may take as long as they like; the extension itself bounds its other answers. */
const NO_TIMEOUT = -1;

export interface TokensHost {
  readonly calls: BirpcReturn<TokensHostApi, TokensApi>;
  /** Kept by VS Code while the view is hidden, and over a reload of the window. */
  readonly keep: (navigation: TokensNavigation) => void;
}

/** The extension, by the channel of the webview. Can be asked for once. */
export function connectHost(view: TokensApi): TokensHost {
  const vscode = acquireVsCodeApi();
  const calls = createBirpc<TokensHostApi, TokensApi>(view, {
    post: (message: unknown) => {
      vscode.postMessage(message);
    },
    on: (listener) => {
      window.addEventListener('message', (event: MessageEvent<unknown>) => {
        listener(event.data);
      });
    },
    bind: 'functions',
    eventNames: ['navigated'],
    timeout: NO_TIMEOUT,
  });
  return {
    calls,
    keep: (navigation) => {
      vscode.setState(navigation);
      void calls.navigated(navigation);
    },
  };
}
