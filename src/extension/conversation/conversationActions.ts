import { isAbsolute, resolve } from 'node:path';
import * as vscode from 'vscode';
import type { PanelAction, PanelNavigation } from '../../protocol/channels/panel';
import type { ConversationHead } from '../../protocol/conversation';
import { note } from '../commands/windowRunner';
import type { Translate } from '../services';
import { type ConversationTarget, LINK_PATH, linkQuery } from './conversationLink';
import type { EditDocuments, RowDocuments } from './documents';

export interface ConversationActionsDeps {
  readonly extensionId: string;
  readonly rows: Pick<RowDocuments, 'show'>;
  readonly edits: Pick<EditDocuments, 'show'>;
  readonly open: (target: ConversationTarget) => void;
  readonly repair: (head: ConversationHead) => Promise<void>;
  /** From the row at the line. */
  readonly fork: (panel: ActingPanel, line: number) => Promise<void>;
  /** To before the prompt at the line. */
  readonly rewind: (panel: ActingPanel, line: number) => Promise<void>;
  readonly t: Translate;
}

/** The panel that the person acts in. */
export interface ActingPanel {
  readonly filePath: string;
  readonly head: ConversationHead | null;
  readonly navigation: Pick<PanelNavigation, 'view'>;
}

/** VS Code's editor shows larger files without colours, and gives up on much larger ones. In bytes. */
const MAX_EDITOR_SIZE = 20 * 1024 * 1024;

type OpenFile = PanelAction & { readonly kind: 'openFile' };

/** What the person does with a row. Its content is shown, copied or opened, and never run. */
export class ConversationActions {
  readonly #deps: ConversationActionsDeps;

  constructor(deps: ConversationActionsDeps) {
    this.#deps = deps;
  }

  async act(action: PanelAction, panel: ActingPanel): Promise<void> {
    const { edits, open, repair, fork, rewind, t } = this.#deps;
    switch (action.kind) {
      case 'copy':
        await vscode.env.clipboard.writeText(action.text);
        note(t('Copied'));
        return;
      case 'copyLink':
        await vscode.env.clipboard.writeText(this.#link({ filePath: panel.filePath, line: action.line }));
        note(t('Link copied'));
        return;
      case 'revealLine':
        return this.#revealLine(action.filePath, action.line);
      case 'openFile':
        return this.#openFile(action, panel.head?.cwd ?? null);
      case 'openDiff': {
        const { filePath, line, path } = action;
        if (await edits.show({ filePath, line, path })) return;
        void vscode.window.showInformationMessage(t('The transcript does not tell what this call changed.'));
        return;
      }
      case 'openConversation':
        open({ filePath: action.filePath, line: null });
        return;
      case 'repair':
        if (panel.head !== null) await repair(panel.head);
        return;
      case 'fork':
        return fork(panel, action.line);
      case 'rewind':
        return rewind(panel, action.line);
      case 'openLink':
        return this.#openLink(action.href);
    }
  }

  #link(target: ConversationTarget): string {
    const { extensionId } = this.#deps;
    // The query is in its final form: `Uri.toString` would encode it once more.
    return `${vscode.env.uriScheme}://${extensionId}${LINK_PATH}?${linkQuery(target)}`;
  }

  /** The row in the transcript itself, as VS Code's editor shows it; where that is too much for it, the row alone. */
  async #revealLine(filePath: string, line: number): Promise<void> {
    const { rows, t } = this.#deps;
    const uri = vscode.Uri.file(filePath);
    const size = await sizeOf(uri);
    if (size === null) {
      void vscode.window.showErrorMessage(t('The transcript is gone: {0}', filePath));
      return;
    }
    if (size > MAX_EDITOR_SIZE) {
      await rows.show(filePath, line);
      return;
    }
    const selection = new vscode.Range(line - 1, 0, line - 1, 0);
    await vscode.commands.executeCommand('vscode.open', uri, { selection, preview: true });
    // A key pressed by mistake must not change what a client may be writing to.
    const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    if (input instanceof vscode.TabInputText && input.uri.fsPath === uri.fsPath) {
      await vscode.commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
    }
  }

  async #openFile({ path, line, endLine = line }: OpenFile, cwd: string | null): Promise<void> {
    const { t } = this.#deps;
    const file = isAbsolute(path) ? path : cwd === null ? null : resolve(cwd, path);
    // To look at a path of another machine is to sign in there.
    const uri = file === null || /^[\\/]{2}/.test(file) ? null : vscode.Uri.file(file);
    if (uri === null || (await sizeOf(uri)) === null) {
      void vscode.window.showInformationMessage(t('There is no such file: {0}', file ?? path));
      return;
    }
    const selection = line === undefined || endLine === undefined ? null : linesOf(line, endLine);
    await vscode.commands.executeCommand('vscode.open', uri, { preview: true, ...(selection && { selection }) });
  }

  /** VS Code asks before it goes to a place that the person does not trust. */
  async #openLink(href: string): Promise<void> {
    if (!/^(https?:\/\/|mailto:)/i.test(href)) throw new Error('Refused: the link is neither for the web nor for mail');
    await vscode.env.openExternal(vscode.Uri.parse(href, true));
  }
}

/** The cursor in a line; several lines are selected. */
function linesOf(line: number, endLine: number): vscode.Range {
  return new vscode.Range(line - 1, 0, endLine > line ? endLine : line - 1, 0);
}

/** Bytes; null when it is no file. */
async function sizeOf(uri: vscode.Uri): Promise<number | null> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    return (type & vscode.FileType.File) === 0 ? null : size;
  } catch {
    return null;
  }
}
