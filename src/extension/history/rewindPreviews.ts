import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { RewindPlan } from '../../protocol/history';
import { type CommandId, REWIND_PREVIEW_SCHEME } from '../config/contributions';
import { Disposable } from '../lifetime';
import { type DiffedFile, diffedFiles } from './diffedFiles';
import { type Report, rewindReport } from './rewindReport';
import { promptName } from './rewindText';
import type { Services } from '../services';

export interface RewindPreviewsDeps extends Pick<Services, 'formats' | 't'> {
  readonly displayPath: (path: string) => string;
}

/** What is open of a session's preview. */
interface Preview {
  readonly plan: RewindPlan;
  readonly report: Report;
  readonly reportUri: vscode.Uri;
  /** Of the editor with the diffs. */
  readonly diffTitle: string;
}

/**
 * What a rewind would do: one diff per file in VS Code's editor for several of them, from the file as it is to the file as it
 * would be, and a report beside it. One preview per session, kept until the next one, or until the rewind is done.
 */
export class RewindPreviews
  extends Disposable
  implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider
{
  readonly #deps: RewindPreviewsDeps;
  readonly #previews = new Map<string, Preview>();
  /** Where the bytes of the documents lie, by the query of their URIs. */
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
    // The report first: once the diffs stand, extensions for their languages are busy with them, and nothing else is done.
    const document = await vscode.workspace.openTextDocument(reportUri);
    if (this.isDisposed) return;
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn: diffs.length > 0 ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active,
      preserveFocus: diffs.length > 0,
      preview: true,
    });
    // It is read, not edited.
    editor.options = { lineNumbers: vscode.TextEditorLineNumbersStyle.Off };
    if (diffs.length === 0) return;
    const resources = diffs.map((file) => this.#sides(file));
    await vscode.commands.executeCommand('vscode.changes', diffTitle, resources);
  }

  /** The plan is carried out, or no longer true. */
  async close(filePath: string): Promise<void> {
    const preview = this.#previews.get(filePath);
    if (preview === undefined) return;
    this.#previews.delete(filePath);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => isOf(tab, preview));
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }

  /** The plan that a report is of; null where it is none, or out of date. */
  planOf(uri: vscode.Uri): RewindPlan | null {
    return this.#previewOf(uri)?.plan ?? null;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const contentPath = this.#contents.get(uri.query);
    if (contentPath !== undefined) return readWouldBe(vscode.Uri.file(contentPath));
    // An editor that VS Code restored after a restart has no plan behind it.
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

  /** What the editor shows of a file: its name, and both sides; a side that is not there is left out. */
  #sides({ path, exists, contentPath }: DiffedFile): [vscode.Uri, vscode.Uri | undefined, vscode.Uri | undefined] {
    const file = vscode.Uri.file(path);
    if (contentPath === null) return [file, file, undefined];
    // A file of the same path: with another one, VS Code would say that it was renamed.
    const wouldBe = this.#uri(file.path);
    this.#contents.set(wouldBe.query, contentPath);
    return [file, exists ? file : undefined, wouldBe];
  }

  /** Never the same twice: VS Code keeps what a document held. */
  #uri(path: string): vscode.Uri {
    return vscode.Uri.from({ scheme: REWIND_PREVIEW_SCHEME, path, query: randomUUID() });
  }
}

function isOf({ input, label }: vscode.Tab, { reportUri, diffTitle }: Preview): boolean {
  if (input instanceof vscode.TabInputText) return input.uri.toString() === reportUri.toString();
  // Of an editor with several diffs, VS Code tells extensions its title alone, with the number of files behind it.
  return label.startsWith(diffTitle);
}

function conversationUri(filePath: string, line: number): vscode.Uri {
  const command: CommandId = 'rethread.openConversation';
  return vscode.Uri.from({ scheme: 'command', path: command, query: JSON.stringify([{ filePath, line }]) });
}

/** The text of a file of which a copy was kept, as VS Code's editor would show it. */
async function readWouldBe(uri: vscode.Uri): Promise<string> {
  const bytes = await vscode.workspace.fs.readFile(uri);
  // A byte order mark is none of the text.
  return new TextDecoder('utf-8', { ignoreBOM: false }).decode(bytes);
}
