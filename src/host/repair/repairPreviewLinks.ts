import * as vscode from 'vscode';
import type { CommandId } from '../commands/commandIds';
import { REPAIR_PREVIEW_SCHEME } from '../config/uriSchemes';
import { Disposable } from '../lifetime/disposable';
import type { Translate } from '../text/translate';

/** The line of a preview that names the transcript, from 0. */
const PATH_LINE = 1;

/** Makes the path in a repair preview a link to the conversation that would be repaired. */
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
    // A preview that is out of date has one line.
    if (filePath === null || document.lineCount <= PATH_LINE + 1) return [];
    const command: CommandId = 'rethread.openConversation';
    const target = vscode.Uri.from({ scheme: 'command', path: command, query: JSON.stringify([{ filePath }]) });
    const link = new vscode.DocumentLink(document.lineAt(PATH_LINE).range, target);
    link.tooltip = this.#t('Open Conversation');
    return [link];
  }
}
