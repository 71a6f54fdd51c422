import type { ListedMemoryFile, ListedSubagent } from '../../protocol/channels/children';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import type { DateGroup, DateRange } from './sessionOrder';
import { type RunningSession, runningSessions } from './sessionsState';

/**
 * VS Code renders every child of an expanded item, visible or not, so a list shows this many at first and more on request.
 */
const PAGE = 100;

/** A session in the tree. The same object represents it as long as it is shown, so that it can be refreshed alone. */
export class SessionNode {
  readonly kind = 'session';
  /** The item below which it stands. */
  readonly owner: RunningNode | SessionList | SessionNode;
  session: SessionSummary;

  /** Set for an item of the group of running sessions; null for all others. */
  running: RunningSession | null;

  constructor(owner: SessionNode['owner'], session: SessionSummary, running: RunningSession | null = null) {
    this.owner = owner;
    this.session = session;
    this.running = running;
  }

  /** The id of its item. A session can stand in several places: below its project, and in a group. */
  get key(): string {
    const { owner, session } = this;
    switch (owner.kind) {
      case 'project':
      case 'date':
        return session.path;
      case 'running':
      case 'pinned':
        return `${owner.kind}:${session.path}`;
      // A fork below the session that it was forked from.
      case 'session':
        return `${owner.key}\n${session.path}`;
    }
  }
}

/** The group of running sessions on top of the tree. */
export class RunningNode {
  readonly kind = 'running';
  #nodes: readonly SessionNode[] = [];

  get children(): readonly SessionNode[] {
    return this.#nodes;
  }

  /** @returns the nodes to refresh; null if the group appeared or vanished, so that the whole tree changes */
  update(snapshot: SessionsSnapshot): readonly TreeNode[] | null {
    const before = this.#nodes;
    const known = new Map(before.map((node) => [node.session.path, node]));
    const changed: SessionNode[] = [];
    this.#nodes = runningSessions(snapshot).map((running) => {
      const node = known.get(running.session.path) ?? new SessionNode(this, running.session, running);
      if (node.session !== running.session) changed.push(node);
      node.session = running.session;
      node.running = running;
      return node;
    });
    if ((before.length === 0) !== (this.#nodes.length === 0)) return null;
    const isSameOrder = before.length === this.#nodes.length && before.every((node, at) => node === this.#nodes[at]);
    return isSameOrder ? changed : [this];
  }
}

/** The last item of a list of which only the beginning is shown. */
export class MoreNode {
  readonly kind = 'more';
  /** Owner of the list; null for the list of projects. */
  readonly owner: SessionList | null;
  hiddenCount = 0;
  #shownCount = PAGE;

  constructor(owner: SessionList | null) {
    this.owner = owner;
  }

  /** The part of the list that is shown. */
  shown<T>(list: readonly T[]): readonly T[] {
    this.hiddenCount = Math.max(0, list.length - this.#shownCount);
    return this.hiddenCount === 0 ? list : list.slice(0, this.#shownCount);
  }

  showMore(): void {
    this.#shownCount += PAGE;
  }
}

/** An item with sessions below it, and those of its sessions that are shown. */
abstract class Sessions {
  abstract readonly more: MoreNode;
  /** The nodes given to VS Code; null until VS Code requests them when the item is expanded. */
  #nodes: readonly SessionNode[] | null = null;

  /** Whether VS Code has its sessions: it was expanded. */
  get isUnfolded(): boolean {
    return this.#nodes !== null;
  }

  /** All its sessions, in order. */
  abstract get sessions(): readonly SessionSummary[];
  /** The node itself, as one of the union. */
  protected abstract get self(): SessionList;

  children(): readonly (SessionNode | MoreNode)[] {
    const known = new Map(this.#nodes?.map((node) => [node.session.path, node]));
    const nodes = this.more.shown(this.sessions).map((session) => {
      const node = known.get(session.path) ?? new SessionNode(this.self, session);
      node.session = session;
      return node;
    });
    this.#nodes = nodes;
    return this.more.hiddenCount > 0 ? [...nodes, this.more] : nodes;
  }

  /** The node of a session; null if it was not given to VS Code. */
  find(filePath: string): SessionNode | null {
    return this.#nodes?.find(({ session }) => session.path === filePath) ?? null;
  }

  /** To be called after `sessions` changed. Returns the nodes to refresh: the whole list, or only the changed sessions. */
  protected refresh(before: readonly SessionSummary[]): readonly TreeNode[] {
    const { sessions } = this;
    if (before === sessions) return [];
    if (before.length !== sessions.length) return [this.self];
    const nodes = this.#nodes ?? [];
    const shown = this.more.shown(sessions);
    if (nodes.some(({ session }, at) => session.path !== shown[at]?.path)) return [this.self];
    const changed: SessionNode[] = [];
    for (const [at, node] of nodes.entries()) {
      const session = shown[at];
      if (session === undefined || session === node.session) continue;
      node.session = session;
      changed.push(node);
    }
    return changed;
  }
}

/** A project in the tree. */
export class ProjectNode extends Sessions {
  readonly kind = 'project';
  readonly more = new MoreNode(this);
  project: ProjectSummary;
  /** Whether it is expanded to show what the person searched for. */
  readonly isFound: boolean;

  constructor(project: ProjectSummary, isFound = false) {
    super();
    this.project = project;
    this.isFound = isFound;
  }

  get sessions(): readonly SessionSummary[] {
    return this.project.sessions;
  }

  protected get self(): this {
    return this;
  }

  /** @returns the nodes to refresh: the project with everything in it, or only the changed sessions */
  update(project: ProjectSummary): readonly TreeNode[] {
    const before = this.project;
    this.project = project;
    if (before === project) return [];
    const hasSameLook = before.cwd === project.cwd && corruptedCount(before) === corruptedCount(project);
    return hasSameLook ? this.refresh(before.sessions) : [this];
  }
}

/** The sessions of some days, in place of projects. */
export class DateNode extends Sessions {
  readonly kind = 'date';
  readonly more = new MoreNode(this);
  readonly range: DateRange;
  sessions: readonly SessionSummary[];

  constructor({ range, sessions }: DateGroup) {
    super();
    this.range = range;
    this.sessions = sessions;
  }

  protected get self(): this {
    return this;
  }

  update(sessions: readonly SessionSummary[]): readonly TreeNode[] {
    const before = this.sessions;
    this.sessions = sessions;
    return this.refresh(before);
  }
}

/** The sessions that the person pinned, on top of the tree. */
export class PinnedNode extends Sessions {
  readonly kind = 'pinned';
  readonly more = new MoreNode(this);
  sessions: readonly SessionSummary[] = [];

  protected get self(): this {
    return this;
  }

  /** @returns the nodes to refresh; null if the group appeared or vanished, so that the whole tree changes */
  update(sessions: readonly SessionSummary[]): readonly TreeNode[] | null {
    const before = this.sessions;
    this.sessions = sessions;
    return (before.length === 0) === (sessions.length === 0) ? this.refresh(before) : null;
  }
}

/** A subagent below the session that started it. */
export class SubagentNode {
  readonly kind = 'subagent';

  constructor(
    readonly owner: SessionNode,
    readonly subagent: ListedSubagent,
  ) {}
}

/** The memory of a project, below it. */
export class MemoryNode {
  readonly kind = 'memory';

  constructor(
    readonly owner: ProjectNode,
    readonly files: readonly ListedMemoryFile[],
  ) {}
}

/** A file of a project's memory. */
export class MemoryFileNode {
  readonly kind = 'memoryFile';

  constructor(
    readonly owner: MemoryNode,
    readonly file: ListedMemoryFile,
  ) {}
}

export type SessionList = ProjectNode | DateNode | PinnedNode;

export type TreeNode = RunningNode | SessionList | SessionNode | MoreNode | SubagentNode | MemoryNode | MemoryFileNode;

/** A project that changes is another object. The counts are needed again for each letter that is typed into the filter. */
const corruptedCounts = new WeakMap<ProjectSummary, number>();

export function corruptedCount(project: ProjectSummary): number {
  const known = corruptedCounts.get(project);
  if (known !== undefined) return known;
  const count = project.sessions.reduce((sum, { health }) => (health === 'corrupted' ? sum + 1 : sum), 0);
  corruptedCounts.set(project, count);
  return count;
}
