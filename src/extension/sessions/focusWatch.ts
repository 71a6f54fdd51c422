import * as vscode from 'vscode';
import type { SessionFocus } from '../../protocol/channels/sessions';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { Disposable } from '../lifetime';
import type { RepairPreviews } from '../repair/repairPreviews';
import type { Services } from '../services';
import { sessionFocus } from './currentSession';

/** Notifies the worker which sessions the person has open, so that it handles those first. */
export class FocusWatch extends Disposable {
  #lastSent: SessionFocus = { active: [], visible: [], background: [] };

  constructor(
    private readonly services: Services,
    private readonly panels: ConversationPanels,
    private readonly previews: RepairPreviews,
  ) {
    super();
    const update = (): void => {
      this.#update();
    };
    this._register(vscode.window.tabGroups.onDidChangeTabs(update));
    this._register(vscode.window.tabGroups.onDidChangeTabGroups(update));
    this._register(panels.onShownChange(update));
    update();
  }

  #update(): void {
    const groups = vscode.window.tabGroups.all.map(({ isActive, tabs }) => ({
      isActive,
      tabs: tabs.map((tab) => ({
        isActive: tab.isActive,
        filePath: tab.input instanceof vscode.TabInputText ? this.previews.filePathOf(tab.input.uri) : null,
      })),
    }));
    const focus = sessionFocus(groups, this.panels.shown);
    if (JSON.stringify(focus) === JSON.stringify(this.#lastSent)) return;
    this.#lastSent = focus;
    this.services.client.prioritise(focus);
  }
}
