import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { ProjectSummary, SessionSummary } from '../../protocol/channels/sessions';
import { isWaitingState } from '../../protocol/sessionActivity';
import type { CommandId } from '../config/contributions';
import type { RewoundSessions } from '../history/rewoundSessions';
import type { Listen } from '../lifetime';
import type { Services } from '../services';
import { shortenHome } from '../text/formats';
import { sessionLabel } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import { fitToSideBar } from './fitToSideBar';
import { projectAppearance, projectKey } from './projectNodes';
import {
  runningAppearance,
  sessionAppearance,
  sessionContextValue,
  type SessionIcon,
  struckThrough,
  subagentAppearance,
} from './sessionAppearance';
import type { DateRange, SessionOrder } from './sessionOrder';
import type { SessionPins } from './sessionPins';
import { isRunning } from './sessionsState';
import { waitingText } from './sessionsViewText';
import type { SideBarWidth } from './sideBarWidth';
import type {
  DateNode,
  MemoryFileNode,
  MemoryNode,
  MoreNode,
  PinnedNode,
  ProjectNode,
  RunningNode,
  SessionList,
  SessionNode,
  SubagentNode,
  TreeNode,
} from './treeNode';

/** What the tree shows of terminals that were there before the window was opened. */
export interface RestoredSessions {
  isLost(sessionId: string): boolean;
  isReconnecting(sessionId: string): boolean;
  /** Milliseconds since the epoch; null if it was not lost sight of. */
  reconnectedAt(sessionId: string): number | null;
  readonly onRestoredChange: Listen<void>;
}

/** What items show beside the sessions themselves. */
export interface ShownInItems {
  readonly order: SessionOrder;
  readonly pins: SessionPins;
  readonly restored: RestoredSessions;
  readonly width: SideBarWidth;
  /** The address under which a session's conversation is opened. */
  readonly conversationUri: (filePath: string, title: string) => vscode.Uri;
}

/** What an item depends on in the tree around it. */
interface TreeAround {
  hasChildren(node: SessionNode): boolean;
  /** The project of a session that is shown. */
  projectOf(session: SessionSummary): ProjectSummary | null;
}

const RECONNECTING: SessionIcon = { id: 'sync~spin', color: 'progressBar.background' };

/**
 * How the nodes of the tree look: VS Code's item for each of them. The tooltip of a session is made later, when VS Code asks for it.
 */
export class TreeItems {
  /** @param rewound ids of the sessions whose last rewind can be undone */
  constructor(
    private readonly services: Services,
    private readonly rewound: RewoundSessions,
    private readonly shown: ShownInItems,
    private readonly tree: TreeAround,
  ) {}

  of(node: TreeNode): vscode.TreeItem {
    switch (node.kind) {
      case 'running':
        return this.#runningItem(node);
      case 'pinned':
        return this.#pinnedItem(node);
      case 'project':
        return this.#projectItem(node);
      case 'date':
        return this.#dateItem(node);
      case 'session':
        return this.#sessionItem(node);
      case 'subagent':
        return this.#subagentItem(node);
      case 'memory':
        return this.#memoryItem(node);
      case 'memoryFile':
        return this.#memoryFileItem(node);
      case 'more':
        return this.#moreItem(node);
    }
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

  #pinnedItem({ sessions }: PinnedNode): vscode.TreeItem {
    const { formats, t } = this.services;
    const item = new vscode.TreeItem(t('Pinned'), vscode.TreeItemCollapsibleState.Expanded);
    item.id = 'pinned';
    item.description = formats.number(sessions.length);
    item.iconPath = new vscode.ThemeIcon('pinned');
    item.contextValue = 'pinned';
    return item;
  }

  #dateItem(node: DateNode): vscode.TreeItem {
    const { range, sessions } = node;
    const { formats, t } = this.services;
    const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    const isRecent = range === 'today' || range === 'yesterday';
    const item = new vscode.TreeItem(dateRangeText(range, t), isRecent ? Expanded : Collapsed);
    item.id = listKey(node);
    item.description = formats.number(sessions.length);
    item.iconPath = new vscode.ThemeIcon('calendar');
    item.contextValue = 'date';
    return item;
  }

  #projectItem(node: ProjectNode): vscode.TreeItem {
    const { project } = node;
    const { extraConfigDirOf, formats, t, homeDir } = this.services;
    const configDir = extraConfigDirOf(project.folder);
    const { label, description, tooltip } = projectAppearance(project, configDir, homeDir, formats, t);
    const { Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(label, node.isFound || project.inWorkspace ? Expanded : Collapsed);
    item.id = listKey(node);
    item.description = description;
    item.tooltip = tooltip;
    item.iconPath = new vscode.ThemeIcon(project.inWorkspace ? 'root-folder' : 'folder');
    item.contextValue = 'project';
    return item;
  }

  #sessionItem(node: SessionNode): vscode.TreeItem {
    const { session, running } = node;
    const { formats, t, now } = this.services;
    const isPinned = this.shown.pins.has(session);
    const place = {
      isPinned: isPinned && node.owner.kind !== 'pinned',
      place: this.#placeOf(node),
      amount: this.shown.order.amountOf(session),
    };
    const appearance =
      running === null
        ? sessionAppearance(session, now(), formats, t, place)
        : runningAppearance(running, now(), formats, t);
    const { label, icon, accessibleLabel } = appearance;
    const fitting = fitToSideBar(appearance, depthOf(node), this.shown.width.pixels);
    const { Collapsed, None } = vscode.TreeItemCollapsibleState;
    const struck = (title: string): string => (session.health === 'missing' ? struckThrough(title) : title);
    const item = new vscode.TreeItem(struck(fitting.label), this.tree.hasChildren(node) ? Collapsed : None);
    item.id = node.key;
    // What a client does, and that a transcript is gone, is worth reading as far as there is room.
    const isCut = running !== null || session.health === 'missing';
    item.description = isCut ? appearance.description : fitting.description;
    const isReconnecting = this.shown.restored.isReconnecting(session.id);
    item.iconPath = themeIcon(isReconnecting ? RECONNECTING : icon);
    if (isReconnecting) item.description = t('Reconnecting…');
    const isLost = session.isAbsent !== true && this.shown.restored.isLost(session.id);
    const marks = `${isPinned ? '.pinned' : ''}${isLost ? '.lost' : ''}`;
    item.contextValue = `${sessionContextValue(session, this.rewound.has(session.id))}${marks}`;
    item.accessibilityInformation = { label: accessibleLabel };
    if (session.isProjectFolder !== true && session.isAbsent !== true) {
      // VS Code's own command: a click shows a preview and leaves the focus here, Enter and a double click keep it open.
      const uri = this.shown.conversationUri(session.path, sessionLabel(session, t));
      item.command = { command: 'vscode.open', title: t('Open Conversation'), arguments: [uri, {}, struck(label)] };
    }
    return item;
  }

  #subagentItem({ owner, subagent }: SubagentNode): vscode.TreeItem {
    const { t } = this.services;
    const { label, description, icon, accessibleLabel } = subagentAppearance(subagent, isRunning(owner.session), t);
    const item = new vscode.TreeItem(label);
    item.id = `${owner.key}\n${subagent.filePath}`;
    item.description = description;
    item.tooltip = [label, description].filter((part) => part !== '').join('\n');
    item.iconPath = themeIcon(icon);
    item.contextValue = 'subagent';
    item.accessibilityInformation = { label: accessibleLabel };
    const uri = this.shown.conversationUri(subagent.filePath, label);
    item.command = { command: 'vscode.open', title: t('Open Conversation'), arguments: [uri, {}, label] };
    return item;
  }

  #memoryItem({ owner, files }: MemoryNode): vscode.TreeItem {
    const { formats, t } = this.services;
    const item = new vscode.TreeItem(t('Memory'), vscode.TreeItemCollapsibleState.Collapsed);
    item.id = `memory:${projectKey(owner)}`;
    item.description = files.length === 1 ? t('1 file') : t('{0} files', formats.number(files.length));
    item.tooltip = t('What Claude Code remembers of this project between sessions');
    item.iconPath = new vscode.ThemeIcon('book');
    item.contextValue = 'memory';
    item.accessibilityInformation = { label: `${t('Memory')}, ${item.description}` };
    return item;
  }

  #memoryFileItem({ owner, file }: MemoryFileNode): vscode.TreeItem {
    const { formats, homeDir, t } = this.services;
    const item = new vscode.TreeItem(file.name);
    item.id = `memory:${projectKey(owner.owner)}:${file.name}`;
    item.description = formats.size(file.size);
    item.tooltip = shortenHome(file.filePath, homeDir);
    item.iconPath = new vscode.ThemeIcon('markdown');
    item.contextValue = 'memoryFile';
    item.accessibilityInformation = { label: `${file.name}, ${item.description}` };
    item.command = { command: 'vscode.open', title: t('Open'), arguments: [vscode.Uri.file(file.filePath)] };
    return item;
  }

  /** The name of its project, where the session does not stand below it. */
  #placeOf({ owner, session }: SessionNode): string | null {
    if (owner.kind === 'project' || owner.kind === 'session') return null;
    const project = this.tree.projectOf(session);
    return project === null ? null : basename(project.cwd ?? project.folder);
  }

  #moreItem(node: MoreNode): vscode.TreeItem {
    const { formats, t } = this.services;
    const count = formats.number(node.hiddenCount);
    const item = new vscode.TreeItem(
      node.owner === null ? t('{0} more projects', count) : t('{0} more sessions', count),
    );
    item.id = node.owner === null ? 'more' : `more:${listKey(node.owner)}`;
    item.iconPath = new vscode.ThemeIcon('ellipsis');
    item.contextValue = 'more';
    const command: CommandId = 'rethread.showMore';
    item.command = { command, title: t('Show More'), arguments: [node] };
    return item;
  }
}

/** How many sessions it stands below. */
function depthOf({ owner }: SessionNode): number {
  return owner.kind === 'session' ? 1 + depthOf(owner) : 0;
}

function listKey(list: SessionList): string {
  switch (list.kind) {
    case 'pinned':
      return 'pinned';
    case 'project':
      return projectKey(list);
    case 'date':
      return `date:${list.range}`;
  }
}

function dateRangeText(range: DateRange, t: Translate): string {
  switch (range) {
    case 'today':
      return t('Today');
    case 'yesterday':
      return t('Yesterday');
    case 'last7Days':
      return t('Last 7 Days');
    case 'last30Days':
      return t('Last 30 Days');
    case 'older':
      return t('Older');
  }
}

export function themeIcon({ id, color }: SessionIcon): vscode.ThemeIcon {
  return color === null ? new vscode.ThemeIcon(id) : new vscode.ThemeIcon(id, new vscode.ThemeColor(color));
}
