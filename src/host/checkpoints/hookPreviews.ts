import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { HookChange } from '../../shared/api/checkpoints';
import { HOOK_PREVIEW_SCHEME } from '../config/uriSchemes';
import { Disposable } from '../lifetime/disposable';
import type { Translate } from '../text/translate';

/** Shows a project's settings with and without the hook side by side, before they are changed. */
export class HookPreviews extends Disposable implements vscode.TextDocumentContentProvider {
  readonly #t: Translate;
  /** By the query of their URIs. */
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

  /** The person has said what they want. */
  async close(): Promise<void> {
    this.#texts.clear();
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.scheme === HOOK_PREVIEW_SCHEME);
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }
}
