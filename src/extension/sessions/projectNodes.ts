import { basename, dirname } from 'node:path';
import type { ProjectSummary, SessionsSnapshot } from '../../protocol/channels/sessions';
import type { Translate } from '../text/translate';
import { configDirText } from './sessionTooltip';
import { type Formats, shortenHome } from '../text/formats';
import { MoreNode, ProjectNode, RunningNode, type SessionNode, type TreeNode } from './treeNode';

/** The effect of a snapshot on the tree: refresh everything, or only the changed nodes. */
export type TreeChange = { readonly kind: 'all' } | { readonly kind: 'nodes'; readonly nodes: readonly TreeNode[] };

/** The running sessions and the projects of the latest snapshot as nodes, in order. */
export class ProjectNodes {
  readonly #running = new RunningNode();
  readonly #more = new MoreNode(null);
  #nodes: readonly ProjectNode[] = [];

  /** The nodes that are shown. */
  children(): readonly TreeNode[] {
    const running = this.#running.children.length === 0 ? [] : [this.#running];
    const more = this.#more.shown(this.#nodes);
    return [...running, ...more, ...(this.#more.hiddenCount > 0 ? [this.#more] : [])];
  }

  /** The node of a session; null if it is not shown. */
  find(filePath: string): SessionNode | null {
    for (const node of this.#nodes) {
      const session = node.find(filePath);
      if (session !== null) return session;
    }
    return null;
  }

  /** Like `find`, also for a project that was not expanded so far. */
  locate(filePath: string): SessionNode | null {
    const project = this.#nodes.find(({ project: { sessions } }) => sessions.some(({ path }) => path === filePath));
    if (project === undefined || !this.children().includes(project)) return null;
    project.children();
    return project.find(filePath);
  }

  /** Null for an item of the first level. */
  parentOf(node: TreeNode): TreeNode | null {
    if (node.kind === 'more') return node.project;
    if (node.kind !== 'session') return null;
    return this.#running.children.includes(node)
      ? this.#running
      : (this.#nodes.find((project) => project.find(node.session.path) === node) ?? null);
  }

  /** A project that is the same object as before did not change. */
  update(snapshot: SessionsSnapshot): TreeChange {
    const before = this.#nodes;
    const byKey = new Map(before.map((node) => [projectKey(node.project), node]));
    const changed: TreeNode[] = [];
    this.#nodes = snapshot.projects.map((project) => {
      const node = byKey.get(projectKey(project));
      if (node === undefined) return new ProjectNode(project);
      changed.push(...node.update(project));
      return node;
    });
    const running = this.#running.update(snapshot);
    if (running === null) return { kind: 'all' };
    changed.push(...running);
    const isSameOrder = before.length === this.#nodes.length && before.every((node, at) => node === this.#nodes[at]);
    return isSameOrder ? { kind: 'nodes', nodes: changed } : { kind: 'all' };
  }
}

/** A project that is found to belong to the window gets another key, so that its item is shown expanded. */
export function projectKey(project: ProjectSummary): string {
  return `${project.inWorkspace ? 'window' : 'other'}:${project.folder}`;
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
  const corrupted = project.sessions.filter((session) => session.health === 'corrupted').length;
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
