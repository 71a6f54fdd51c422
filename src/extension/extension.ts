import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { SessionsSnapshot } from '../protocol/channels/sessions';
import type { WorkerConfiguration } from '../protocol/channels/worker';
import type { ConversationHead } from '../protocol/conversation';
import { commandFailure } from './commands/commandFailure';
import { Commands } from './commands/commands';
import { windowRunner } from './commands/windowRunner';
import { isScanOnStartupWanted, readConfigDir, readWorkerConfiguration } from './config/configuration';
import { SETTINGS } from './config/settings';
import { ConversationActions } from './conversation/conversationActions';
import { ConversationCommands } from './conversation/conversationCommands';
import type { ConversationTarget } from './conversation/conversationLink';
import { ConversationLinks } from './conversation/conversationLinks';
import { ConversationPanels } from './conversation/conversationPanels';
import { EditDocuments, RowDocuments } from './conversation/documents';
import { CheckpointsFeature } from './history/checkpointsFeature';
import { ForksFeature } from './history/forksFeature';
import { RewindFeature } from './history/rewindFeature';
import { Disposable } from './lifetime';
import { RepairCommands } from './repair/repairCommands';
import { RepairPreviewLinks, RepairPreviews } from './repair/repairPreviews';
import { WorkerClient } from './rpc/workerClient';
import { startWorkerThread, type WorkerThread } from './rpc/workerThread';
import type { Translate } from './services';
import { CorruptionBadge } from './sessions/corruptionBadge';
import { CurrentSession } from './sessions/currentSession';
import { FocusWatch } from './sessions/focusWatch';
import { ScanCommands } from './sessions/scanCommands';
import { SessionUsages } from './sessions/sessionUsages';
import { SessionsModel } from './sessions/sessionsModel';
import { findSession } from './sessions/sessionsState';
import { SessionsTree } from './sessions/sessionsTree';
import { SessionsView } from './sessions/sessionsView';
import { TasksFeature } from './tasks/tasksFeature';
import type { TasksState } from './tasks/tasksModel';
import { createFormats } from './text/formats';
import { TokensFeature, usageView } from './tokens/tokensFeature';

/** VS Code activates the extension once it has started; this much later its own work is done, too. */
const STARTUP_DELAY_MS = 3000;
/** By then most first scans are over. */
const TIDY_DELAY_MS = 20_000;

/** What other extensions, and the tests in a real window, may ask. */
export interface RethreadApi {
  /** The sessions as the window knows them; empty until the first scan. */
  getSessions(): SessionsSnapshot;
  /** What the Tasks view shows. */
  getTasks(): TasksState;
  /** Follows a link to a conversation, as if it came from outside. */
  openLink(uri: vscode.Uri): Promise<void>;
}

let shutDown: () => Promise<void> = () => Promise.resolve();

export function activate(context: vscode.ExtensionContext): RethreadApi {
  const extension = new Extension(context);
  context.subscriptions.push(extension);
  shutDown = () => extension.shutDown();
  return extension;
}

/** VS Code waits for its end, for some seconds. */
export function deactivate(): Promise<void> {
  return shutDown();
}

type ExtensionHome = Pick<
  vscode.ExtensionContext,
  'extension' | 'extensionUri' | 'globalStorageUri' | 'workspaceState'
>;

/** The composition root. Builds and registers; nothing is read, and no thread runs, until a view or a command asks. */
class Extension extends Disposable implements RethreadApi {
  readonly #model: SessionsModel;
  readonly #log = this._register(vscode.window.createOutputChannel('Rethread', { log: true }));
  readonly #t: Translate = (message, ...args) => vscode.l10n.t(message, ...args);

  readonly #client: WorkerClient;
  readonly #links: ConversationLinks;
  readonly #tasks: TasksFeature;

  constructor({ extension, extensionUri, globalStorageUri, workspaceState }: ExtensionHome) {
    super();
    const workerEntry = vscode.Uri.joinPath(extensionUri, 'dist', 'worker.mjs').fsPath;
    const log = this.#log;
    const t = this.#t;
    const formats = createFormats(vscode.env.language, t);
    const homeDir = homedir();
    const now = Date.now;

    const readConfiguration = (): WorkerConfiguration | null => readWorkerConfiguration(globalStorageUri);
    const startThread = (): WorkerThread => startWorkerThread(workerEntry);
    const client = this._register(new WorkerClient({ startThread, readConfiguration, log, now }));
    this.#client = client;
    const model = new SessionsModel({ client, readConfiguration, log, now });
    this.#model = this._register(model);
    const usage = this._register(new SessionUsages((filePath) => client.usage.sessionUsage(filePath, usageView())));
    const isRewound = (sessionId: string): boolean => rewinds.rewound.has(sessionId);
    const tree = this._register(new SessionsTree({ model, client, usage, isRewound, formats, t, log, homeDir }));
    const { treeView } = this._register(new SessionsView({ model, tree, formats, t }));
    this._register(new CorruptionBadge(model, treeView, formats, t));

    const showLog = (): void => {
      if (!this.isDisposed) log.show();
    };
    const run = windowRunner({ log, showLog, isOver: () => this.isDisposed, t });
    const previews = this._register(new RepairPreviews(t));
    const filePathOf = (uri: vscode.Uri): string | null => previews.filePathOf(uri);
    this._register(new RepairPreviewLinks(filePathOf, t));
    const repairs = new RepairCommands({ client, previews, formats, t, log, homeDir, run, showLog });
    const scans = new ScanCommands({ model, client, formats, t });

    const describe = (error: unknown): string => commandFailure(error, t);
    const configDir = (): string | null => readConfigDir()?.path ?? null;
    const open = (target: ConversationTarget): void => {
      panels.open(target);
    };
    const checkpoints = this._register(
      new CheckpointsFeature({
        client,
        extensionUri,
        storage: globalStorageUri,
        // SAFETY: package.json has it.
        version: (extension.packageJSON as { readonly version: string }).version,
        log,
        t,
      }),
    );
    const forks = new ForksFeature({
      client,
      model,
      panels: () => panels,
      repairs,
      open,
      run,
      formats,
      log,
      t,
    });
    const rewinds: RewindFeature = this._register(
      new RewindFeature({
        client,
        model,
        enableCheckpoints: () => run('rethread.enableCheckpoints', () => checkpoints.setEnabled(true)),
        homeDir,
        run,
        showLog,
        formats,
        log,
        t,
      }),
    );
    this._register(
      rewinds.rewound.onChange(() => {
        tree.redraw();
      }),
    );
    const actions = new ConversationActions({
      extensionId: extension.id,
      rows: this._register(new RowDocuments(client.conversation, t)),
      edits: this._register(new EditDocuments(client.conversation, t)),
      open,
      repair: (head) => run('rethread.repairSession', () => repairs.repair(head)),
      fork: (panel, line) => forks.forkFromPanel(panel, line),
      rewind: (panel, line) => rewinds.rewindFromPanel(panel, line),
      t,
    });
    const panels: ConversationPanels = this._register(
      new ConversationPanels({
        client,
        titleOf: (filePath) => findSession(model.snapshot, filePath)?.session.title ?? null,
        storage: workspaceState,
        extensionUri,
        act: (action, panel) => actions.act(action, panel),
        describe,
        now,
        log,
        t,
      }),
    );
    this.#links = this._register(new ConversationLinks({ open, configDir, log, t }));
    this._register(new FocusWatch({ client, filePathOf, panels }));
    const current = this._register(
      new CurrentSession({
        panels,
        selection: () => treeView.selection.flatMap((node) => (node.kind === 'session' ? [node.session.filePath] : [])),
        onSelectionChange: (listener) => treeView.onDidChangeSelection(listener),
      }),
    );
    const headOf = (filePath: string): ConversationHead | null => panels.at(filePath)?.head ?? null;
    const tokens = this._register(
      new TokensFeature({ client, model, current, headOf, describe, extensionUri, homeDir, log, t }),
    );
    const tasks = this._register(new TasksFeature({ client, model, current, open, describe, formats, t }));
    this.#tasks = tasks;
    const conversations = new ConversationCommands({ client, panels, configDir, describe, formats, t });
    this._register(
      new Commands({
        model,
        tree,
        previews,
        repairs,
        scans,
        conversations,
        tokens,
        tasks,
        forks,
        rewinds,
        checkpoints,
        homeDir,
        formats,
        t,
        run,
      }),
    );

    // In this order: a scan of another config folder comes behind the configuration.
    const reconfigure = (): Promise<void> => {
      client.reconfigure().catch((error: unknown) => {
        log.error(`Failed to configure the worker thread: ${String(error)}`);
      });
      return model.reconfigure();
    };
    this._register(vscode.workspace.onDidChangeWorkspaceFolders(() => void reconfigure()));
    this._register(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (!change.affectsConfiguration(SETTINGS.section)) return;
        void reconfigure().then(() => {
          tokens.reconfigure();
          tasks.reconfigure();
          rewinds.reconfigure();
        });
      }),
    );
    if (isScanOnStartupWanted()) this.#later(STARTUP_DELAY_MS, () => void model.start());
    this.#later(TIDY_DELAY_MS, () => void checkpoints.tidy());
  }

  getSessions(): SessionsSnapshot {
    return this.#model.snapshot;
  }

  getTasks(): TasksState {
    return this.#tasks.state;
  }

  openLink(uri: vscode.Uri): Promise<void> {
    return this.#links.handleUri(uri);
  }

  /** Resolves when nothing of the extension runs any more. */
  shutDown(): Promise<void> {
    return this.#client.shutDown();
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
