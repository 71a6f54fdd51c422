import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { HookChange } from '../../protocol/channels/history';
import { readMaxFileSizeMB, workspaceFolderPaths } from '../config/configuration';
import { HOOK_PREVIEW_SCHEME } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import type { Translate } from '../text/translate';
import { HookFlow } from './hookFlow';
import { HookLauncher } from './hookLauncher';

/** Our own checkpoints: whether a project's sessions make them, and the program that does it. */
export class CheckpointsFeature extends Disposable {
  readonly #hooks: HookFlow;
  readonly #launcher: HookLauncher;

  constructor(private readonly services: Services) {
    super();
    const { client, dialogs, home, log, t } = services;
    const { extension, extensionUri, globalStorageUri } = home;
    this.#launcher = new HookLauncher({
      storage: globalStorageUri.fsPath,
      bundled: vscode.Uri.joinPath(extensionUri, 'dist', 'checkpoint.js').fsPath,
      // SAFETY: package.json has a version.
      version: (extension.packageJSON as { readonly version: string }).version,
      runtime: process.execPath,
      isWindows: process.platform === 'win32',
      hooks: client.history,
    });
    this.#hooks = new HookFlow({
      hooks: client.history,
      launcher: this.#launcher,
      extensionsFolder: dirname(extensionUri.fsPath),
      previews: this._register(new HookPreviews(t)),
      hasFolder: () => workspaceFolderPaths().length > 0,
      isTrusted: () => vscode.workspace.isTrusted,
      maxFileSizeMB: readMaxFileSizeMB,
      chooseFolder: () => chooseFolder(services),
      dialogs,
      log,
      t,
    });
  }

  /** Cleans up. Not urgent, so call it once the window is idle. Never rejects. */
  async tidy(): Promise<void> {
    const { client, log } = this.services;
    try {
      // If checkpoints were never enabled, there are none to remove.
      if (!(await this.#launcher.refresh()) || this.isDisposed) return;
      const removed = await client.history.pruneCheckpoints();
      if (removed.length > 0) log.info(`Removed checkpoints of sessions that are gone: ${removed.join(', ')}`);
    } catch (error) {
      if (!this.isDisposed) log.warn(`Failed to tidy up the checkpoints: ${String(error)}`);
    }
  }

  setEnabled(isEnabled: boolean): Promise<void> {
    return this.#hooks.setEnabled(isEnabled);
  }
}

async function chooseFolder({ dialogs, t }: Services): Promise<string | null> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  if (folders.length === 1) return folders[0]?.uri.fsPath ?? null;
  const choices = folders.map(({ name, uri: { fsPath } }) => ({ value: fsPath, label: name, description: fsPath }));
  return dialogs.choose([{ heading: null, choices }], {
    title: t('Checkpoints'),
    placeholder: t('Choose a folder'),
  });
}

/** Shows a diff of a project's settings with and without the hook before they are changed. */
class HookPreviews extends Disposable implements vscode.TextDocumentContentProvider {
  readonly #t: Translate;
  /** Keyed by the query of their URIs. */
  readonly #texts = new Map<string, string>();

  constructor(t: Translate) {
    super();
    this.#t = t;
    this._register(vscode.workspace.registerTextDocumentContentProvider(HOOK_PREVIEW_SCHEME, this));
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.query) ?? '';
  }

  async show({ before, after }: HookChange, name: string): Promise<void> {
    const side = (text: string | null): vscode.Uri => {
      const query = randomUUID();
      this.#texts.set(query, text ?? '');
      return vscode.Uri.from({ scheme: HOOK_PREVIEW_SCHEME, path: '/settings.local.json', query });
    };
    const title = this.#t('settings.local.json of “{0}”', name);
    await vscode.commands.executeCommand('vscode.diff', side(before), side(after), title, { preview: true });
  }

  /** Called when the person has decided. */
  async close(): Promise<void> {
    this.#texts.clear();
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.scheme === HOOK_PREVIEW_SCHEME);
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }
}
