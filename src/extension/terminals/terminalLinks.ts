import * as vscode from 'vscode';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { sessionLinks } from './sessionLinks';

class ConversationTerminalLink extends vscode.TerminalLink {
  constructor(
    startIndex: number,
    length: number,
    tooltip: string,
    readonly filePath: string,
  ) {
    super(startIndex, length, tooltip);
  }
}

/** Makes the ids of sessions in terminals links to their conversations. */
export class TerminalLinks extends Disposable implements vscode.TerminalLinkProvider<ConversationTerminalLink> {
  constructor(
    private readonly services: Services,
    private readonly panels: Pick<ConversationPanels, 'open'>,
  ) {
    super();
    this._register(vscode.window.registerTerminalLinkProvider(this));
  }

  provideTerminalLinks({ line }: vscode.TerminalLinkContext): ConversationTerminalLink[] {
    const { model, t } = this.services;
    return sessionLinks(line, model.snapshot).map(
      ({ startIndex, length, filePath }) =>
        new ConversationTerminalLink(startIndex, length, t('Open Conversation'), filePath),
    );
  }

  handleTerminalLink({ filePath }: ConversationTerminalLink): void {
    this.panels.open({ filePath, line: null });
  }
}
