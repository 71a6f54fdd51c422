import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { ConversationCalls } from '../../protocol/channels/conversation';
import { type PanelAction, panelChannel, type PanelNavigation, panelSchemas } from '../../protocol/channels/panel';
import type { ConversationHead, FindQuery } from '../../protocol/conversation';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { sessionLabel } from '../text/sessionTitle';
import { PageChannel, panelHtml } from '../webviews/page';
import type { ConversationTarget } from './conversationAddresses';
import { conversationTexts } from './conversationTexts';
import { type OpenConversations, type OpeningTimes, PanelHost } from './panelHost';

export interface ConversationPanelDeps {
  readonly calls: ConversationCalls;
  readonly open: OpenConversations;
  /** The row to show first; null for the last position, or the end. */
  readonly reveal: number | null;
  /** The query that led to that row. */
  readonly find: FindQuery | null;
  /** Times since the command. */
  readonly times: OpeningTimes;
  /** Called when the position or the title changed. */
  readonly onMoved: () => void;
  readonly act: (action: PanelAction, panel: ConversationPanel) => Promise<void>;
  /** Why reading has stopped; null while the worker answers. */
  readonly stopped: () => string | null;
  /** When the session was found again after a restart of the window, in milliseconds since the epoch; null if it was not. */
  readonly reconnectedMs: () => number | null;
  readonly tryAgain: () => Promise<void>;
}

/** The panel in which the person acts. */
export type ActingPanel = Pick<ConversationPanel, 'filePath' | 'head' | 'navigation'>;

/** Folder below the extension that webview pages can load from. */
const BUNDLES = ['dist', 'webview'];

/**
 * One session in an editor tab. VS Code owns the tab: it remains when this object is disposed, as when the window closes.
 * The page is discarded whenever the tab is hidden, and is then loaded again.
 */
export class ConversationPanel extends Disposable {
  readonly filePath: string;
  readonly webviewPanel: vscode.WebviewPanel;
  /** When the editor was made, in milliseconds since the epoch. */
  readonly madeMs: number;
  readonly #host: PanelHost;
  readonly #channel: PageChannel<typeof panelChannel>;
  readonly #onMoved: () => void;
  /** The head that was last received. */
  #head: ConversationHead | null = null;
  /** The page has loaded and made its first call. */
  #isReady = false;

  constructor(
    webviewPanel: vscode.WebviewPanel,
    navigation: PanelNavigation,
    private readonly services: Services,
    deps: ConversationPanelDeps,
  ) {
    super();
    this.filePath = navigation.filePath;
    this.webviewPanel = webviewPanel;
    this.madeMs = services.now();
    this.#onMoved = deps.onMoved;
    const { webview } = webviewPanel;
    const { describe, log, t, home } = services;
    const { calls, open, stopped, reconnectedMs, tryAgain, times } = deps;
    const host = new PanelHost(navigation, {
      calls,
      open,
      describe,
      stopped,
      tryAgain,
      reconnectedMs,
      texts: () => conversationTexts(t),
      locale: vscode.env.language,
      act: (action) => deps.act(action, this),
      onReady: () => (this.#isReady = true),
      onNavigated: deps.onMoved,
      onShown: (page) => {
        log.debug(`Conversation ${this.filePath}: first screen, ms: ${times.summary(page)}`);
      },
      note: (step) => {
        times.note(step);
      },
      onHead: (head) => {
        this.#note(head);
      },
    });
    host.reveal = deps.reveal;
    host.pendingFind = deps.find;
    host.begin();
    this.#host = this._register(host);
    this.#channel = this._register(
      new PageChannel({
        channel: panelChannel,
        schemas: panelSchemas.calls,
        calls: host,
        describe,
        port: {
          post: (message) => void webview.postMessage(message),
          onMessage: (listener) => webview.onDidReceiveMessage(listener),
        },
        onFailure: (call, error) => {
          log.warn(`Conversation ${this.filePath}: ${call}: ${error instanceof Error ? error.message : String(error)}`);
        },
      }),
    );
    this._register(
      webviewPanel.onDidChangeViewState(() => {
        if (!webviewPanel.visible) this.#isReady = false;
      }),
    );
    this._register(
      webviewPanel.onDidDispose(() => {
        this.dispose();
      }),
    );
    const icon = (theme: string): vscode.Uri =>
      vscode.Uri.joinPath(home.extensionUri, 'media', `conversation-${theme}.svg`);
    webviewPanel.iconPath = { light: icon('light'), dark: icon('dark') };
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
      script: bundled('conversation.js'),
      stylesheet: bundled('conversation.css'),
      language: vscode.env.language,
      title: webviewPanel.title,
    });
    times.note('panel made');
  }

  get navigation(): PanelNavigation {
    return this.#host.navigation;
  }

  /** The conversation's head; null until it is open. */
  get head(): ConversationHead | null {
    return this.#head;
  }

  /** Brings the tab to the front and scrolls to a row, marking the hits of the query that led there. */
  reveal({ line, find = null }: Pick<ConversationTarget, 'line' | 'find'>): void {
    if (line !== null) {
      if (this.#isReady && this.webviewPanel.visible) this.#channel.page.reveal(line, find).catch(() => undefined);
      else [this.#host.reveal, this.#host.pendingFind] = [line, find];
    }
    this.webviewPanel.reveal();
  }

  openFind(): void {
    this.#channel.page.openFind().catch(() => undefined);
  }

  changed(head: ConversationHead): void {
    this.#host.forget();
    this.#note(head);
    this.#channel.page.changed(head).catch(() => undefined);
  }

  /** Called when another transcript changed. Ignored unless the page has shown it as a subagent's. */
  subagentChanged(filePath: string): void {
    if (this.#host.subagents.includes(filePath)) this.#channel.page.subagentChanged(filePath).catch(() => undefined);
  }

  /**
   * Called when a new worker has replaced the one that held the conversation open. The content shown stays until it answers.
   */
  async reopen(): Promise<void> {
    const { subagents } = this.#host;
    try {
      const head = await this.#host.reopen();
      if (this.isDisposed) return;
      this.changed(head);
      // Subagents are opened again when the page requests their items.
      for (const filePath of subagents) this.#channel.page.subagentChanged(filePath).catch(() => undefined);
    } catch (error) {
      if (!this.isDisposed) this.services.log.warn(`Conversation ${this.filePath}: not opened again: ${String(error)}`);
    }
  }

  /** Called when the session was found again after a restart of the window, and, with null, when its client has ended. */
  reconnected(atMs: number | null): void {
    this.#channel.page.reconnected(atMs).catch(() => undefined);
  }

  /** Called when reading has stopped; the page keeps its content. */
  stopped(why: string): void {
    this.#channel.page.stopped(why).catch(() => undefined);
  }

  #note(head: ConversationHead): void {
    if (this.isDisposed) return;
    this.#head = head;
    // A deleted session keeps its title.
    if (head.title === null && head.problem !== null) return;
    const title = sessionLabel(head, this.services.t);
    if (this.webviewPanel.title === title) return;
    this.webviewPanel.title = title;
    this.#onMoved();
  }
}
