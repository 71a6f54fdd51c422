import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import { isWaitingState } from '../../protocol/sessionActivity';
import { areSubagentsShown } from '../config/configuration';
import type { CommandId } from '../config/contributions';
import { SETTINGS } from '../config/settings';
import { Disposable, type Listen } from '../lifetime';
import type { Services } from '../services';
import { shortenHome } from '../text/formats';
import { sessionLabel, sessionTitle } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import type { RewoundSessions } from '../history/rewoundSessions';
import { ChildLookup } from './childLookup';
import { narrowLabel } from './narrowLabel';
import { projectAppearance, projectKey, ProjectNodes, type TreeChange } from './projectNodes';
import {
  runningAppearance,
  sessionAppearance,
  sessionContextValue,
  type SessionIcon,
  struckThrough,
  subagentAppearance,
} from './sessionAppearance';
import type { SessionFilter } from './sessionFilter';
import type { DateRange, SessionOrder } from './sessionOrder';
import type { SessionPins } from './sessionPins';
import { withOriginals } from '../repair/findingOffers';
import { absenceText, sessionTooltip, TOOLTIP_COMMANDS } from './sessionTooltip';
import type { SessionUsages } from './sessionUsages';
import type { SideBarWidth } from './sideBarWidth';
import { findParent, forksOf, isRunning, NO_SESSIONS } from './sessionsState';
import { waitingText } from './sessionsViewText';
import {
  type DateNode,
  MemoryFileNode,
  MemoryNode,
  type MoreNode,
  type PinnedNode,
  type ProjectNode,
  type RunningNode,
  type SessionList,
  SessionNode,
  SubagentNode,
  type TreeNode,
} from './treeNode';

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
  readonly order: SessionOrder;
  readonly pins: SessionPins;
  readonly restored: RestoredSessions;
  readonly width: SideBarWidth;
  /** The address under which a session's conversation is opened. */
  readonly conversationUri: (filePath: string, title: string) => vscode.Uri;
}

const RECONNECTING: SessionIcon = { id: 'sync~spin', color: 'progressBar.background' };

/** The tree of projects and their sessions. */
export class SessionsTree extends Disposable implements vscode.TreeDataProvider<TreeNode> {
  readonly #projects = new ProjectNodes();
  readonly #changed = this._register(new vscode.EventEmitter<TreeNode[] | undefined>());

  readonly #lookup: ChildLookup;
  #forks: { readonly of: SessionsSnapshot; readonly byPath: ReadonlyMap<string, readonly SessionSummary[]> } = {
    of: NO_SESSIONS,
    byPath: new Map(),
  };

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
        const nodes = this.#projects.find(filePath);
        if (nodes.length > 0) this.#changed.fire([...nodes]);
      }),
    );
    this._register(
      services.model.onChange(() => {
        this.#update();
      }),
    );
    this.#lookup = this._register(
      new ChildLookup({ client: services.client.children, log: services.log, now: services.now }),
    );
    this._register(
      this.#lookup.onSubagents((filePath) => {
        this.#changed.fire([...this.#projects.find(filePath)]);
      }),
    );
    this._register(
      this.#lookup.onMemory((folder) => {
        const node = this.#projects.projectNode(folder);
        if (node !== null) this.#changed.fire([node]);
      }),
    );
    this._register(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(`${SETTINGS.section}.${SETTINGS.showSubagents}`)) this.redraw();
      }),
    );
    for (const listen of [shown.filter.onChange, shown.order.onChange, shown.pins.onChange]) {
      this._register(
        listen(() => {
          this.#update();
        }),
      );
    }
    for (const listen of [rewound.onChange, shown.restored.onRestoredChange, shown.width.onChange]) {
      this._register(
        listen(() => {
          this.redraw();
        }),
      );
    }
  }

  #update(): void {
    const change = this.#arrange();
    if (change.kind === 'all') this.#changed.fire(undefined);
    else if (change.nodes.length > 0) this.#changed.fire([...change.nodes]);
  }

  #arrange(): TreeChange {
    const { filter, order, pins } = this.shown;
    const filtered = filter.apply(this.services.model.snapshot);
    const { snapshot, dates } = order.apply(filtered.snapshot, this.services.now());
    const isSearch = filter.value.text.trim() !== '';
    return this.#projects.update(snapshot, { isSearch, dates, pinned: pins.of(snapshot) });
  }

  /** Redraws the tree, so that relative times such as "5 minutes ago" and the days of sessions stay true. */
  redraw(): void {
    this.#arrange();
    this.#changed.fire(undefined);
  }

  /** Shows the hidden entries of a list. */
  showMore(node: MoreNode): void {
    node.showMore();
    this.#changed.fire(node.owner === null ? undefined : [node.owner]);
  }

  getChildren(node?: TreeNode): TreeNode[] | Promise<TreeNode[]> {
    if (node === undefined) return [...this.#projects.children()];
    switch (node.kind) {
      case 'running':
        return [...node.children];
      case 'project':
        return [...this.#memoryOf(node), ...node.children()];
      case 'pinned':
      case 'date':
        return [...node.children()];
      case 'session':
        return this.#childrenOfSession(node);
      case 'memory':
        return node.files.map((file) => new MemoryFileNode(node, file));
      case 'subagent':
      case 'memoryFile':
      case 'more':
        return [];
    }
  }

  /** Nothing while the tree is filtered: memory is no session. */
  #memoryOf(node: ProjectNode): readonly MemoryNode[] {
    const files = this.shown.filter.isActive ? [] : this.#lookup.memoryOf(node.project.folder);
    return files.length === 0 ? [] : [new MemoryNode(node, files)];
  }

  async #childrenOfSession(node: SessionNode): Promise<TreeNode[]> {
    const forks = this.#forksOf(node).map((fork) => new SessionNode(node, fork));
    if (!this.#hasSubagents(node)) return forks;
    const { client, log } = this.services;
    try {
      const subagents = await client.children.subagents(node.session);
      return [...forks, ...subagents.map((subagent) => new SubagentNode(node, subagent))];
    } catch (error) {
      log.warn(`Failed to list the subagents of ${node.session.path}: ${String(error)}`);
      return forks;
    }
  }

  #forksOf({ session }: SessionNode): readonly SessionSummary[] {
    const { snapshot } = this.#projects;
    if (this.#forks.of !== snapshot) this.#forks = { of: snapshot, byPath: forksOf(snapshot) };
    return this.#forks.byPath.get(session.path) ?? [];
  }

  #hasSubagents({ session }: SessionNode): boolean {
    return areSubagentsShown() && this.#lookup.hasSubagents(session);
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
      const [counted, figures] = await Promise.all([client.sessions.info(node.session), counting]);
      // Counting has looked at it closely.
      const { scan, ...known } = await client.sessions.details(node.session);
      const findings = await withOriginals(scan.result.findings);
      const details = { ...known, scan: { ...scan, result: { ...scan.result, findings } } };
      if (token.isCancellationRequested || this.isDisposed) return undefined;
      const parentTitle = this.#parentTitle(node.session, details.metadata.parentSessionId);
      const reconnectedMs = this.shown.restored.reconnectedAt(node.session.id);
      const configDir = extraConfigDirOf(filePath);
      const { usage, preflight } = figures ?? { usage: null, preflight: null };
      const extras = { counted, usage, preflight, parentTitle, reconnectedMs, configDir, homeDir, nowMs: now() };
      const tooltip = new vscode.MarkdownString(sessionTooltip(node.session, details, extras, formats, t), true);
      tooltip.isTrusted = { enabledCommands: TOOLTIP_COMMANDS };
      item.tooltip = tooltip;
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
    const place = { isPinned: isPinned && node.owner.kind !== 'pinned', place: this.#placeOf(node) };
    const appearance =
      running === null
        ? sessionAppearance(session, now(), formats, t, place)
        : runningAppearance(running, now(), formats, t);
    const { label, description, icon, accessibleLabel } = appearance;
    const hasChildren = this.#forksOf(node).length > 0 || this.#hasSubagents(node);
    const { Collapsed, None } = vscode.TreeItemCollapsibleState;
    const struck = (title: string): string => (session.health === 'missing' ? struckThrough(title) : title);
    const item = new vscode.TreeItem(
      struck(narrowLabel(appearance, depthOf(node), this.shown.width.pixels)),
      hasChildren ? Collapsed : None,
    );
    item.id = node.key;
    item.description = description;
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
    const project = this.#projects.projectOf(session);
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
