import * as vscode from 'vscode';
import { type CommandId, REPAIR_PREVIEW_SCHEME } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Translate } from '../text/translate';

/** Read-only documents that show the changes of a repair. One per transcript, kept while its editor is open. */
export class RepairPreviews extends Disposable implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  readonly #changed = this._register(new vscode.EventEmitter<vscode.Uri>());
  readonly #t: Translate;

  readonly onDidChange = this.#changed.event;

  constructor(t: Translate) {
    super();
    this.#t = t;
    this._register(vscode.workspace.registerTextDocumentContentProvider(REPAIR_PREVIEW_SCHEME, this));
    this._register(
      vscode.workspace.onDidCloseTextDocument((document) => {
        this.#texts.delete(document.uri.toString());
      }),
    );
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    // An editor that VS Code restored after a restart has no plan.
    return this.#texts.get(uri.toString()) ?? this.#t('This preview is out of date. Run “Repair Session…” once more.');
  }

  async show(filePath: string, title: string, text: string): Promise<void> {
    const uri = this.#uriOf(filePath, title);
    this.#texts.set(uri.toString(), text);
    this.#changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    if (this.isDisposed) return;
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** Called when the plan was carried out or is no longer valid. */
  async close(filePath: string): Promise<void> {
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter((tab) => tab.input instanceof vscode.TabInputText && this.filePathOf(tab.input.uri) === filePath);
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
  }

  filePathOf(uri: vscode.Uri): string | null {
    return uri.scheme === REPAIR_PREVIEW_SCHEME ? uri.query : null;
  }

  /** The path is the title of the editor's tab; its extension makes VS Code highlight the text as a diff. */
  #uriOf(filePath: string, title: string): vscode.Uri {
    const name = title.replace(/[\\/:*?"<>|\s]+/g, ' ').trim();
    return vscode.Uri.from({
      scheme: REPAIR_PREVIEW_SCHEME,
      path: `/${this.#t('Repair of {0}', name)}.diff`,
      query: filePath,
    });
  }
}

/** 0-based line of a preview that names the transcript. */
const PATH_LINE = 1;

/** Makes the path in a repair preview a link to the conversation. */
export class RepairPreviewLinks extends Disposable implements vscode.DocumentLinkProvider {
  readonly #filePathOf: (uri: vscode.Uri) => string | null;
  readonly #t: Translate;

  constructor(filePathOf: (uri: vscode.Uri) => string | null, t: Translate) {
    super();
    this.#filePathOf = filePathOf;
    this.#t = t;
    this._register(vscode.languages.registerDocumentLinkProvider({ scheme: REPAIR_PREVIEW_SCHEME }, this));
  }

  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    const filePath = this.#filePathOf(document.uri);
    // An outdated preview has only one line.
    if (filePath === null || document.lineCount <= PATH_LINE + 1) return [];
    const command: CommandId = 'rethread.openConversation';
    const target = vscode.Uri.from({ scheme: 'command', path: command, query: JSON.stringify([{ filePath }]) });
    const link = new vscode.DocumentLink(document.lineAt(PATH_LINE).range, target);
    link.tooltip = this.#t('Open Conversation');
    return [link];
  }
}
