import { basename, isAbsolute, resolve } from 'node:path';
import * as vscode from 'vscode';
import type { ConversationCalls } from '../../protocol/channels/conversation';
import type { PanelAction } from '../../protocol/channels/panel';
import { type CommandId, EDIT_SCHEME, ROW_SCHEME } from '../config/contributions';
import type { ForksFeature } from '../history/forksFeature';
import type { RewindFeature } from '../history/rewindFeature';
import { Disposable } from '../lifetime';
import type { FindingOffers } from '../repair/findingOffers';
import type { Services } from '../services';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import {
  type ConversationTarget,
  type EditAddress,
  LINK_PATH,
  linkQuery,
  readEditAddress,
  readRowAddress,
} from './conversationAddresses';
import type { ActingPanel } from './conversationPanel';
import { type ConversationPanels, conversationUri } from './conversationPanels';
import { exportConversation } from './exportConversation';

/** In bytes. VS Code's editor shows larger files without colours and cannot open much larger ones. */
const MAX_EDITOR_SIZE = 20 * 1024 * 1024;

type OpenFile = PanelAction & { readonly kind: 'openFile' };

/** The features that can be started from a row of a conversation. */
export interface RowFeatures {
  readonly panels: ConversationPanels;
  readonly forks: ForksFeature;
  readonly rewinds: RewindFeature;
  readonly offers: FindingOffers;
}

/** Runs a command on the session in a tab, whichever tab has the focus. */
async function onTab(command: CommandId, { filePath }: ActingPanel): Promise<void> {
  await vscode.commands.executeCommand(command, conversationUri(filePath, ''));
}

/** The actions on a row. Its content is shown, copied or opened, and never run. */
export class ConversationActions extends Disposable {
  readonly #rows: RowDocuments;
  readonly #edits: EditDocuments;

  constructor(
    private readonly services: Services,
    private readonly features: RowFeatures,
  ) {
    super();
    const { client, t } = services;
    this.#rows = this._register(new RowDocuments(client.conversation, t));
    this.#edits = this._register(new EditDocuments(client.conversation, t));
    features.panels.act = (action, panel) => this.act(action, panel);
  }

  async act(action: PanelAction, panel: ActingPanel): Promise<void> {
    const { panels, forks, offers, rewinds } = this.features;
    const { dialogs, run, t } = this.services;
    switch (action.kind) {
      case 'copy':
        await vscode.env.clipboard.writeText(action.text);
        dialogs.note(t('Copied'));
        return;
      case 'copyLink':
        await vscode.env.clipboard.writeText(this.#link({ filePath: panel.filePath, line: action.line }));
        dialogs.note(t('Link copied'));
        return;
      case 'revealLine':
        return this.#revealLine(action.filePath, action.line);
      case 'openFile':
        return this.#openFile(action, panel.head?.cwd ?? null);
      case 'openDiff': {
        const { filePath, line, path } = action;
        if (await this.#edits.show({ filePath, line, path })) return;
        void dialogs.notify('info', t('The transcript does not tell what this call changed.'));
        return;
      }
      case 'openConversation':
        panels.open({ filePath: action.filePath, line: null });
        return;
      case 'resume':
        return onTab('rethread.resumeInTerminal', panel);
      case 'showChanges':
        return onTab('rethread.showChanges', panel);
      case 'forkSession': {
        const { head } = panel;
        if (head !== null) await run('rethread.forkSession', () => forks.fork(head));
        return;
      }
      case 'rewindFiles': {
        const { head } = panel;
        if (head !== null) await run('rethread.rewindFiles', () => rewinds.rewind(head));
        return;
      }
      case 'export':
        return this.#export(panel);
      case 'copySessionId':
        if (panel.head === null) return;
        await vscode.env.clipboard.writeText(panel.head.id);
        dialogs.note(t('Session ID copied'));
        return;
      case 'explainRepair':
        return this.#explainRepair(action.code);
      case 'takeOffer': {
        const finding = panel.findings.find(({ offer }) => offer?.kind === action.offer);
        const session = panel.head;
        const offer = finding?.offer;
        if (session === null || offer === undefined) return;
        return run('rethread.resolveFinding', () => offers.take(session, offer));
      }
      case 'fork':
        return forks.forkFromPanel(panel, action.line);
      case 'rewind':
        return rewinds.rewindFromPanel(panel, action.line);
      case 'openLink':
        return this.#openLink(action.href);
    }
  }

  /** Beside the conversation, which goes on offering the repair. The page comes with the extension, so nothing is fetched. */
  async #explainRepair(code: string): Promise<void> {
    const page = vscode.Uri.joinPath(this.services.home.extensionUri, 'docs', 'repairs.md').with({ fragment: code });
    await vscode.commands.executeCommand('markdown.showPreviewToSide', page);
  }

  async #export({ filePath, head, navigation: { view } }: ActingPanel): Promise<void> {
    if (head === null) return;
    const title = sessionLabel(head, this.services.t);
    await this.services.run('rethread.export', () => exportConversation({ filePath, view, title }, this.services));
  }

  #link(target: ConversationTarget): string {
    // The query is already encoded; `Uri.toString` would encode it again.
    return `${vscode.env.uriScheme}://${this.services.home.extension.id}${LINK_PATH}?${linkQuery(target)}`;
  }

  /** Shows the row in the transcript in VS Code's editor, or the row alone if the file is too large. */
  async #revealLine(filePath: string, line: number): Promise<void> {
    const { dialogs, t } = this.services;
    const uri = vscode.Uri.file(filePath);
    const size = await sizeOf(uri);
    if (size === null) {
      void dialogs.notify('error', t('The transcript is gone: {0}', filePath));
      return;
    }
    if (size > MAX_EDITOR_SIZE) {
      await this.#rows.show(filePath, line);
      return;
    }
    const selection = new vscode.Range(line - 1, 0, line - 1, 0);
    await vscode.commands.executeCommand('vscode.open', uri, { selection, preview: true });
    // An accidental key press must not change a file that a client may be writing to.
    const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    if (input instanceof vscode.TabInputText && input.uri.fsPath === uri.fsPath) {
      await vscode.commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
    }
  }

  async #openFile({ path, line, endLine = line }: OpenFile, cwd: string | null): Promise<void> {
    const { dialogs, t } = this.services;
    const file = isAbsolute(path) ? path : cwd === null ? null : resolve(cwd, path);
    // Accessing a UNC path can sign in to another machine.
    const uri = file === null || /^[\\/]{2}/.test(file) ? null : vscode.Uri.file(file);
    if (uri === null || (await sizeOf(uri)) === null) {
      void dialogs.notify('info', t('There is no such file: {0}', file ?? path));
      return;
    }
    const selection = line === undefined || endLine === undefined ? null : linesOf(line, endLine);
    await vscode.commands.executeCommand('vscode.open', uri, { preview: true, ...(selection && { selection }) });
  }

  /** VS Code asks before it opens a link that the person does not trust. */
  async #openLink(href: string): Promise<void> {
    if (!/^(https?:\/\/|mailto:)/i.test(href)) throw new Error('Refused: the link is neither for the web nor for mail');
    await vscode.env.openExternal(vscode.Uri.parse(href, true));
  }
}

/** Puts the cursor in a single line, or selects several lines. */
function linesOf(line: number, endLine: number): vscode.Range {
  return new vscode.Range(line - 1, 0, endLine > line ? endLine : line - 1, 0);
}

/** In bytes; null if it is not a file. */
async function sizeOf(uri: vscode.Uri): Promise<number | null> {
  try {
    const { type, size } = await vscode.workspace.fs.stat(uri);
    return (type & vscode.FileType.File) === 0 ? null : size;
  } catch {
    return null;
  }
}

/** Longer rows are shown unformatted: formatting them would block the extension host. */
const MAX_PRETTY_LENGTH = 1024 * 1024;

/** Read-only documents, each with one row of a transcript, formatted for reading. */
class RowDocuments extends Disposable implements vscode.TextDocumentContentProvider {
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
    return text === null ? this.#t('This message is no longer in the transcript.') : pretty(text);
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
class EditDocuments extends Disposable implements vscode.TextDocumentContentProvider {
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
