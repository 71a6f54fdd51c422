import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { ComparedFile } from '../../protocol/history';
import { REWIND_PREVIEW_SCHEME } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Translate } from '../text/translate';

/** Shows a file beside its state after a rewind in VS Code's own diff editor. */
export class RewindDiffs extends Disposable implements vscode.TextDocumentContentProvider {
  readonly #t: Translate;
  /** Paths of the files with the documents' content, keyed by the query of their URIs; null for an empty document. */
  readonly #contents = new Map<string, string | null>();

  constructor(t: Translate) {
    super();
    this.#t = t;
    const scheme = REWIND_PREVIEW_SCHEME;
    this._register(vscode.workspace.registerTextDocumentContentProvider(scheme, this));
    this._register(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === scheme) this.#contents.delete(uri.query);
      }),
    );
  }

  async show({ path, exists, contentPath }: ComparedFile, title: string): Promise<void> {
    const file = vscode.Uri.file(path);
    const before = exists ? file : this.#document(file.path, null);
    await vscode.commands.executeCommand('vscode.diff', before, this.#document(file.path, contentPath), title, {
      preview: true,
    });
  }

  async provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    const contentPath = this.#contents.get(query);
    // An editor that VS Code restored after a restart.
    if (contentPath === undefined) return this.#t('This preview is out of date. Run “Rewind Files…” once more.');
    return contentPath === null ? '' : readContent(vscode.Uri.file(contentPath));
  }

  /** Every URI is unique, because VS Code caches the content of documents. It derives the language from the path. */
  #document(path: string, contentPath: string | null): vscode.Uri {
    const query = randomUUID();
    this.#contents.set(query, contentPath);
    return vscode.Uri.from({ scheme: REWIND_PREVIEW_SCHEME, path, query });
  }
}

/** The text of a backed-up file, decoded as VS Code's editor would. */
async function readContent(uri: vscode.Uri): Promise<string> {
  const bytes = await vscode.workspace.fs.readFile(uri);
  // A byte order mark is not part of the text.
  return new TextDecoder('utf-8', { ignoreBOM: false }).decode(bytes);
}
