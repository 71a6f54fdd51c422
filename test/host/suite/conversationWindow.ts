import * as vscode from 'vscode';
import type { PanelCalls } from '../../../src/protocol/channels/panel';
import type { RewindViewCalls } from '../../../src/protocol/channels/rewindView';
import { REWIND_PAGE } from '../../../src/extension/config/contributions';
import { eventually } from './eventually';
import type { RepairSeam } from '../../../src/protocol/channels/panel';
import { extension } from './rethread';

interface Sent {
  readonly t: 'q' | 's';
  readonly i?: string;
  readonly m?: string;
  readonly a?: readonly unknown[];
  readonly r?: unknown;
  readonly e?: unknown;
}

const watched = new Set<WatchedPanel>();

/**
 * VS Code 1.100 in a browser opens no further page for up to 30 seconds after one was closed or hidden while it was
 * loading something (an unanswered fetch blocks the next service worker). This therefore closes pages only when they
 * have settled.
 */
export async function closeEditors(): Promise<void> {
  for (const panel of watched) await panel.settled();
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

/** A conversation panel, or the page of a rewind, with access to both directions of its channel. */
export class WatchedPanel {
  readonly panel: vscode.WebviewPanel;
  /** What the extension has sent to the page, oldest first. */
  readonly sent: Sent[] = [];
  #receive: (message: unknown) => void = () => undefined;
  /** The page is loading something, or is about to. */
  #isLoading = true;
  #calls = 0;
  /** Name of the channel. */
  readonly #channel: 'panel' | 'rewindView';

  constructor(panel: vscode.WebviewPanel) {
    this.#channel = panel.viewType === REWIND_PAGE ? 'rewindView' : 'panel';
    // The last call of a page that loads something.
    const lastCall = this.#channel === 'panel' ? 'panel.shown' : 'rewindView.ready';
    const webview = overriding(panel.webview, {
      postMessage: (message: unknown) => {
        // SAFETY: what birpc sends.
        this.sent.push(message as Sent);
        return panel.webview.postMessage(message);
      },
      onDidReceiveMessage: (listener: (message: unknown) => void) => {
        this.#receive = listener;
        return panel.webview.onDidReceiveMessage((message: unknown) => {
          if (isCallOf(lastCall, message)) this.#isLoading = false;
          listener(message);
        });
      },
    });
    this.panel = overriding(panel, { webview });
    let wasVisible = panel.visible;
    panel.onDidChangeViewState(() => {
      // A page that comes to the front again is loaded again.
      if (panel.visible && !wasVisible) this.#isLoading = true;
      wasVisible = panel.visible;
    });
    panel.onDidDispose(() => {
      watched.delete(this);
    });
    watched.add(this);
  }

  /** The page has loaded everything, or is not visible. */
  async settled(): Promise<void> {
    await eventually('the page has loaded everything', () => !this.#isLoading || !this.panel.visible);
  }

  /** Sends a message as the page would. */
  say(message: unknown): void {
    this.#receive(message);
  }

  /** Calls as the page would, and waits for the answer. Rejects with the message that the page would get. */
  async call(method: keyof PanelCalls | keyof RewindViewCalls, ...args: readonly unknown[]): Promise<unknown> {
    const i = `test-${String(++this.#calls)}`;
    this.say({ t: 'q', i, m: `${this.#channel}.${method}`, a: args });
    const answer = await eventually(`${method} is answered`, () => this.sent.find((each) => each.i === i) ?? null);
    if (answer.e !== undefined) throw new Error(typeof answer.e === 'string' ? answer.e : 'not a sentence');
    return answer.r;
  }

  /** The events that the extension sent to the page: the first arguments of such calls. */
  reported(method: string): readonly unknown[] {
    return this.sent.filter(({ t, m }) => t === 'q' && m === `${this.#channel}.${method}`).map(({ a }) => a?.[0]);
  }

  /** What may have told the page where to start: an event, or the answer to its first call. */
  #starts(): readonly unknown[] {
    return [...this.reported('started'), ...this.sent.map(({ r }) => r)];
  }

  /** The page has received its start position, and has settled. */
  async start(): Promise<Start> {
    const started = await eventually('the page has started', () => this.#starts().find(isStart) ?? null);
    await this.settled();
    return started;
  }
}

export interface Start {
  readonly head: { readonly title: string | null; readonly count: number; readonly problem: string | null };
  readonly reveal: number | null;
  readonly offersRepair: 'all' | null;
  readonly seam: RepairSeam | null;
  readonly texts: Readonly<Record<string, string>>;
}

/** Opens conversations, or pages of rewinds, while `work` runs, and returns the last of them. */
export async function watchingPanels(work: () => PromiseLike<unknown>): Promise<WatchedPanel> {
  let opened: WatchedPanel | null = null;
  const { exports } = extension();
  exports.adaptPanels((panel) => {
    opened = new WatchedPanel(panel);
    return opened.panel;
  });
  try {
    await work();
    return await eventually('an editor is open', () => opened);
  } finally {
    exports.adaptPanels((panel) => panel);
  }
}

function isCallOf(name: string, message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'm' in message && message.m === name;
}

function isStart(value: unknown): value is Start {
  return typeof value === 'object' && value !== null && 'navigation' in value && 'head' in value;
}

/** VS Code's objects are frozen and have private fields, so everything that is not overridden is forwarded to them. */
function overriding<T extends object>(target: T, members: Partial<Record<keyof T, unknown>>): T {
  return new Proxy(target, {
    get: (_target, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
    set: (_target, name, value) => Reflect.set(target, name, value, target),
  });
}
