import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { CHANGES_SCHEME } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { sessionLabel } from '../text/sessionTitle';
import type { NamedSession } from '../sessions/sessionsState';

/** Shows all files that a session changed in VS Code's editor for several diffs: before the first change, and after the last. */
export class SessionChanges extends Disposable implements vscode.TextDocumentContentProvider {
  /** Contents of the documents, keyed by the query of their URIs. */
  readonly #contents = new Map<string, string>();

  constructor(private readonly services: Services) {
    super();
    this._register(vscode.workspace.registerTextDocumentContentProvider(CHANGES_SCHEME, this));
    this._register(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === CHANGES_SCHEME) this.#contents.delete(uri.query);
      }),
    );
  }

  async show(session: NamedSession): Promise<void> {
    const { client, dialogs, formats, t } = this.services;
    const { compared, unknown } = await client.search.filesChangedBy(session.path);
    const title = sessionLabel(session, t);
    if (compared.length === 0) {
      const text =
        unknown.length === 0
          ? t('Claude changed no file in “{0}” with its editing tools.', title)
          : t('The transcript of “{0}” does not hold the contents of the files that Claude changed.', title);
      void dialogs.notify('info', text);
      return;
    }
    const files = compared.map(({ path, before, after }) => {
      const file = vscode.Uri.file(path);
      return [file, before === null ? undefined : this.#document(file, before), this.#document(file, after)];
    });
    await vscode.commands.executeCommand('vscode.changes', t('{0}: changes by Claude', title), files);
    if (unknown.length === 0) return;
    const left =
      unknown.length === 1
        ? t('The contents of 1 further changed file are not known.')
        : t('The contents of {0} further changed files are not known.', formats.number(unknown.length));
    dialogs.note(left);
  }

  provideTextDocumentContent({ query }: vscode.Uri): string {
    // VS Code may restore an editor after a restart.
    return (
      this.#contents.get(query) ?? this.services.t('This comparison is out of date. Show the changed files once more.')
    );
  }

  /** Every URI is unique, because VS Code caches the content of documents. It derives the language from the path. */
  #document({ path }: vscode.Uri, content: string): vscode.Uri {
    const query = randomUUID();
    this.#contents.set(query, content);
    return vscode.Uri.from({ scheme: CHANGES_SCHEME, path, query });
  }
}
