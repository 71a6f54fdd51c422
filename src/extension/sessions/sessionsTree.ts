import * as vscode from 'vscode';
import type { SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import { areSubagentsShown } from '../config/configuration';
import { SETTINGS } from '../config/settings';
import { Disposable } from '../lifetime';
import type { Services } from '../services';
import { sessionTitle } from '../text/sessionTitle';
import type { RewoundSessions } from '../history/rewoundSessions';
import { ChildLookup } from './childLookup';
import { absenceText } from './sessionAppearance';
import { ProjectNodes, refreshes, type TreeChange } from './projectNodes';
import type { SessionFilter } from './sessionFilter';
import { withOriginals } from '../repair/findingOffers';
import { sessionTooltip, TOOLTIP_COMMANDS } from './sessionTooltip';
import type { SessionUsages } from './sessionUsages';
import { findParent, forksOf, NO_SESSIONS } from './sessionsState';
import { type ShownInItems, TreeItems } from './treeItems';
import {
  MemoryFileNode,
  MemoryNode,
  type MoreNode,
  type ProjectNode,
  SessionNode,
  SubagentNode,
  type TreeNode,
} from './treeNode';

interface ShownInTree extends ShownInItems {
  readonly filter: SessionFilter;
}

/** The tree of projects and their sessions. */
export class SessionsTree extends Disposable implements vscode.TreeDataProvider<TreeNode> {
  readonly #projects = new ProjectNodes();
  readonly #changed = this._register(new vscode.EventEmitter<TreeNode[] | undefined>());

  readonly #items: TreeItems;
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
    rewound: RewoundSessions,
    private readonly shown: ShownInTree,
  ) {
    super();
    this.#items = new TreeItems(services, rewound, shown, {
      hasChildren: (node) => this.#forksOf(node).length > 0 || this.#hasSubagents(node),
      projectOf: (session) => this.#projects.projectOf(session),
    });
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
    this._register(
      shown.filter.onChange(() => {
        this.#update();
      }),
    );
    // An item shows by how much its session is large, and that it is pinned, also where it keeps its place.
    for (const listen of [
      shown.order.onChange,
      shown.pins.onChange,
      rewound.onChange,
      shown.restored.onRestoredChange,
      shown.width.onChange,
    ]) {
      this._register(
        listen(() => {
          this.redraw();
        }),
      );
    }
  }

  #update(): void {
    for (const nodes of refreshes(this.#arrange())) this.#changed.fire(nodes);
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
    return this.#items.of(node);
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
}
