import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { commandFailure } from './commands/commandFailure';
import { type CommandRunner, windowRunner } from './commands/windowRunner';
import { readConfigDir, readConfigDirs, readWorkerConfiguration } from './config/configuration';
import { configDirOf } from './config/settings';
import { Disposable } from './lifetime';
import type { Log } from './log';
import { startWorkerThread, WorkerClient } from './rpc/workerClient';
import { SessionsModel } from './sessions/sessionsModel';
import { createFormats, type Formats } from './text/formats';
import type { Translate } from './text/translate';
import type { Dialogs } from './window/dialogs';
import { windowDialogs } from './window/windowDialogs';

/** The parts of VS Code's extension context that are used. */
export type ExtensionHome = Pick<
  vscode.ExtensionContext,
  'extension' | 'extensionUri' | 'globalState' | 'globalStorageUri' | 'workspaceState'
>;

/**
 * The services that every feature of a window uses: one object, created at activation. Features take it whole; code that
 * runs without VS Code names the members it needs with `Pick`. Building it reads nothing and starts no thread.
 */
export class Services extends Disposable {
  readonly home: ExtensionHome;
  readonly t: Translate = (message, ...args) => vscode.l10n.t(message, ...args);
  readonly log: Log;
  readonly formats: Formats = createFormats(vscode.env.language, this.t);
  readonly dialogs: Dialogs = windowDialogs;
  /** The worker thread; it starts with the first call. */
  readonly client: WorkerClient;
  /** The sessions known to the window. */
  readonly model: SessionsModel;
  /** Runs the work of a command and reports its failure. */
  readonly run: CommandRunner;
  readonly showLog: () => void;
  /** The person's home folder. */
  readonly homeDir = homedir();
  /** Milliseconds since the epoch. */
  readonly now: () => number = Date.now;

  constructor(home: ExtensionHome) {
    super();
    this.home = home;
    const channel = this._register(vscode.window.createOutputChannel('Rethread', { log: true }));
    this.log = channel;
    this.showLog = () => {
      if (!this.isDisposed) channel.show();
    };
    const { log, dialogs, showLog, now, t } = this;
    const workerEntry = vscode.Uri.joinPath(home.extensionUri, 'dist', 'worker.mjs').fsPath;
    const readConfiguration = (): ReturnType<typeof readWorkerConfiguration> =>
      readWorkerConfiguration(home.globalStorageUri);
    const startThread = (): ReturnType<typeof startWorkerThread> => startWorkerThread(workerEntry);
    this.client = this._register(new WorkerClient({ startThread, readConfiguration, log, now }));
    this.model = this._register(new SessionsModel({ client: this.client, readConfiguration, log, now }));
    this.run = windowRunner({ log, dialogs, showLog, isOver: () => this.isDisposed, t });
  }

  /** The message shown to the person when something failed. */
  readonly describe = (error: unknown): string => commandFailure(error, this.t);

  /** Absolute path of Claude Code's config folder; null if the setting names no usable one. */
  readonly configDir = (): string | null => readConfigDir()?.path ?? null;

  /** Absolute paths of all config folders, the main one first; empty if the setting of that one names no usable folder. */
  readonly configDirs = readConfigDirs;

  /** The config folder of another account that contains a transcript or a project; null if that is in the main one, or elsewhere. */
  readonly extraConfigDirOf = (path: string): string | null => configDirOf(path, readConfigDirs().slice(1));
}
