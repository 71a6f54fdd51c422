import * as vscode from 'vscode';
import type { CommandId } from '../config/contributions';
import { Disposable } from '../lifetime';
import { themeIcon } from '../sessions/sessionsTree';
import type { Services } from '../services';
import { changeAppearance, taskAppearance, taskContextValue } from './taskAppearance';
import { type ChangeNode, changeNodes, type HiddenNode, type TaskNode, taskNodes, type TasksNode } from './taskNode';
import type { TasksModel } from './tasksModel';

/** The tasks, with the changes of each task below it. */
export class TasksTree extends Disposable implements vscode.TreeDataProvider<TasksNode> {
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
