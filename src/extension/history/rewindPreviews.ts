import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { RewindPlan } from '../../protocol/history';
import { type CommandId, REWIND_PREVIEW_SCHEME } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { type DiffedFile, diffedFiles, type Report, rewindReport } from './rewindReport';
import { promptName } from './rewindText';

export interface RewindPreviewsDeps extends Pick<Services, 'formats' | 't'> {
  readonly displayPath: (path: string) => string;
}

/** The editors of a session's preview. */
interface Preview {
  readonly plan: RewindPlan;
  readonly report: Report;
  readonly reportUri: vscode.Uri;
  /** Title of the editor with the diffs. */
  readonly diffTitle: string;
}

/**
 * Shows what a rewind would do: VS Code's multi-file diff editor, from the current files to the files after the rewind, with
 * a report beside it. One preview per session, kept until the next preview or until the rewind is done.
 */
export class RewindPreviews
  extends Disposable
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider
{
  readonly #deps: RewindPreviewsDeps;
  readonly #previews = new Map<string, Preview>();
  /** Paths of the files with the documents' content, keyed by the query of their URIs. */
  readonly #contents = new Map<string, string>();

  constructor(deps: RewindPreviewsDeps) {
    super();
    this.#deps = deps;
    const scheme = REWIND_PREVIEW_SCHEME;
    this._register(vscode.workspace.registerTextDocumentContentProvider(scheme, this));
    this._register(vscode.languages.registerDocumentLinkProvider({ scheme }, this));
    this._register(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme === scheme) this.#contents.delete(uri.query);
      }),
    );
  }

  async show(plan: RewindPlan, title: string): Promise<void> {
    const { displayPath, formats, t } = this.#deps;
    await this.close(plan.filePath);
    const name = promptName(plan, t);
    const report = rewindReport({ plan, title, displayPath, formats, t });
    const diffTitle = t('Rewind to before “{0}”', name);
    const reportUri = this.#uri(`/${t('What a rewind to before “{0}” does', name).replace(/[\\/:*?"<>|]/g, ' ')}.md`);
    this.#previews.set(plan.filePath, { plan, report, reportUri, diffTitle });
    const diffs = diffedFiles(plan);
    // The report is opened first: once the diffs are open, language extensions are busy with them and everything else waits.
    const document = await vscode.workspace.openTextDocument(reportUri);
    if (this.isDisposed) return;
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: diffs.length > 0 ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
      preserveFocus: diffs.length > 0,
      preview: true,
    });
    // The document is for reading, so line numbers are off.
    editor.options = { lineNumbers: vscode.TextEditorLineNumbersStyle.Off };
    if (diffs.length === 0) return;
    const resources = diffs.map((file) => this.#sides(file));
    await vscode.commands.executeCommand('vscode.changes', diffTitle, resources);
  }

  /** Called when the plan was carried out or is no longer valid. */
  async close(filePath: string): Promise<void> {
    const preview = this.#previews.get(filePath);
    if (preview === undefined) return;
    this.#previews.delete(filePath);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => isOf(tab, preview));
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }

  /** The plan that a report shows; null if the document is not a report or is outdated. */
  planOf(uri: vscode.Uri): RewindPlan | null {
    return this.#previewOf(uri)?.plan ?? null;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const contentPath = this.#contents.get(uri.query);
    if (contentPath !== undefined) return readContent(vscode.Uri.file(contentPath));
    // An editor that VS Code restored after a restart has no plan.
    const { t } = this.#deps;
    return this.#previewOf(uri)?.report.text ?? t('This preview is out of date. Run “Rewind Files…” once more.');
  }

  provideDocumentLinks({ uri }: vscode.TextDocument): vscode.DocumentLink[] {
    const preview = this.#previewOf(uri);
    if (preview === null) return [];
    const { filePath } = preview.plan;
    return preview.report.links.map(({ line, from, to, target }) => {
      const link = new vscode.DocumentLink(
        new vscode.Range(line, from, line, to),
        target.kind === 'file' ? vscode.Uri.file(target.path) : conversationUri(filePath, target.line),
      );
      link.tooltip = target.kind === 'file' ? this.#deps.t('Open File') : this.#deps.t('Open Conversation');
      return link;
    });
  }

  #previewOf(uri: vscode.Uri): Preview | null {
    const wanted = uri.toString();
    return [...this.#previews.values()].find(({ reportUri }) => reportUri.toString() === wanted) ?? null;
  }

  /** The editor's entry for a file: its name and both sides; a missing side is left out. */
  #sides({ path, exists, contentPath }: DiffedFile): [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined] {
    const file = vscode.Uri.file(path);
    if (contentPath === null) return [file, file, undefined];
    // Both sides need the same path; otherwise VS Code would show a rename.
    const after = this.#uri(file.path);
    this.#contents.set(after.query, contentPath);
    return [file, exists ? file : undefined, after];
  }

  /** Every URI is unique, because VS Code caches the content of documents. */
  #uri(path: string): vscode.Uri {
    return vscode.Uri.from({ scheme: REWIND_PREVIEW_SCHEME, path, query: randomUUID() });
  }
}

function isOf({ input, label }: vscode.Tab, { reportUri, diffTitle }: Preview): boolean {
  if (input instanceof vscode.TabInputText) return input.uri.toString() === reportUri.toString();
  // For an editor with several diffs, VS Code gives extensions only its title, followed by the number of files.
  return label.startsWith(diffTitle);
}

function conversationUri(filePath: string, line: number): vscode.Uri {
  const command: CommandId = 'rethread.openConversation';
  return vscode.Uri.from({ scheme: 'command', path: command, query: JSON.stringify([{ filePath, line }]) });
}

/** The text of a backed-up file, decoded as VS Code's editor would. */
async function readContent(uri: vscode.Uri): Promise<string> {
  const bytes = await vscode.workspace.fs.readFile(uri);
  // A byte order mark is not part of the text.
  return new TextDecoder('utf-8', { ignoreBOM: false }).decode(bytes);
}
