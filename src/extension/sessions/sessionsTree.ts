import * as vscode from 'vscode';
import type { SessionSummary } from '../../protocol/channels/sessions';
import { isWaitingState } from '../../protocol/sessionActivity';
import type { CommandId } from '../config/contributions';
import { Disposable, type Listen } from '../lifetime';
import type { Services } from '../services';
import { sessionLabel, sessionTitle } from '../text/sessionTitle';
import type { RewoundSessions } from '../history/rewoundSessions';
import { projectAppearance, projectKey, ProjectNodes } from './projectNodes';
import {
  runningAppearance,
  sessionAppearance,
  sessionContextValue,
  type SessionIcon,
  struckThrough,
} from './sessionAppearance';
import type { SessionFilter } from './sessionFilter';
import { absenceText, sessionTooltip } from './sessionTooltip';
import type { SessionUsages } from './sessionUsages';
import { findParent } from './sessionsState';
import { waitingText } from './sessionsViewText';
import type { MoreNode, ProjectNode, RunningNode, SessionNode, TreeNode } from './treeNode';

/** What the tree shows of terminals that were there before the window was opened. */
export interface RestoredSessions {
  isLost(sessionId: string): boolean;
  isReconnecting(sessionId: string): boolean;
  /** Milliseconds since the epoch; null if it was not lost sight of. */
  reconnectedAt(sessionId: string): number | null;
  readonly onRestoredChange: Listen<void>;
}

interface ShownInTree {
  readonly filter: SessionFilter;
  readonly restored: RestoredSessions;
  /** The address under which a session's conversation is opened. */
  readonly conversationUri: (filePath: string, title: string) => vscode.Uri;
}

const RECONNECTING: SessionIcon = { id: 'sync~spin', color: 'progressBar.background' };

/** The tree of projects and their sessions. */
export class SessionsTree extends Disposable implements vscode.TreeDataProvider<TreeNode> {
  readonly #projects = new ProjectNodes();
  readonly #changed = this._register(new vscode.EventEmitter<TreeNode[] | undefined>());

  readonly onDidChangeTreeData = this.#changed.event;

  /** @param rewound ids of the sessions whose last rewind can be undone */
  constructor(
    private readonly services: Services,
    private readonly usage: SessionUsages,
    private readonly rewound: RewoundSessions,
    private readonly shown: ShownInTree,
  ) {
    super();
    this._register(
      usage.onLate((filePath) => {
        const node = this.#projects.find(filePath);
        if (node !== null) this.#changed.fire([node]);
      }),
    );
    this._register(
      services.model.onChange(() => {
        this.#update();
      }),
    );
    this._register(
      shown.filter.onChange(() => {
        this.#update();
      }),
    );
    for (const listen of [rewound.onChange, shown.restored.onRestoredChange]) {
      this._register(
        listen(() => {
          this.redraw();
        }),
      );
    }
  }

  #update(): void {
    const change = this.#projects.update(this.shown.filter.apply(this.services.model.snapshot));
    if (change.kind === 'all') this.#changed.fire(undefined);
    else if (change.nodes.length > 0) this.#changed.fire([...change.nodes]);
  }

  /** Redraws the tree, so that relative times such as "5 minutes ago" stay true. */
  redraw(): void {
    this.#changed.fire(undefined);
  }

  /** Shows the hidden entries of a list. */
  showMore(node: MoreNode): void {
    node.showMore();
    this.#changed.fire(node.project === null ? undefined : [node.project]);
  }

  getChildren(node?: TreeNode): TreeNode[] {
    if (node === undefined) return [...this.#projects.children()];
    switch (node.kind) {
      case 'running':
        return [...node.children];
      case 'project':
        return [...node.children()];
      case 'session':
      case 'more':
        return [];
    }
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return this.#projects.parentOf(node) ?? undefined;
  }

  /** The item of a session below its project; null if there is none, or the list does not show it. */
  itemOf(filePath: string): SessionNode | null {
    return this.#projects.locate(filePath);
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    switch (node.kind) {
      case 'running':
        return this.#runningItem(node);
      case 'project':
        return this.#projectItem(node);
      case 'session':
        return this.#sessionItem(node);
      case 'more':
        return this.#moreItem(node);
    }
  }
  async resolveTreeItem(
    item: vscode.TreeItem,
    node: TreeNode,
    token: vscode.CancellationToken,
  ): Promise<vscode.TreeItem | undefined> {
    if (node.kind !== 'session') return item;
    const { client, extraConfigDirOf, formats, homeDir, now, t, log } = this.services;
    const { path: filePath } = node.session;
    if (node.session.isAbsent === true) {
      item.tooltip = absenceText(node.session, t);
      return item;
    }
    try {
      const counting = this.usage.soon(filePath);
      const [details, counted, used] = await Promise.all([
        client.sessions.details(node.session),
        client.sessions.info(node.session),
        counting,
      ]);
      if (token.isCancellationRequested || this.isDisposed) return undefined;
      const parentTitle = this.#parentTitle(node.session, details.metadata.parentSessionId);
      const reconnectedMs = this.shown.restored.reconnectedAt(node.session.id);
      const configDir = extraConfigDirOf(filePath);
      const extras = { counted, usage: used, parentTitle, reconnectedMs, configDir, homeDir, nowMs: now() };
      item.tooltip = new vscode.MarkdownString(sessionTooltip(node.session, details, extras, formats, t), true);
    } catch (error) {
      log.warn(`Failed to describe ${filePath}: ${String(error)}`);
      item.tooltip = t('Nothing can be said about this session right now.');
    }
    return item;
  }

  #parentTitle(session: SessionSummary, parentSessionId: string | null): string | null {
    if (parentSessionId === null) return null;
    const parent = findParent(this.services.model.snapshot, session, parentSessionId);
    return parent === null ? null : sessionTitle(parent, this.services.t);
  }

  #runningItem({ children }: RunningNode): vscode.TreeItem {
    const { formats, t } = this.services;
    const waiting = children.filter(({ running }) => running !== null && isWaitingState(running.activity.state)).length;
    const item = new vscode.TreeItem(t('Running'), vscode.TreeItemCollapsibleState.Expanded);
    item.id = 'running';
    item.description = waiting === 0 ? formats.number(children.length) : waitingText(waiting, formats, t);
    item.tooltip = t('Sessions that Claude Code is running now, those that wait for you first');
    item.iconPath = new vscode.ThemeIcon('pulse');
    item.contextValue = 'running';
    return item;
  }

  #projectItem({ project }: ProjectNode): vscode.TreeItem {
    const { extraConfigDirOf, formats, t, homeDir } = this.services;
    const configDir = extraConfigDirOf(project.folder);
    const { label, description, tooltip } = projectAppearance(project, configDir, homeDir, formats, t);
    const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(label, project.inWorkspace ? Expanded : Collapsed);
    item.id = projectKey(project);
    item.description = description;
    item.tooltip = tooltip;
    item.iconPath = new vscode.ThemeIcon(project.inWorkspace ? 'root-folder' : 'folder');
    item.contextValue = 'project';
    return item;
  }

  #sessionItem(node: SessionNode): vscode.TreeItem {
    const { session, running } = node;
    const { formats, t, now } = this.services;
    const { label, description, icon, accessibleLabel } =
      running === null ? sessionAppearance(session, now(), formats, t) : runningAppearance(running, now(), formats, t);
    const item = new vscode.TreeItem(session.health === 'missing' ? struckThrough(label) : label);
    // A running session stands in the group and below its project.
    item.id = running === null ? session.path : `running:${session.path}`;
    item.description = description;
    const isReconnecting = this.shown.restored.isReconnecting(session.id);
    item.iconPath = themeIcon(isReconnecting ? RECONNECTING : icon);
    if (isReconnecting) item.description = t('Reconnecting…');
    const isLost = session.isAbsent !== true && this.shown.restored.isLost(session.id);
    item.contextValue = `${sessionContextValue(session, this.rewound.has(session.id))}${isLost ? '.lost' : ''}`;
    item.accessibilityInformation = { label: accessibleLabel };
    if (session.isProjectFolder !== true && session.isAbsent !== true) {
      // VS Code's own command: a click shows a preview and leaves the focus here, Enter and a double click keep it open.
      const uri = this.shown.conversationUri(session.path, sessionLabel(session, t));
      item.command = { command: 'vscode.open', title: t('Open Conversation'), arguments: [uri, {}, item.label] };
    }
    return item;
  }

  #moreItem(node: MoreNode): vscode.TreeItem {
    const { formats, t } = this.services;
    const count = formats.number(node.hiddenCount);
    const item = new vscode.TreeItem(
      node.project === null ? t('{0} more projects', count) : t('{0} more sessions', count),
    );
    item.id = node.project === null ? 'more' : `more:${projectKey(node.project.project)}`;
    item.iconPath = new vscode.ThemeIcon('ellipsis');
    item.contextValue = 'more';
    const command: CommandId = 'rethread.showMore';
    item.command = { command, title: t('Show More'), arguments: [node] };
    return item;
  }
}

export function themeIcon({ id, color }: SessionIcon): vscode.ThemeIcon {
  return color === null ? new vscode.ThemeIcon(id) : new vscode.ThemeIcon(id, new vscode.ThemeColor(color));
}
