import * as vscode from 'vscode';
import { workspaceFolderPaths } from '../config/configuration';
import { Disposable } from '../lifetime/disposable';
import type { Log } from '../text/log';
import type { Translate } from '../text/translate';
import { windowDialogs } from '../window/windowDialogs';
import type { WorkerClient } from '../worker/workerClient';
import { HookFlow } from './hookFlow';
import { HookLauncher } from './hookLauncher';
import { HookPreviews } from './hookPreviews';

export interface CheckpointsFeatureParts {
  readonly client: Pick<WorkerClient, 'rewinding'>;
  /** Makes sure that a worker which is started knows what it has to. */
  readonly prepare: () => void;
  readonly extensionUri: vscode.Uri;
  /** Where VS Code lets the extension keep what belongs to no single window. */
  readonly storage: vscode.Uri;
  readonly version: string;
  readonly log: Log;
  readonly t: Translate;
}

/** Checkpoints of our own: whether a project's sessions keep them, and the program that does it for them. */
export class CheckpointsFeature extends Disposable {
  readonly #parts: CheckpointsFeatureParts;
  readonly #hooks: HookFlow;
  readonly #launcher: HookLauncher;

  constructor(parts: CheckpointsFeatureParts) {
    super();
    this.#parts = parts;
    const { client, extensionUri, storage, version, log, t } = parts;
    this.#launcher = new HookLauncher({
      storage: storage.fsPath,
      bundled: vscode.Uri.joinPath(extensionUri, 'dist', 'checkpoint.js').fsPath,
      version,
      runtime: process.execPath,
      isWindows: process.platform === 'win32',
      hooks: client.rewinding,
    });
    this.#hooks = new HookFlow({
      hooks: client.rewinding,
      launcher: this.#launcher,
      previews: this._register(new HookPreviews(t)),
      hasFolder: () => workspaceFolderPaths().length > 0,
      chooseFolder: () => chooseFolder(t),
      dialogs: windowDialogs,
      log,
      t,
    });
  }

  /** Nothing of it is urgent: to be called once the window is at rest. Never rejects. */
  async tidy(): Promise<void> {
    const { client, prepare, log } = this.#parts;
    try {
      // Who never enabled checkpoints has none that could be removed.
      if (!(await this.#launcher.refresh()) || this.isDisposed) return;
      prepare();
      const removed = await client.rewinding.pruneCheckpoints();
      if (removed.length > 0) log.info(`Removed checkpoints of sessions that are gone: ${removed.join(', ')}`);
    } catch (error) {
      if (!this.isDisposed) log.warn(`Failed to tidy up the checkpoints: ${String(error)}`);
    }
  }

  setEnabled(isEnabled: boolean): Promise<void> {
    this.#parts.prepare();
    return this.#hooks.setEnabled(isEnabled);
  }
}

async function chooseFolder(t: Translate): Promise<string | null> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  if (folders.length === 1) return folders[0]?.uri.fsPath ?? null;
  const choices = folders.map(({ name, uri: { fsPath } }) => ({ value: fsPath, label: name, description: fsPath }));
  return windowDialogs.choose([{ heading: null, choices }], {
    title: t('Checkpoints'),
    placeholder: t('Choose a folder'),
  });
}
