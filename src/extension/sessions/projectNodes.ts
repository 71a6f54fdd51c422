import { basename, dirname } from 'node:path';
import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import type { Translate } from '../text/translate';
import { type Formats, shortenHome } from '../text/formats';
import { configDirText } from './sessionAppearance';
import type { DateGroup } from './sessionOrder';
import { NO_SESSIONS } from './sessionsState';
import {
  corruptedCount,
  DateNode,
  MoreNode,
  PinnedNode,
  ProjectNode,
  RunningNode,
  type SessionNode,
  type TreeNode,
} from './treeNode';

/**
 * VS Code asks for the children of every expanded item before it shows any, so a search expands projects only until so many rows are
 * shown: a screen.
 */
const MAX_FOUND_ROWS = 50;

/** The effect of a snapshot on the tree: refresh everything, or only the changed nodes. */
export type TreeChange = { readonly kind: 'all' } | { readonly kind: 'nodes'; readonly nodes: readonly TreeNode[] };

/**
 * What to tell VS Code, in order; undefined stands for the whole tree. VS Code does the first at once and holds the second back for a
 * moment: with each letter of a filter, the number of sessions in most folded projects changes, and only the sessions are to be seen.
 */
export function refreshes(change: TreeChange): readonly (TreeNode[] | undefined)[] {
  if (change.kind === 'all') return [undefined];
  const isSeen = (node: TreeNode): boolean => !('isUnfolded' in node) || node.isUnfolded;
  const [seen, folded] = [change.nodes.filter(isSeen), change.nodes.filter((node) => !isSeen(node))];
  return [seen, folded].filter(({ length }) => length > 0);
}

/** What the tree shows beside running sessions and projects. */
export interface TreeArrangement {
  /** What is shown is what the person searched for, so the projects are expanded. */
  readonly isSearch?: boolean;
  readonly pinned?: readonly SessionSummary[];
  /** In place of projects; null for none. */
  readonly dates?: readonly DateGroup[] | null;
}

/** The groups and the projects, or days, of the latest snapshot as nodes, in order. */
export class ProjectNodes {
  readonly #running = new RunningNode();
  readonly #pinned = new PinnedNode();
  readonly #more = new MoreNode(null);
  #nodes: readonly (ProjectNode | DateNode)[] = [];
  #snapshot: SessionsSnapshot = NO_SESSIONS;
  /** By folder; null until it is asked for. */
  #projects: ReadonlyMap<string, ProjectSummary> | null = null;

  /** The nodes that are shown. */
  children(): readonly TreeNode[] {
    const running = this.#running.children.length === 0 ? [] : [this.#running];
    const pinned = this.#pinned.sessions.length === 0 ? [] : [this.#pinned];
    const more = this.#more.shown(this.#nodes);
    return [...running, ...pinned, ...more, ...(this.#more.hiddenCount > 0 ? [this.#more] : [])];
  }

  /** What is shown: filtered, and in order. */
  get snapshot(): SessionsSnapshot {
    return this.#snapshot;
  }

  /** The node of a project; null if it is not shown. */
  projectNode(folder: string): ProjectNode | null {
    for (const node of this.#nodes) if (node.kind === 'project' && node.project.folder === folder) return node;
    return null;
  }

  /** The project of a session that is shown. */
  projectOf({ path }: SessionSummary): ProjectSummary | null {
    this.#projects ??= new Map(this.#snapshot.projects.map((project) => [project.folder, project]));
    return this.#projects.get(dirname(path)) ?? null;
  }

  /** The nodes of a session in all places in which it is shown. */
  find(filePath: string): readonly SessionNode[] {
    const running = this.#running.children.filter(({ session }) => session.path === filePath);
    const others = [this.#pinned, ...this.#nodes].map((node) => node.find(filePath)).filter((node) => node !== null);
    return [...running, ...others];
  }

  /** The node of a session below its project or day, also if that was not expanded so far; null if the list does not show it. */
  locate(filePath: string): SessionNode | null {
    const list = this.#nodes.find(({ sessions }) => sessions.some(({ path }) => path === filePath));
    if (list === undefined || !this.children().includes(list)) return null;
    list.children();
    return list.find(filePath);
  }

  /** Null for an item of the first level. */
  parentOf(node: TreeNode): TreeNode | null {
    return 'owner' in node ? node.owner : null;
  }

  /** A project that is the same object as before did not change. */
  update(
    snapshot: SessionsSnapshot,
    { isSearch = false, pinned = [], dates = null }: TreeArrangement = {},
  ): TreeChange {
    this.#snapshot = snapshot;
    this.#projects = null;
    const before = this.#nodes;
    const changed: TreeNode[] = [];
    this.#nodes = dates === null ? this.#updateProjects(isSearch, changed) : this.#updateDates(dates, changed);
    const groups = [this.#running.update(snapshot), this.#pinned.update(pinned)];
    const isSameOrder = before.length === this.#nodes.length && before.every((node, at) => node === this.#nodes[at]);
    const nodes = groups.flatMap((group) => group ?? []);
    return isSameOrder && !groups.includes(null) ? { kind: 'nodes', nodes: [...changed, ...nodes] } : { kind: 'all' };
  }

  #updateProjects(isSearch: boolean, changed: TreeNode[]): readonly ProjectNode[] {
    const known = new Map(
      this.#nodes.flatMap((node) => (node.kind === 'project' ? [[projectKey(node), node] as const] : [])),
    );
    let rows = 0;
    return this.#snapshot.projects.map((project) => {
      const isFound = isSearch && rows < MAX_FOUND_ROWS;
      rows += project.sessions.length + 1;
      const node = known.get(projectKey({ project, isFound }));
      if (node === undefined) return new ProjectNode(project, isFound);
      changed.push(...node.update(project));
      return node;
    });
  }

  #updateDates(dates: readonly DateGroup[], changed: TreeNode[]): readonly DateNode[] {
    return dates.map((group) => {
      const known = this.#nodes.find((node) => node.kind === 'date' && node.range === group.range);
      if (known?.kind !== 'date') return new DateNode(group);
      changed.push(...known.update(group.sessions));
      return known;
    });
  }
}

/**
 * A project that is found to belong to the window, or by what the person searched for, gets another key, so that its item is shown
 * expanded.
 */
export function projectKey({ project, isFound }: Pick<ProjectNode, 'project' | 'isFound'>): string {
  return `${isFound ? 'found' : project.inWorkspace ? 'window' : 'other'}:${project.folder}`;
}

/** How a project is shown in the tree. */
export interface ProjectAppearance {
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
}

/** @param configDir the config folder of the project, if it is not the main one */
export function projectAppearance(
  project: ProjectSummary,
  configDir: string | null,
  homeDir: string,
  formats: Formats,
  t: Translate,
): ProjectAppearance {
  const corrupted = corruptedCount(project);
  const trouble = corrupted === 0 ? null : t('{0} broken', formats.number(corrupted));
  const count = project.sessions.length;
  const sessions = count === 1 ? t('1 session') : t('{0} sessions', formats.number(count));
  // The folder's name cannot be decoded, so it is shown unchanged until a row names the working directory.
  const path = project.cwd ?? project.folder;
  const isRootOrHome = project.cwd !== null && (path === homeDir || dirname(path) === path);
  const around = project.cwd === null || isRootOrHome ? null : shortenHome(dirname(path), homeDir);
  const account = configDir === null ? null : shortenHome(configDir, homeDir);
  const places = [trouble, around, account];
  return {
    label: isRootOrHome ? shortenHome(path, homeDir) : basename(path),
    description: places.filter((part) => part !== null).join(' · '),
    tooltip: [
      shortenHome(path, homeDir),
      ...(account === null ? [] : [configDirText(account, t)]),
      trouble === null ? sessions : `${sessions}, ${trouble}`,
    ].join('\n'),
  };
}
