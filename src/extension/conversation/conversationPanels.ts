import * as vscode from 'vscode';
import type { PanelAction } from '../../protocol/channels/panel';
import { CONTEXT_KEYS, CONVERSATION_PANEL } from '../config/contributions';
import { Disposable, type DisposableLike, Emitter } from '../lifetime';
import type { Services } from '../services';
import type { ShownSession } from '../sessions/currentSession';
import { sessionAt } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import type { ConversationTarget } from './conversationLink';
import { ConversationPanel } from './conversationPanel';
import { OpenConversations, OpeningTimes } from './openConversations';
import { messageHtml } from './panelHtml';
import { type KeptPanel, readPanelState } from './panelState';

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
