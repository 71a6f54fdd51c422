import type { ProjectSummary, SessionsSnapshot } from '../../shared/api/worker';
import { ProjectNode } from './treeNode';

/** What a new snapshot means for the tree: everything is drawn again, or only the projects that differ. */
export type TreeChange = { readonly kind: 'all' } | { readonly kind: 'projects'; readonly nodes: ProjectNode[] };

/** The projects of the last snapshot as nodes, in order. */
export class ProjectNodes {
  #nodes: readonly ProjectNode[] = [];

  get nodes(): readonly ProjectNode[] {
    return this.#nodes;
  }

  /** A project that is the same object as before did not change. */
  update(snapshot: SessionsSnapshot): TreeChange {
    const before = this.#nodes;
    const byKey = new Map(before.map((node) => [projectKey(node.project), node]));
    const changed: ProjectNode[] = [];
    this.#nodes = snapshot.projects.map((project) => {
      const node = byKey.get(projectKey(project));
      if (node === undefined) return new ProjectNode(project);
      if (node.project !== project) changed.push(node);
      node.project = project;
      return node;
    });
    const isSameOrder = before.length === this.#nodes.length && before.every((node, at) => node === this.#nodes[at]);
    return isSameOrder ? { kind: 'projects', nodes: changed } : { kind: 'all' };
  }
}

/** A project that turns out to belong to the window is another item, so that it is drawn expanded. */
export function projectKey(project: ProjectSummary): string {
  return `${project.inWorkspace ? 'window' : 'other'}:${project.folder}`;
}
