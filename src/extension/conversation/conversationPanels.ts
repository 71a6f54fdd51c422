import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { ConversationCalls } from '../../protocol/channels/conversation';
import { type PanelAction, panelChannel, type PanelNavigation, panelSchemas } from '../../protocol/channels/panel';
import type { ConversationHead, FindQuery } from '../../protocol/conversation';
import { CONTEXT_KEYS, CONVERSATION_PANEL } from '../config/contributions';
import { Disposable, type DisposableLike, Emitter } from '../lifetime';
import type { Services } from '../services';
import type { ShownSession } from '../sessions/currentSession';
import type { RestoredSessions } from '../sessions/sessionsTree';
import { sessionAt } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import { messageHtml, PageChannel, panelHtml } from '../webviews/page';
import { type ConversationTarget, type KeptPanel, readPanelState } from './conversationAddresses';
import { conversationTexts } from './conversationTexts';
import { OpenConversations, OpeningTimes, PanelHost } from './panelHost';

/** The key in the workspace state under which the panels' places are stored. */
const KEPT_PANELS = 'conversationPanels';

/** The conversation panels of the window: one for each open session. */
export class ConversationPanels extends Disposable implements vscode.WebviewPanelSerializer {
  readonly #open: OpenConversations;
  /** The stored places as they were before the window was reloaded. */
  readonly #kept: unknown;
  readonly #panels = new Map<string, ConversationPanel>();
  readonly #shownChanged = this._register(new Emitter<void>());

  /** Fires when another panel has the focus or becomes visible. */
  readonly onShownChange = this.#shownChanged.event;

  /** Carries out the actions that a page requests. Set once the features that do so exist. */
  act: (action: PanelAction, panel: ConversationPanel) => Promise<void> = () => Promise.resolve();

  #restored: Pick<RestoredSessions, 'reconnectedAt'> = { reconnectedAt: () => null };

  constructor(private readonly services: Services) {
    super();
    const { client, home } = services;
    this.#kept = home.workspaceState.get(KEPT_PANELS);
    this.#open = new OpenConversations(client.conversation);
    this._register(vscode.window.registerWebviewPanelSerializer(CONVERSATION_PANEL, this));
    this._register(
      client.conversation.onConversationChanged((head) => {
        this.#panels.get(head.path)?.changed(head);
        for (const panel of this.#panels.values()) panel.subagentChanged(head.path);
      }),
    );
    this._register(
      client.onRestarted(() => {
        for (const panel of this.#panels.values()) void panel.reopen();
      }),
    );
    this._register(
      client.onGaveUp(() => {
        for (const panel of this.#panels.values()) panel.stopped(this.#stopReason());
      }),
    );
    this._register({
      dispose: () => {
        for (const panel of [...this.#panels.values()]) panel.dispose();
      },
    });
  }

  /** Shows which sessions were found again after a restart of the window. Called once, when terminals are followed. */
  follow(restored: Pick<RestoredSessions, 'reconnectedAt' | 'onRestoredChange'>): void {
    this.#restored = restored;
    this._register(
      restored.onRestoredChange(() => {
        for (const panel of this.#panels.values()) panel.reconnected(this.#reconnectedMs(panel.filePath));
      }),
    );
  }

  /** The panel that has the focus. */
  get active(): ConversationPanel | null {
    return [...this.#panels.values()].find(({ webviewPanel }) => webviewPanel.active) ?? null;
  }

  /** The panel of a session; null when it has none. */
  at(filePath: string): ConversationPanel | null {
    return this.#panels.get(filePath) ?? null;
  }

  /** Keeps a conversation open in the worker for a reader other than the panels. */
  hold(filePath: string): DisposableLike {
    return this.#open.hold(filePath);
  }

  get shown(): readonly ShownSession[] {
    return [...this.#panels.values()].map(({ filePath, webviewPanel: { active, visible } }) => ({
      filePath,
      place: active ? 'active' : visible ? 'visible' : 'background',
    }));
  }

  /** Opens the session's panel, or brings it to the front. */
  open(target: ConversationTarget): void {
    const { filePath } = target;
    const present = this.#panels.get(filePath);
    if (present !== undefined) {
      present.reveal(target);
      return;
    }
    const { model, now, t } = this.services;
    const times = new OpeningTimes(now);
    const webviewPanel = vscode.window.createWebviewPanel(
      CONVERSATION_PANEL,
      sessionLabel(sessionAt(model.snapshot, filePath), t),
      vscode.ViewColumn.Active,
      { retainContextWhenHidden: false },
    );
    this.#add(webviewPanel, { filePath, view: { kind: 'chain' }, at: null }, target, times);
  }

  /** VS Code has restored a panel after a reload of the window, with the state that its page stored. */
  deserializeWebviewPanel(webviewPanel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const { t, log, now } = this.services;
    const navigation = readPanelState(state, this.#kept, webviewPanel.title);
    if (navigation === null) {
      log.warn('A conversation panel was not restored: nothing says which one it was');
      webviewPanel.webview.options = { enableScripts: false, localResourceRoots: [] };
      webviewPanel.webview.html = messageHtml(
        t('Which conversation this was is not known any more. Open it again from the Sessions view.'),
        vscode.env.language,
      );
    } else if (this.#panels.has(navigation.filePath)) {
      webviewPanel.dispose();
    } else {
      this.#add(webviewPanel, navigation, { line: null }, new OpeningTimes(now));
    }
    return Promise.resolve();
  }

  #add(
    webviewPanel: vscode.WebviewPanel,
    navigation: ConstructorParameters<typeof ConversationPanel>[1],
    { line, find = null }: Pick<ConversationTarget, 'line' | 'find'>,
    times: OpeningTimes,
  ): void {
    const { client } = this.services;
    const panel: ConversationPanel = new ConversationPanel(webviewPanel, navigation, this.services, {
      act: (action, acting) => this.act(action, acting),
      calls: client.conversation,
      open: this.#open,
      reveal: line,
      find,
      times,
      stopped: () => (client.hasGivenUp ? this.#stopReason() : null),
      reconnectedMs: () => this.#reconnectedMs(navigation.filePath),
      tryAgain: () => this.#tryAgain(panel),
      onMoved: () => {
        this.#keep();
      },
    });
    this.#panels.set(panel.filePath, panel);
    webviewPanel.onDidChangeViewState(() => {
      this.#storePlaces();
    });
    webviewPanel.onDidDispose(() => {
      this.#panels.delete(panel.filePath);
      this.#storePlaces();
      this.#keep();
    });
    this.#storePlaces();
    this.#keep();
  }

  /** Reopens all panels if the worker had given up, and this panel in any case. */
  async #tryAgain(panel: ConversationPanel): Promise<void> {
    const { client } = this.services;
    if (client.hasGivenUp) client.tryAgain();
    else await panel.reopen();
  }

  #reconnectedMs(filePath: string): number | null {
    return this.#restored.reconnectedAt(sessionAt(this.services.model.snapshot, filePath).id);
  }

  #stopReason(): string {
    return this.services.t(
      'What reads the transcripts has stopped several times in a row. This conversation is not followed any more.',
    );
  }

  #keep(): void {
    const kept: readonly KeptPanel[] = [...this.#panels.values()].map(({ webviewPanel: { title }, navigation }) => ({
      title,
      navigation,
    }));
    void this.services.home.workspaceState.update(KEPT_PANELS, kept);
  }

  #storePlaces(): void {
    void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.conversationFocused, this.active !== null);
    this.#shownChanged.fire();
  }
}

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
