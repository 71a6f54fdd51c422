import * as vscode from 'vscode';
import type { PanelAction, PanelNavigation, RepairSeam } from '../../protocol/channels/panel';
import type { ConversationHead } from '../../protocol/conversation';
import { CONTEXT_KEYS, CONVERSATION_EDITOR, TRANSCRIPT_EDITOR } from '../config/contributions';
import { Disposable, type DisposableLike, Emitter, type Listen } from '../lifetime';
import type { Services } from '../services';
import type { ShownSession } from '../sessions/currentSession';
import { placeNow, sessionAt } from '../sessions/sessionsState';
import type { RestoredSessions } from '../sessions/treeItems';
import { sessionLabel } from '../text/sessionTitle';
import { messageHtml } from '../webviews/page';
import { type ConversationTarget, type KeptConversation, readKept, readPanelState } from './conversationAddresses';
import {
  isLeftBehind,
  isTranscriptOf,
  readSessionAddress,
  readTranscriptFile,
  sessionAddress,
} from './conversationAddresses';
import { ConversationPanel } from './conversationPanel';
import { OpenConversations } from './openConversations';
import { OpeningTimes } from './openingTimes';
import type { PanelRepairs } from './panelHost';

/** The key in the workspace state under which the positions in conversations are stored. */
const KEPT_PANELS = 'conversationPanels';
/** By then, VS Code has made the tab of an editor, unless another editor took its place before. */
const TAB_MS = 2_000;

/** The repairs of the sessions whose conversations are open. */
export interface PanelsRepairs {
  readonly onSeamChange: Listen<string>;
  seam(filePath: string): RepairSeam | null;
  ofPanel(filePath: string): PanelRepairs;
}

/** How an editor is opened. By default, its tab stays, and it gets the focus. */
export interface OpenPlace {
  /** In a tab that the next preview replaces, unless the conversation has a tab of its own. */
  readonly isPreview?: boolean;
  /** The focus stays where it is. */
  readonly keepsFocus?: boolean;
}

/** What an editor is opened for. */
interface Awaited {
  readonly target: ConversationTarget;
  readonly times: OpeningTimes;
}

/** The conversations that are open in editors of the window: one for each session. */
export class ConversationPanels
  extends Disposable
  implements vscode.CustomReadonlyEditorProvider, vscode.WebviewPanelSerializer
{
  readonly #open: OpenConversations;
  /** By transcript, the positions of before the window was reloaded, until their editors are made. */
  readonly #kept: Map<string, KeptConversation>;
  readonly #awaited = new Map<string, Awaited>();
  readonly #panels = new Map<string, ConversationPanel>();
  readonly #shownChanged = this._register(new Emitter<void>());
  /** VS Code makes no tab for one of two editors that are opened at once. */
  #opening: Promise<unknown> = Promise.resolve();

  /** Fires when another conversation has the focus or becomes visible. */
  readonly onShownChange = this.#shownChanged.event;

  /** Carries out the actions that a page requests. Set once the features that do so exist. */
  act: (action: PanelAction, panel: ConversationPanel) => Promise<void> = () => Promise.resolve();

  /** What is used of an editor that VS Code made: tests listen in between. */
  adapt: (panel: vscode.WebviewPanel) => vscode.WebviewPanel = (panel) => panel;

  #restored: Pick<RestoredSessions, 'reconnectedAt'> = { reconnectedAt: () => null };

  constructor(
    private readonly services: Services,
    private readonly repairs: PanelsRepairs,
  ) {
    super();
    const { client, home } = services;
    const kept = readKept(home.workspaceState.get(KEPT_PANELS));
    this.#kept = new Map(kept.map((each) => [each.navigation.filePath, each]));
    this.#open = new OpenConversations(client.conversation);
    for (const type of [CONVERSATION_EDITOR, TRANSCRIPT_EDITOR]) {
      this._register(
        vscode.window.registerCustomEditorProvider(type, this, {
          supportsMultipleEditorsPerDocument: false,
          webviewOptions: { retainContextWhenHidden: false },
        }),
      );
    }
    this._register(vscode.window.registerWebviewPanelSerializer(CONVERSATION_EDITOR, this));
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
    this._register(
      repairs.onSeamChange((filePath) => {
        this.#panels.get(filePath)?.repaired(repairs.seam(filePath));
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

  /** The conversation that has the focus. */
  get active(): ConversationPanel | null {
    return [...this.#panels.values()].find(({ webviewPanel }) => webviewPanel.active) ?? null;
  }

  /** The open conversation of a session; null when it is not open. */
  at(filePath: string): ConversationPanel | null {
    return this.#panels.get(filePath) ?? null;
  }

  /** The head of the conversation with that address; null if it is not open. */
  headOf(uri: vscode.Uri): ConversationHead | null {
    return this.#panels.get(transcriptOf(uri) ?? '')?.head ?? null;
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

  /** Opens the session in an editor of its own, or brings it to the front. */
  open(target: ConversationTarget, place: OpenPlace = {}): void {
    const times = new OpeningTimes(this.services.now);
    this.#opening = this.#opening
      .then(() => this.#openTab(target, place, times))
      .catch((error: unknown) => {
        this.services.log.error(`Failed to open ${target.filePath}: ${String(error)}`);
      });
  }

  async #openTab(
    target: ConversationTarget,
    { isPreview = false, keepsFocus = false }: OpenPlace,
    times: OpeningTimes,
  ): Promise<void> {
    const place = placeNow(this.services.model.snapshot, target.filePath);
    const filePath = isLeftBehind(target.filePath, place) ? place : target.filePath;
    const tab = tabOf(filePath);
    const present = this.#panels.get(filePath);
    if (present !== undefined && tab !== null) {
      present.reveal(target, keepsFocus);
      if (!isPreview) await this.keepTab(filePath);
      return;
    }
    this.#awaited.set(filePath, { target, times });
    const uri = conversationUri(filePath, this.#titleOf(filePath, null));
    await vscode.commands.executeCommand('vscode.openWith', uri, CONVERSATION_EDITOR, {
      preview: isPreview,
      preserveFocus: keepsFocus,
      viewColumn: tab?.group.viewColumn ?? vscode.ViewColumn.Active,
    });
  }

  /**
   * Keeps the tab of a session that the person does something with. Otherwise what that shows, such as a diff, would take its place if
   * the session is only previewed.
   */
  async keepTab(filePath: string): Promise<void> {
    const tab = tabOf(filePath);
    const input: unknown = tab?.input;
    if (tab?.isPreview !== true || !tab.isActive || !(input instanceof vscode.TabInputCustom)) return;
    const place = { preview: false, preserveFocus: true, viewColumn: tab.group.viewColumn };
    await vscode.commands.executeCommand('vscode.openWith', input.uri, input.viewType, place);
  }

  /** Nothing is read for VS Code: the worker reads the transcript. */
  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  resolveCustomEditor({ uri }: vscode.CustomDocument, webviewPanel: vscode.WebviewPanel): void {
    this.#forgetTabless();
    const filePath = transcriptOf(uri);
    // An address can come from anywhere; a file was chosen by the person.
    const isKnown = uri.scheme === 'file' || isTranscriptOf(this.services.configDirs(), filePath ?? '');
    if (filePath === null || !isKnown) {
      this.#showUnknown(webviewPanel);
      return;
    }
    const present = this.#panels.get(filePath);
    if (present !== undefined) {
      webviewPanel.dispose();
      present.reveal({ line: null });
      return;
    }
    const { now } = this.services;
    const { target = { line: null }, times = new OpeningTimes(now) } = this.#awaited.get(filePath) ?? {};
    this.#awaited.delete(filePath);
    const kept = this.#kept.get(filePath);
    this.#kept.delete(filePath);
    const left = [...this.#panels.values()].find((panel) => isLeftBehind(panel.filePath, filePath)) ?? null;
    const editor = this.adapt(webviewPanel);
    editor.title = this.#titleOf(filePath, kept?.title ?? null);
    const navigation = kept?.navigation ?? left?.navigation ?? { view: { kind: 'chain' }, at: null };
    this.#add(editor, { ...navigation, filePath }, target, times);
    if (left !== null) this.#replaceTab(left, filePath);
  }

  /** The new tab of a transcript that was moved stays if the one that it replaces did. */
  #replaceTab(left: ConversationPanel, filePath: string): void {
    const isKept = tabOf(left.filePath)?.isPreview === false;
    left.webviewPanel.dispose();
    if (isKept) void this.keepTab(filePath);
  }

  /** VS Code has restored a panel of an earlier version, with the state that its page stored: an editor takes its place. */
  async deserializeWebviewPanel(webviewPanel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const navigation = readPanelState(state, [...this.#kept.values()], webviewPanel.title);
    if (navigation === null) {
      this.#showUnknown(webviewPanel);
      return;
    }
    const { filePath } = navigation;
    const { title, active } = webviewPanel;
    if (!this.#panels.has(filePath)) {
      this.#kept.set(filePath, { title, navigation });
      const group = vscode.window.tabGroups.all.find(({ tabs }) =>
        tabs.some(({ input, label }) => input instanceof vscode.TabInputWebview && label === title),
      );
      const place = { viewColumn: group?.viewColumn, preview: false, preserveFocus: !active };
      await vscode.commands.executeCommand(
        'vscode.openWith',
        conversationUri(filePath, title),
        CONVERSATION_EDITOR,
        place,
      );
    }
    webviewPanel.dispose();
  }

  /** @param known the title that the session had, which one that is gone keeps */
  #titleOf(filePath: string, known: string | null): string {
    const { model, t } = this.services;
    const session = sessionAt(model.snapshot, filePath);
    return session.title === null && known !== null ? known : sessionLabel(session, t);
  }

  #showUnknown({ webview }: vscode.WebviewPanel): void {
    const { t, log } = this.services;
    log.warn('A conversation was not shown: nothing says which one it is');
    webview.options = { enableScripts: false, localResourceRoots: [] };
    webview.html = messageHtml(
      t('Which conversation this was is not known any more. Open it again from the Sessions view.'),
      vscode.env.language,
    );
  }

  /** A repair and its undo keep the tab, because they are things that the person does with the session. */
  #keepingTab(filePath: string, repairs: PanelRepairs): PanelRepairs {
    return {
      ...repairs,
      repair: async (scope, isInsisted) => {
        await this.keepTab(filePath);
        return repairs.repair(scope, isInsisted);
      },
      undo: async (isInsisted) => {
        await this.keepTab(filePath);
        return repairs.undo(isInsisted);
      },
    };
  }

  /** Of two editors that are opened at once, VS Code makes no tab for the first, and never disposes of it. */
  #forgetTabless(): void {
    const beforeMs = this.services.now() - TAB_MS;
    for (const panel of [...this.#panels.values()]) {
      if (panel.madeMs < beforeMs && tabOf(panel.filePath) === null) panel.webviewPanel.dispose();
    }
  }

  #add(
    webviewPanel: vscode.WebviewPanel,
    navigation: PanelNavigation,
    { line, find = null, offersRepair }: Omit<ConversationTarget, 'filePath'>,
    times: OpeningTimes,
  ): void {
    const { client } = this.services;
    const { filePath } = navigation;
    const panel: ConversationPanel = new ConversationPanel(webviewPanel, navigation, this.services, {
      act: async (action, acting) => {
        if (action.kind !== 'copy' && action.kind !== 'copyLink') await this.keepTab(filePath);
        await this.act(action, acting);
      },
      calls: client.conversation,
      open: this.#open,
      reveal: line,
      find,
      times,
      stopped: () => (client.hasGivenUp ? this.#stopReason() : null),
      reconnectedMs: () => this.#reconnectedMs(filePath),
      tryAgain: () => this.#tryAgain(panel),
      repairs: this.#keepingTab(filePath, this.repairs.ofPanel(filePath)),
      offersRepair: offersRepair ?? null,
      onMoved: () => {
        this.#keep();
      },
    });
    this.#panels.set(filePath, panel);
    webviewPanel.onDidChangeViewState(() => {
      this.#storePlaces();
    });
    webviewPanel.onDidDispose(() => {
      this.#panels.delete(filePath);
      this.#storePlaces();
      this.#keep();
    });
    this.#storePlaces();
    this.#keep();
  }

  /** Reopens all conversations if the worker had given up, and this one in any case. */
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
    const open = [...this.#panels.values()].map(({ webviewPanel: { title }, navigation }) => ({ title, navigation }));
    // VS Code makes the editor of a hidden tab when the tab is shown.
    const waiting = [...this.#kept.values()].filter(({ navigation: { filePath } }) => tabOf(filePath) !== null);
    const kept: readonly KeptConversation[] = [...open, ...waiting];
    void this.services.home.workspaceState.update(KEPT_PANELS, kept);
  }

  #storePlaces(): void {
    void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.conversationFocused, this.active !== null);
    this.#shownChanged.fire();
  }
}

/** The address of a session's conversation: that of its tab, if it has one, which keeps the title that it had when it was opened. */
export function conversationUri(filePath: string, title: string): vscode.Uri {
  const input: unknown = tabOf(filePath)?.input;
  return input instanceof vscode.TabInputCustom ? input.uri : vscode.Uri.from(sessionAddress(filePath, title));
}

function tabOf(filePath: string): vscode.Tab | null {
  for (const { tabs } of vscode.window.tabGroups.all) {
    for (const tab of tabs) {
      const input: unknown = tab.input;
      if (!(input instanceof vscode.TabInputCustom)) continue;
      const isOurs = input.viewType === CONVERSATION_EDITOR || input.viewType === TRANSCRIPT_EDITOR;
      if (isOurs && transcriptOf(input.uri) === filePath) return tab;
    }
  }
  return null;
}

function transcriptOf(uri: vscode.Uri): string | null {
  return readSessionAddress(uri) ?? readTranscriptFile(uri);
}
