import * as vscode from 'vscode';
import { CONTEXT_KEYS, TASKS_VIEW } from '../config/contributions';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import type { TasksNode } from './taskNode';
import type { TasksModel } from './tasksModel';
import { TasksTree } from './tasksTree';
import { tasksViewState, tasksViewText } from './tasksViewText';

/** The Tasks view: keeps the session followed while it is visible, and shows messages around the tree. */
export class TasksView extends Disposable {
  readonly #treeView: vscode.TreeView<TasksNode>;
  #lastState: string | null = null;
  #shownLoading: Promise<void> | null = null;

  constructor(
    private readonly services: Services,
    private readonly model: TasksModel,
  ) {
    super();
    const tree = this._register(new TasksTree(services, model));
    this.#treeView = this._register(vscode.window.createTreeView(TASKS_VIEW, { treeDataProvider: tree }));
    this._register(
      this.#treeView.onDidChangeVisibility(() => {
        model.setWatching(this.#treeView.visible);
      }),
    );
    this._register(
      model.onChange(() => {
        this.#update();
      }),
    );
    this.#update();
    model.setWatching(this.#treeView.visible);
  }

  #update(): void {
    const { formats, t } = this.services;
    const { description, message } = tasksViewText(this.model.state, formats, t);
    // Each assignment sends a message to the window, so assign only what changed.
    if ((this.#treeView.description ?? '') !== description) this.#treeView.description = description;
    if ((this.#treeView.message ?? '') !== message) this.#treeView.message = message;
    const state = tasksViewState(this.model.state);
    if (state !== this.#lastState) {
      this.#lastState = state;
      void vscode.commands.executeCommand('setContext', CONTEXT_KEYS.tasksView, state);
    }
    this.#showProgress();
  }

  #showProgress(): void {
    const { loading } = this.model;
    if (loading === null || loading === this.#shownLoading || !this.#treeView.visible) return;
    this.#shownLoading = loading;
    void vscode.window.withProgress({ location: { viewId: TASKS_VIEW } }, () => loading);
  }
}
