import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import { type RunningSession, runningSessions } from './sessionsState';

/**
 * VS Code renders every child of an expanded item, visible or not, so a list shows this many at first and more on request.
 */
const PAGE = 100;

/** A session in the tree. The same object represents it as long as it is shown, so that it can be refreshed alone. */
export class SessionNode {
  readonly kind = 'session';
  session: SessionSummary;

  /** Set for an item of the group of running sessions; null for one below its project. */
  running: RunningSession | null;

  constructor(session: SessionSummary, running: RunningSession | null = null) {
    this.session = session;
    this.running = running;
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
      const node = known.get(running.session.path) ?? new SessionNode(running.session, running);
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
  readonly project: ProjectNode | null;
  hiddenCount = 0;
  #shownCount = PAGE;

  constructor(project: ProjectNode | null) {
    this.project = project;
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

/** A project in the tree, with those of its sessions that are shown. */
export class ProjectNode {
  readonly kind = 'project';
  readonly more = new MoreNode(this);
  project: ProjectSummary;
  /** The nodes given to VS Code; null until VS Code requests them when the project is expanded. */
  #sessions: readonly SessionNode[] | null = null;

  constructor(project: ProjectSummary) {
    this.project = project;
  }

  children(): readonly (SessionNode | MoreNode)[] {
    const known = new Map(this.#sessions?.map((node) => [node.session.path, node]));
    const sessions = this.more.shown(this.project.sessions).map((session) => {
      const node = known.get(session.path) ?? new SessionNode(session);
      node.session = session;
      return node;
    });
    this.#sessions = sessions;
    return this.more.hiddenCount > 0 ? [...sessions, this.more] : sessions;
  }

  /** The node of a session; null if it was not given to VS Code. */
  find(filePath: string): SessionNode | null {
    return this.#sessions?.find(({ session }) => session.path === filePath) ?? null;
  }

  /** @returns the nodes to refresh: the project with everything in it, or only the changed sessions */
  update(project: ProjectSummary): readonly TreeNode[] {
    const before = this.project;
    this.project = project;
    if (before === project) return [];
    const hasSameLook =
      before.cwd === project.cwd &&
      before.sessions.length === project.sessions.length &&
      corruptedCount(before) === corruptedCount(project);
    if (!hasSameLook) return [this];
    const nodes = this.#sessions ?? [];
    const sessions = this.more.shown(project.sessions);
    if (nodes.some(({ session }, at) => session.path !== sessions[at]?.path)) return [this];
    const changed: SessionNode[] = [];
    for (const [at, node] of nodes.entries()) {
      const session = sessions[at];
      if (session === undefined || session === node.session) continue;
      node.session = session;
      changed.push(node);
    }
    return changed;
  }
}

export type TreeNode = RunningNode | ProjectNode | SessionNode | MoreNode;

function corruptedCount(project: ProjectSummary): number {
  return project.sessions.reduce((count, { health }) => (health === 'corrupted' ? count + 1 : count), 0);
}
