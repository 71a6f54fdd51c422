import * as vscode from 'vscode';
import { type CommandId, CONTEXT_KEYS, TASKS_VIEW } from '../config/contributions';
import type { ConversationPanels } from '../conversation/conversationPanels';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import type { CurrentSession } from '../sessions/currentSession';
import { sessionAt } from '../sessions/sessionsState';
import { themeIcon } from '../sessions/treeItems';
import { changeAppearance, taskAppearance, taskContextValue } from './taskAppearance';
import { type ChangeNode, changeNodes, type HiddenNode, type TaskNode, taskNodes, type TasksNode } from './taskNode';
import { liveSessionOf, TasksModel, type TasksState } from './tasksModel';
import { tasksViewState, tasksViewText } from './tasksViewText';

/** The Tasks view and the commands on its items. */
export class TasksFeature extends Disposable {
  readonly #tasks: TasksModel;

  constructor(
    services: Services,
    private readonly panels: ConversationPanels,
    current: CurrentSession,
  ) {
    super();
    const { client, model, describe, t } = services;
    this.#tasks = this._register(
      new TasksModel({
        client,
        session: () =>
          current.filePath === null ? liveSessionOf(model.snapshot) : sessionAt(model.snapshot, current.filePath),
        describe,
        stoppedText: () =>
          t('What reads the transcripts has stopped several times in a row. Refresh the sessions to try again.'),
      }),
    );
    const moved = (): void => {
      this.#tasks.sessionMoved();
    };
    this._register(current.onChange(moved));
    this._register(model.onChange(moved));
    this._register(new TasksView(services, this.#tasks));
  }

  get state(): TasksState {
    return this.#tasks.state;
  }

  /** Called when the config folder changed, after the worker was reconfigured. */
  reconfigure(): void {
    this.#tasks.reopen();
  }

  /** `argument`: an item of the view. */
  async copy(argument: unknown): Promise<void> {
    const subject = subjectOf(argument);
    if (subject !== null) await vscode.env.clipboard.writeText(subject);
  }

  /** `argument`: an item of the view that is about a subagent. */
  openSubagent(argument: unknown): Promise<void> {
    const task = taskOf(argument);
    const transcript = task?.['transcript'];
    if (typeof transcript === 'string') this.panels.open({ filePath: transcript, line: null });
    return Promise.resolve();
  }
}

function subjectOf(argument: unknown): string | null {
  const subject = taskOf(argument)?.['subject'];
  return typeof subject === 'string' ? subject : null;
}

/** Accepts anything, since a key binding can pass any argument. */
function taskOf(argument: unknown): Readonly<Record<string, unknown>> | null {
  if (!isRecord(argument) || argument['kind'] !== 'task') return null;
  const { task } = argument;
  return isRecord(task) ? task : null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The Tasks view: keeps the session followed while it is visible, and shows messages around the tree. */
class TasksView extends Disposable {
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

/** The tasks, with the changes of each task below it. */
class TasksTree extends Disposable implements vscode.TreeDataProvider<TasksNode> {
  readonly #changed = this._register(new vscode.EventEmitter<undefined>());

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(
    private readonly services: Services,
    private readonly model: TasksModel,
  ) {
    super();
    this._register(
      model.onChange(() => {
        this.#changed.fire(undefined);
      }),
    );
  }

  getChildren(node?: TasksNode): TasksNode[] {
    if (node === undefined) {
      const { state } = this.model;
      return state.kind === 'list' ? [...taskNodes(state.list)] : [];
    }
    return node.kind === 'task' ? [...changeNodes(node)] : [];
  }

  getTreeItem(node: TasksNode): vscode.TreeItem {
    switch (node.kind) {
      case 'task':
        return this.#taskItem(node);
      case 'change':
        return this.#changeItem(node);
      case 'hidden':
        return this.#hiddenItem(node);
    }
  }

  #taskItem(node: TaskNode): vscode.TreeItem {
    const { formats, t } = this.services;
    const { task, filePath, changes } = node;
    const { label, description, icon, tooltip, accessibleLabel } = taskAppearance(node, formats, t);
    const { Collapsed, None } = vscode.TreeItemCollapsibleState;
    // A task whose only change is its creation has no history to show.
    const item = new vscode.TreeItem(label, changes.length > 1 ? Collapsed : None);
    item.id = `${filePath}\n${task.kind} ${task.id}`;
    item.description = description;
    item.iconPath = themeIcon(icon);
    item.tooltip = new vscode.MarkdownString(tooltip, true);
    item.contextValue = taskContextValue(task);
    item.accessibilityInformation = { label: accessibleLabel };
    item.command = this.#showRow(filePath, task.changedAt?.line ?? null);
    return item;
  }

  #changeItem({ filePath, change, index, taskKind }: ChangeNode): vscode.TreeItem {
    const { formats, t } = this.services;
    const { label, description, icon, accessibleLabel } = changeAppearance(change, formats, t);
    const item = new vscode.TreeItem(label);
    item.id = `${filePath}\n${taskKind} ${change.taskId}\n${index}`;
    item.description = description;
    item.iconPath = themeIcon(icon);
    item.contextValue = 'taskChange';
    item.accessibilityInformation = { label: accessibleLabel };
    item.command = this.#showRow(filePath, change.at.line);
    return item;
  }

  #hiddenItem({ count }: HiddenNode): vscode.TreeItem {
    const { formats, t } = this.services;
    const item = new vscode.TreeItem(t('{0} more tasks', formats.number(count)));
    item.id = 'hidden';
    item.iconPath = new vscode.ThemeIcon('ellipsis');
    return item;
  }

  #showRow(filePath: string, line: number | null): vscode.Command {
    const command: CommandId = 'rethread.openConversation';
    return { command, title: this.services.t('Show in Conversation'), arguments: [{ filePath, line }] };
  }
}
