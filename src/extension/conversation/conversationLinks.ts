import * as vscode from 'vscode';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { isTranscriptOf, readLink } from './conversationAddresses';
import type { ConversationPanels } from './conversationPanels';

/** Opens links to conversations. Any page can contain one, so only transcripts of the config folders are opened. */
export class ConversationLinks extends Disposable implements vscode.UriHandler {
  constructor(
    private readonly services: Services,
    private readonly panels: ConversationPanels,
  ) {
    super();
    this._register(vscode.window.registerUriHandler(this));
  }

  async handleUri(uri: vscode.Uri): Promise<void> {
    const { configDirs, dialogs, log, t } = this.services;
    const target = readLink(uri.path, uri.query);
    if (target === null || !isTranscriptOf(configDirs(), target.filePath)) {
      log.warn('A link was not followed: it names no session of a config folder');
      void dialogs.notify('error', t('The link does not name a session of this machine.'));
      return;
    }
    if (!(await isFile(target.filePath))) {
      void dialogs.notify('error', t('The transcript is gone: {0}', target.filePath));
      return;
    }
    if (!this.isDisposed) this.panels.open(target);
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    const { type } = await vscode.workspace.fs.stat(vscode.Uri.file(path));
    return (type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}
