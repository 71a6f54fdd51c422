import * as vscode from 'vscode';
import type { ConversationCalls } from '../../protocol/channels/conversation';
import {
  type PanelAction,
  panelChannel,
  type PanelNavigation,
  panelSchemas,
  type RepairSeam,
} from '../../protocol/channels/panel';
import type { ConversationHead, FindQuery } from '../../protocol/conversation';
import type { Finding, RepairScope } from '../../protocol/repair';
import { readUsageView } from '../config/configuration';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { preflightText } from '../text/preflightText';
import { sessionLabel } from '../text/sessionTitle';
import { loadPage } from '../webviews/loadPage';
import { PageChannel } from '../webviews/page';
import { type ConversationTarget, readShownParts } from './conversationAddresses';
import { conversationTexts } from './conversationTexts';
import { withOriginals } from '../repair/findingOffers';
import type { OpenConversations } from './openConversations';
import type { OpeningTimes } from './openingTimes';
import { PanelHost, type PanelRepairs } from './panelHost';

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
  readonly repairs: PanelRepairs;
  /** The repair of the session that the page offers when it is loaded. */
  readonly offersRepair: RepairScope | null;
}

/** The panel in which the person acts. */
export type ActingPanel = Pick<ConversationPanel, 'filePath' | 'findings' | 'head' | 'navigation'>;

/** The key in the global state under which the shown parts of messages are stored. */
const SHOWN_PARTS_KEY = 'conversationParts';

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
  /** What a close look at the session has found beside what its head says. */
  #closeFindings: readonly Finding[] = [];
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
    const { client, describe, formats, log, now, t, home } = services;
    const { calls, open, stopped, reconnectedMs, tryAgain, repairs, times } = deps;
    const host = new PanelHost(navigation, {
      calls,
      open,
      describe,
      stopped,
      tryAgain,
      reconnectedMs,
      repairs,
      texts: () => conversationTexts(t),
      locale: vscode.env.language,
      act: (action) => deps.act(action, this),
      usageOf: (filePath) => client.usage.sessionUsage(filePath, readUsageView()),
      resumeOf: async (filePath) => {
        // A client that runs the session is not resumed, and its transcript may change every second.
        if (this.#head?.isLive === true) return { preflight: null, findings: [] };
        const judged = await client.preflights.preflight(filePath, readUsageView());
        this.#closeFindings = await withOriginals(judged?.findings ?? []);
        const text = judged === null ? null : preflightText(judged.preflight, now(), formats, t);
        const preflight =
          judged === null || text === null ? null : { ...text, changesAtMs: judged.preflight.changesAtMs };
        return { preflight, findings: this.#closeFindings };
      },
      onReady: () => (this.#isReady = true),
      onNavigated: deps.onMoved,
      onShown: (page) => {
        log.debug(`Conversation ${this.filePath}: first screen, ms: ${times.summary(page)}`);
      },
      shownParts: () => readShownParts(home.globalState.get(SHOWN_PARTS_KEY)),
      showParts: (parts) => void home.globalState.update(SHOWN_PARTS_KEY, parts),
      note: (step) => {
        times.note(step);
      },
      onHead: (head) => {
        this.#note(head);
      },
    });
    host.reveal = deps.reveal;
    host.pendingFind = deps.find;
    host.offersRepair = deps.offersRepair;
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
    host.begin((start) => void this.#channel.page.started(start).catch(() => undefined));
    loadPage(webview, home.extensionUri, { bundle: 'conversation', title: webviewPanel.title });
    times.note('panel made');
  }

  get navigation(): PanelNavigation {
    return this.#host.navigation;
  }

  /** The conversation's head; null until it is open. */
  get head(): ConversationHead | null {
    return this.#head;
  }

  /** What is known to be wrong with the session. */
  get findings(): readonly Finding[] {
    return [...(this.#head?.findings ?? []), ...this.#closeFindings];
  }

  /** Brings the tab to the front, and scrolls to a message, marking the hits of the query that led there, or offers a repair. */
  reveal({ line, find = null, offersRepair }: Omit<ConversationTarget, 'filePath'>, keepsFocus = false): void {
    const isShown = this.#isReady && this.webviewPanel.visible;
    if (line !== null) {
      if (isShown) this.#channel.page.reveal(line, find).catch(() => undefined);
      else [this.#host.reveal, this.#host.pendingFind] = [line, find];
    }
    if (offersRepair !== undefined) {
      if (isShown) this.#channel.page.offerRepair(offersRepair).catch(() => undefined);
      else this.#host.offersRepair = offersRepair;
    }
    this.webviewPanel.reveal(undefined, keepsFocus);
  }

  /** Called when the session was repaired, and, with null, when that was undone. */
  repaired(seam: RepairSeam | null): void {
    this.#channel.page.repaired(seam).catch(() => undefined);
  }

  openFind(): void {
    this.#channel.page.openFind().catch(() => undefined);
  }

  /** Scrolls to the next prompt (1) or the previous one (-1). */
  goToPrompt(step: 1 | -1): void {
    this.#channel.page.goToPrompt(step).catch(() => undefined);
  }

  /** Has the page copy a message that it shows. */
  copyMessage(line: number, as: 'text' | 'markdown'): void {
    this.#channel.page.copyMessage(line, as).catch(() => undefined);
  }

  /** Closes the calls and everything else that the person has opened. */
  foldAll(): void {
    this.#channel.page.foldAll().catch(() => undefined);
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
