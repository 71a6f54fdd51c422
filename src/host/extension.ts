import { homedir } from 'node:os';
import * as vscode from 'vscode';
import type { SessionsSnapshot, WorkerConfiguration } from '../shared/api/worker';
import { commandFailure } from './commands/commandFailure';
import type { CommandId } from './commands/commandIds';
import type { CommandRunner } from './commands/commandRunner';
import { Commands } from './commands/commands';
import { RepairCommands } from './commands/repairCommands';
import { ScanCommands } from './commands/scanCommands';
import { isScanOnStartupWanted, readWorkerConfiguration } from './config/configuration';
import { SETTINGS } from './config/settings';
import { Disposable } from './lifetime/disposable';
import { RepairPreviews } from './repair/repairPreviews';
import { FocusWatch } from './sessions/focusWatch';
import { SessionsModel } from './sessions/sessionsModel';
import { SessionsView } from './sessions/sessionsView';
import { CorruptionBadge } from './statusBar/corruptionBadge';
import { createFormats } from './text/formats';
import type { Translate } from './text/translate';
import { SessionsTree } from './tree/sessionsTree';
import { WorkerClient } from './worker/workerClient';
import { startWorkerThread } from './worker/workerThread';

/** VS Code activates the extension once it has started; this much later its own work is done, too. */
const STARTUP_SCAN_DELAY_MS = 3000;

/** What other extensions, and the tests in a real window, may ask. */
export interface RethreadApi {
  /** The sessions as the window knows them; empty until the first scan. */
  getSessions(): SessionsSnapshot;
}

let shutDown: () => Promise<void> = () => Promise.resolve();

export function activate(context: vscode.ExtensionContext): RethreadApi {
  const extension = new Extension(context.asAbsolutePath('dist/worker.js'), context.globalStorageUri);
  context.subscriptions.push(extension);
  shutDown = () => extension.shutDown();
  return extension;
}

/** VS Code waits for its end, for some seconds. */
export function deactivate(): Promise<void> {
  return shutDown();
}

/** The composition root. Builds and registers; nothing is read, and no thread runs, until a view or a command asks. */
class Extension extends Disposable implements RethreadApi {
  readonly #model: SessionsModel;
  readonly #log = this._register(vscode.window.createOutputChannel('Rethread', { log: true }));
  readonly #t: Translate = (message, ...args) => vscode.l10n.t(message, ...args);

  readonly #client: WorkerClient;

  constructor(workerEntry: string, storage: vscode.Uri) {
    super();
    const log = this.#log;
    const t = this.#t;
    const formats = createFormats(vscode.env.language, t);
    const homeDir = homedir();
    const now = Date.now;

    const client = this._register(new WorkerClient({ startThread: () => startWorkerThread(workerEntry), log, now }));
    this.#client = client;
    const readConfiguration = (): WorkerConfiguration | null => readWorkerConfiguration(storage);
    const model = new SessionsModel({ client, readConfiguration, log, now });
    this.#model = this._register(model);
    const tree = this._register(new SessionsTree({ model, client, formats, t, log, homeDir }));
    const { treeView } = this._register(new SessionsView({ model, tree, formats, t }));
    this._register(new CorruptionBadge(model, treeView, formats, t));

    const run: CommandRunner = (id, work) => this.#run(id, work);
    const showLog = (): void => {
      if (!this.isDisposed) log.show();
    };
    const previews = this._register(new RepairPreviews(t));
    this._register(new FocusWatch({ client, filePathOf: (uri) => previews.filePathOf(uri) }));
    const repairs = new RepairCommands({ client, previews, formats, t, log, homeDir, run, showLog });
    const scans = new ScanCommands({ model, client, formats, t });
    this._register(new Commands({ model, tree, previews, repairs, scans, homeDir, formats, t, run }));

    this._register(vscode.workspace.onDidChangeWorkspaceFolders(() => void model.reconfigure()));
    this._register(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(SETTINGS.section)) void model.reconfigure();
      }),
    );
    if (isScanOnStartupWanted()) this.#scanLater();
  }

  getSessions(): SessionsSnapshot {
    return this.#model.snapshot;
  }

  /** Resolves when nothing of the extension runs any more. */
  shutDown(): Promise<void> {
    return this.#client.shutDown();
  }

  #scanLater(): void {
    const timer = setTimeout(() => void this.#model.start(), STARTUP_SCAN_DELAY_MS);
    this._register({
      dispose: () => {
        clearTimeout(timer);
      },
    });
  }

  async #run(id: CommandId, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.isDisposed) return;
      this.#log.error(`${id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      // The command is over; the message may stay for as long as it likes.
      void this.#sayFailed(error);
    }
  }

  async #sayFailed(error: unknown): Promise<void> {
    const showLog = this.#t('Show Log');
    const answer = await vscode.window.showErrorMessage(commandFailure(error, this.#t), showLog);
    if (answer === showLog && !this.isDisposed) this.#log.show();
  }
}
