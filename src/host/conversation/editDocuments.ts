import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ConversationsApi } from '../../shared/api/conversation';
import { EDIT_SCHEME } from '../config/uriSchemes';
import { Disposable } from '../lifetime/disposable';
import type { Translate } from '../text/translate';
import type { EditAddress } from './rowAddress';
import { readEditAddress } from './rowAddress';

/** Read-only documents that show a file before and after an edit of Claude's, for VS Code's own diff editor. */
export class EditDocuments extends Disposable implements vscode.TextDocumentContentProvider {
  readonly #calls: Pick<ConversationsApi, 'conversationEdit'>;
  readonly #prepare: () => void;
  readonly #t: Translate;

  constructor(calls: Pick<ConversationsApi, 'conversationEdit'>, prepare: () => void, t: Translate) {
    super();
    this.#calls = calls;
    this.#prepare = prepare;
    this.#t = t;
    this._register(vscode.workspace.registerTextDocumentContentProvider(EDIT_SCHEME, this));
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const address = readEditAddress(uri.query);
    if (address === null) return '';
    this.#prepare();
    const texts = await this.#calls.conversationEdit(address.filePath, address.line, address.path);
    return texts?.[address.side] ?? '';
  }

  /** @returns false when the row tells of no edit. */
  async show(row: Omit<EditAddress, 'side'>): Promise<boolean> {
    const texts = await this.#calls.conversationEdit(row.filePath, row.line, row.path);
    if (texts === null) return false;
    const name = basename(texts.filePath);
    // The name's ending tells VS Code the language.
    const uri = (side: EditAddress['side']): vscode.Uri =>
      vscode.Uri.from({ scheme: EDIT_SCHEME, path: `/${name}`, query: JSON.stringify({ ...row, side }) });
    const title = this.#t('{0}: edit by Claude', name);
    await vscode.commands.executeCommand('vscode.diff', uri('before'), uri('after'), title, { preview: true });
    return true;
  }
}
