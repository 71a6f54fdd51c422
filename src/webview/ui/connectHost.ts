import { createBirpc } from 'birpc';
import type { Calls, Channel, Events } from '../../protocol/channel';
import { createCalls, eventHandlers, withLimit } from '../../protocol/rpcClient';

/** A page's message port: VS Code's message channel, or a stand-in. `S`: the state that the page saves. */
export interface HostPort<S> {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
  /** VS Code keeps the state while the page is hidden, and across a reload of the window. */
  saveState(state: S): void;
  /** Whether a state was saved, also by an earlier page in the same place. */
  hasState(): boolean;
}

interface VscodeApi {
  postMessage(message: unknown): void;
  setState(state: unknown): void;
  getState(): unknown;
}

declare const acquireVsCodeApi: () => VscodeApi;

/** The port of a webview. Can be acquired only once. */
export function openVscodePort<S>(): HostPort<S> {
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
    saveState: (state) => {
      vscode.setState(state);
    },
    hasState: () => vscode.getState() !== undefined,
  };
}

/** The extension, as a page calls it. `page` handles the extension's events. */
export function connectHost<C extends Channel>(
  channel: C,
  port: Pick<HostPort<unknown>, 'post' | 'onMessage'>,
  page: Events<C>,
): Calls<C> {
  const rpc = createBirpc<object, object, false>(eventHandlers(channel, page), {
    post: (message: unknown) => {
      port.post(message);
    },
    on: (listener) => {
      port.onMessage(listener);
    },
    proxify: false,
    // Each call has its own time limit.
    timeout: -1,
  });
  return createCalls(channel, ({ method, args, limit }) =>
    withLimit(
      rpc.$callRaw({ method, args: [...args], event: limit === null }),
      limit,
      (afterMs) => new Error(`No answer to ${method} within ${afterMs} ms`),
    ),
  );
}
