import * as vscode from 'vscode';
import type { SessionFocus } from '../../protocol/channels/sessions';
import { Disposable, type Listen } from '../lifetime';
import type { WorkerClient } from '../rpc/workerClient';
import { sessionFocus, type ShownSession } from './currentSession';

export interface FocusWatchDeps {
  readonly client: Pick<WorkerClient, 'prioritise'>;
  /** The transcript that a document is about; null for documents of others. */
  readonly filePathOf: (uri: vscode.Uri) => string | null;
  /** Panels that are about sessions. */
  readonly panels: { readonly shown: readonly ShownSession[]; readonly onShownChange: Listen<void> };
}

/** Tells the worker which sessions the person has before them, so that it looks at those first. */
export class FocusWatch extends Disposable {
  readonly #deps: FocusWatchDeps;
  #told: SessionFocus = { active: [], visible: [], background: [] };

  constructor(deps: FocusWatchDeps) {
    super();
    this.#deps = deps;
    const update = (): void => {
      this.#update();
    };
    this._register(vscode.window.tabGroups.onDidChangeTabs(update));
    this._register(vscode.window.tabGroups.onDidChangeTabGroups(update));
    this._register(deps.panels.onShownChange(update));
    update();
  }

  #update(): void {
    const { client, filePathOf, panels } = this.#deps;
    const groups = vscode.window.tabGroups.all.map(({ isActive, tabs }) => ({
      isActive,
      tabs: tabs.map((tab) => ({
        isActive: tab.isActive,
        filePath: tab.input instanceof vscode.TabInputText ? filePathOf(tab.input.uri) : null,
      })),
    }));
    const focus = sessionFocus(groups, panels.shown);
    if (JSON.stringify(focus) === JSON.stringify(this.#told)) return;
    this.#told = focus;
    client.prioritise(focus);
  }
}
