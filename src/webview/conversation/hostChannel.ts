import type { PanelNavigation } from '../../protocol/api/conversation';

/** What the panel speaks through: VS Code's message channel, or a stand-in. */
export interface HostChannel {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Kept by VS Code over a reload of the window, and given to whoever opens the panel again. */
  saveState(navigation: PanelNavigation): void;
}

interface VscodeApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
}

declare const acquireVsCodeApi: () => VscodeApi;

/** The channel of a webview. Can be asked for once. */
export function openVscodeChannel(): HostChannel {
  const vscode = acquireVsCodeApi();
  return {
    post: (message) => {
      vscode.postMessage(message);
    },
    onMessage: (listener) => {
      window.addEventListener('message', (event: MessageEvent<unknown>) => {
        listener(event.data);
      });
    },
    saveState: (navigation) => {
      vscode.setState(navigation);
    },
  };
}
