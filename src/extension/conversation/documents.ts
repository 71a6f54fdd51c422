import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ConversationCalls } from '../../protocol/channels/conversation';
import { EDIT_SCHEME, ROW_SCHEME } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Translate } from '../text/translate';
import { type EditAddress, readEditAddress, readRowAddress } from './rowAddress';

/** Longer rows are shown unformatted: formatting them would block the extension host. */
const MAX_PRETTY_LENGTH = 1024 * 1024;

/** Read-only documents, each with one row of a transcript, formatted for reading. */
export class RowDocuments extends Disposable implements vscode.TextDocumentContentProvider {
  readonly #calls: Pick<ConversationCalls, 'conversationLine'>;
  readonly #t: Translate;

  constructor(calls: Pick<ConversationCalls, 'conversationLine'>, t: Translate) {
    super();
    this.#calls = calls;
    this.#t = t;
    this._register(vscode.workspace.registerTextDocumentContentProvider(ROW_SCHEME, this));
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const address = readRowAddress(uri.query);
    if (address === null) return '';
    // VS Code may have kept the document when the window was reloaded.
    const text = await this.#calls.conversationLine(address.filePath, address.line);
    return text === null ? this.#t('This row is not in the transcript any more.') : pretty(text);
  }

  async show(filePath: string, line: number): Promise<void> {
    const uri = vscode.Uri.from({
      scheme: ROW_SCHEME,
      path: `/${this.#t('Line {0}', String(line))}.json`,
      query: JSON.stringify({ filePath, line }),
    });
    await vscode.commands.executeCommand('vscode.open', uri, { preview: true });
  }
}

function pretty(text: string): string {
  if (text.length > MAX_PRETTY_LENGTH) return text;
  try {
    return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
  } catch {
    // A torn line is shown unformatted.
    return text;
  }
}

/** Read-only documents that show a file before and after an edit by Claude, for VS Code's own diff editor. */
export class EditDocuments extends Disposable implements vscode.TextDocumentContentProvider {
  readonly #calls: Pick<ConversationCalls, 'conversationEdit'>;
  readonly #t: Translate;

  constructor(calls: Pick<ConversationCalls, 'conversationEdit'>, t: Translate) {
    super();
    this.#calls = calls;
    this.#t = t;
    this._register(vscode.workspace.registerTextDocumentContentProvider(EDIT_SCHEME, this));
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const address = readEditAddress(uri.query);
    if (address === null) return '';
    const texts = await this.#calls.conversationEdit(address.filePath, address.line, address.path);
    return texts?.[address.side] ?? '';
  }

  /** @returns false if the row holds no edit */
  async show(row: Omit<EditAddress, 'side'>): Promise<boolean> {
    const texts = await this.#calls.conversationEdit(row.filePath, row.line, row.path);
    if (texts === null) return false;
    const name = basename(texts.filePath);
    // VS Code derives the language from the file name's extension.
    const uri = (side: EditAddress['side']): vscode.Uri =>
      vscode.Uri.from({ scheme: EDIT_SCHEME, path: `/${name}`, query: JSON.stringify({ ...row, side }) });
    const title = this.#t('{0}: edit by Claude', name);
    await vscode.commands.executeCommand('vscode.diff', uri('before'), uri('after'), title, { preview: true });
    return true;
  }
}
