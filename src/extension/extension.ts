import * as vscode from 'vscode';
import type { SessionsSnapshot } from '../protocol/channels/sessions';
import { AlarmsFeature } from './alarms/alarmsFeature';
import { Commands } from './commands/commands';
import { isScanOnStartupWanted, readUsageView } from './config/configuration';
import { SETTINGS } from './config/settings';
import { ConversationActions } from './conversation/conversationActions';
import { ConversationLinks } from './conversation/conversationLinks';
import { ConversationPanels, conversationUri } from './conversation/conversationPanels';
import { SessionChanges } from './conversation/sessionChanges';
import { CheckpointsFeature } from './history/checkpointsFeature';
import { ForksFeature } from './history/forksFeature';
import { RewindFeature } from './history/rewindFeature';
import { Disposable } from './lifetime';
import { FindingOffers } from './repair/findingOffers';
import { SessionRepairs } from './repair/sessionRepairs';
import { SessionSlims } from './repair/sessionSlims';
import { SearchFeature } from './search/searchFeature';
import { type ExtensionHome, Services } from './services';
import { AttentionBadge } from './sessions/attention';
import { CurrentSession } from './sessions/currentSession';
import { type FocusSource, FocusWatch, type Surface } from './sessions/focusWatch';
import { NewsNotifier } from './sessions/newsNotifier';
import { ScanCommands } from './sessions/scanCommands';
import { SessionFilter } from './sessions/sessionFilter';
import { SessionOrder } from './sessions/sessionOrder';
import { SessionPins } from './sessions/sessionPins';
import { SessionUsages } from './sessions/sessionUsages';
import { SideBarWidth } from './sessions/sideBarWidth';
import { SessionsTree } from './sessions/sessionsTree';
import { SessionsView } from './sessions/sessionsView';
import { TasksFeature } from './tasks/tasksFeature';
import type { TasksState } from './tasks/tasksModel';
import { TerminalLinks } from './terminals/terminalLinks';
import { TerminalsFeature } from './terminals/terminalsFeature';
import { TokensFeature } from './tokens/tokensFeature';

/** Delay after activation, which VS Code triggers once it has started; by then, VS Code's own startup work is done too. */
const STARTUP_DELAY_MS = 3000;
/** Terminals of before are looked for soon: a reloaded window shows them at once. */
const RECONNECT_DELAY_MS = 500;
/** By then, most first scans have finished. */
const TIDY_DELAY_MS = 20_000;

/** API for other extensions, and for the tests in a real window. */
export interface RethreadApi {
  /** The sessions known to the window; empty until the first scan. */
  getSessions(): SessionsSnapshot;
  /** The content of the Tasks view. */
  getTasks(): TasksState;
  /** Opens a link to a conversation as if it came from outside. */
  openLink(uri: vscode.Uri): Promise<void>;
  /** Puts something between the editors that VS Code makes for conversations and rewinds, and what is shown in them. */
  adaptPanels(adapt: (panel: vscode.WebviewPanel) => vscode.WebviewPanel): void;
}

let shutDown: () => Promise<void> = () => Promise.resolve();

export function activate(context: vscode.ExtensionContext): RethreadApi {
  const extension = new Extension(context);
  context.subscriptions.push(extension);
  shutDown = () => extension.shutDown();
  return extension;
}

/** VS Code waits a few seconds for the promise. */
export function deactivate(): Promise<void> {
  return shutDown();
}

/**
 * Creates the services and every feature, each after those that it depends on. Reads nothing and starts no thread until a
 * view or a command needs it.
 */
class Extension extends Disposable implements RethreadApi {
  readonly #services: Services;
  readonly #tasks: TasksFeature;
  readonly #links: ConversationLinks;
  readonly #panels: ConversationPanels;
  readonly #rewinds: RewindFeature;

  constructor(home: ExtensionHome) {
    super();
    const services = this._register(new Services(home));
    this.#services = services;
    const { client, model } = services;

    const repairs = this._register(new SessionRepairs(services));
    const panels = this._register(new ConversationPanels(services, repairs));
    this.#panels = panels;
    const checkpoints = this._register(new CheckpointsFeature(services));
    const rewinds = this._register(new RewindFeature(services, checkpoints, panels));
    this.#rewinds = rewinds;
    const terminals: TerminalsFeature = this._register(
      new TerminalsFeature(services, {
        repairs,
        offerRepair: (filePath) => {
          panels.open({ filePath, line: null, offersRepair: 'all' });
        },
        takeOffer: (session, offer) => offers.take(session, offer),
        fork: (session) => forks.fork(session),
        panels: () => panels.shown.map(({ filePath }) => filePath),
        urgent: () => focus.paths,
      }),
    );
    panels.follow(terminals);
    this._register(new TerminalLinks(services, panels));
    const forks = new ForksFeature(services, panels, (session) => terminals.resume(session));
    const offers = new FindingOffers({
      ...{ dialogs: services.dialogs, formats: services.formats, now: services.now, t: services.t },
      findingsOf: async (session) => (await client.sessions.details(session)).scan.result.findings,
      conversations: client.conversation,
      hold: (filePath) => panels.hold(filePath),
      open: (target) => {
        panels.open(target);
      },
      forkAt: (session, line) => forks.forkAfter(session, line),
    });
    this._register(new ConversationActions(services, { panels, forks, rewinds, offers }));
    const changes = this._register(new SessionChanges(services));
    this.#links = this._register(new ConversationLinks(services, panels));

    const usages = this._register(
      new SessionUsages(async (filePath) => {
        const view = readUsageView();
        const [usage, judged] = await Promise.all([
          client.usage.sessionUsage(filePath, view),
          client.preflights.preflight(filePath, view).catch(() => null),
        ]);
        return { usage, preflight: judged?.preflight ?? null };
      }),
    );
    const filter = this._register(new SessionFilter(home.workspaceState));
    const order = this._register(new SessionOrder(home.workspaceState));
    const pins = this._register(new SessionPins(home.globalState));
    const sideBarWidth = this._register(new SideBarWidth(home.globalState));
    const tree = this._register(
      new SessionsTree(services, usages, rewinds.rewound, {
        filter,
        order,
        pins,
        restored: terminals,
        width: sideBarWidth,
        conversationUri,
      }),
    );
    const { treeView } = this._register(new SessionsView(services, tree, { filter, order }, panels));
    this._register(new AttentionBadge(services, treeView));
    const alarms = this._register(
      new AlarmsFeature(services, filter, (filePath) => {
        panels.open({ filePath, line: null });
      }),
    );
    this._register(
      new NewsNotifier(services, {
        show: (session) => terminals.show(session),
        isAlarmed: (sessionId) => alarms.concerns(sessionId),
      }),
    );
    const selection: FocusSource = {
      get shown() {
        return treeView.selection.flatMap((node) =>
          node.kind === 'session' ? [{ filePath: node.session.path, place: 'visible' } as const] : [],
        );
      },
      onShownChange: (listener) =>
        treeView.onDidChangeSelection(() => {
          listener();
        }),
    };
    const surface: Surface = {
      get isVisible() {
        return treeView.visible || panels.shown.some(({ place }) => place !== 'background');
      },
      onChange: (listener) =>
        treeView.onDidChangeVisibility(() => {
          listener();
        }),
    };
    const focus = this._register(new FocusWatch(services, [panels, terminals, selection], surface));
    const current = this._register(
      new CurrentSession({
        panels,
        selection: () => treeView.selection.flatMap((node) => (node.kind === 'session' ? [node.session.path] : [])),
        onSelectionChange: (listener) => treeView.onDidChangeSelection(listener),
      }),
    );
    const search = this._register(new SearchFeature(services, panels, sideBarWidth));
    const tokens = this._register(new TokensFeature(services, panels, current, sideBarWidth));
    const tasks = this._register(new TasksFeature(services, panels, current));
    this.#tasks = tasks;

    const scans = new ScanCommands(services);
    this._register(
      new Commands(services, {
        tree,
        repairs,
        offers,
        slims: new SessionSlims(services, (filePath) => {
          repairs.forget(filePath);
        }),
        scans,
        panels,
        search,
        tokens,
        tasks,
        terminals,
        forks,
        rewinds,
        checkpoints,
        filter,
        changes,
        order,
        pins,
      }),
    );

    this._register(vscode.workspace.onDidChangeWorkspaceFolders(() => void this.#reconfigure()));
    // One of them brings a client.
    this._register(vscode.extensions.onDidChange(() => void this.#reconfigure()));
    this._register(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (!change.affectsConfiguration(SETTINGS.section)) return;
        void this.#reconfigure().then(() => {
          for (const feature of [tokens, tasks, rewinds]) feature.reconfigure();
        });
      }),
    );
    if (isScanOnStartupWanted()) this.#later(STARTUP_DELAY_MS, () => void model.start());
    this.#later(RECONNECT_DELAY_MS, () => void terminals.begin());
    this.#later(TIDY_DELAY_MS, () => void Promise.all([checkpoints.tidy(), rewinds.tidy()]));
  }

  getSessions(): SessionsSnapshot {
    return this.#services.model.snapshot;
  }

  getTasks(): TasksState {
    return this.#tasks.state;
  }

  openLink(uri: vscode.Uri): Promise<void> {
    return this.#links.handleUri(uri);
  }

  adaptPanels(adapt: (panel: vscode.WebviewPanel) => vscode.WebviewPanel): void {
    this.#panels.adapt = adapt;
    this.#rewinds.adaptPages(adapt);
  }

  /** Resolves when nothing of the extension is running. */
  shutDown(): Promise<void> {
    return this.#services.client.shutDown();
  }

  /** The order matters: a scan of another config folder must follow the configuration. */
  #reconfigure(): Promise<void> {
    const { client, model, log } = this.#services;
    client.reconfigure().catch((error: unknown) => {
      log.error(`Failed to configure the worker thread: ${String(error)}`);
    });
    return model.reconfigure();
  }

  #later(delayMs: number, work: () => void): void {
    const timer = setTimeout(work, delayMs);
    this._register({
      dispose: () => {
        clearTimeout(timer);
      },
    });
  }
}
