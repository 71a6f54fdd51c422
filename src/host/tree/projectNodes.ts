import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../shared/api/worker';
import { ProjectNode } from './treeNode';

/** What a new snapshot means for the tree: everything is drawn again, or only the projects that differ. */
export type TreeChange = { readonly kind: 'all' } | { readonly kind: 'projects'; readonly nodes: ProjectNode[] };

/** The projects of the last snapshot as nodes, in order. */
export class ProjectNodes {
  #nodes: readonly ProjectNode[] = [];

  get nodes(): readonly ProjectNode[] {
    return this.#nodes;
  }

  update(snapshot: SessionsSnapshot): TreeChange {
    const before = this.#nodes;
    const byKey = new Map(before.map((node) => [projectKey(node.project), node]));
    const changed: ProjectNode[] = [];
    this.#nodes = snapshot.projects.map((project) => {
      const node = byKey.get(projectKey(project));
      if (node === undefined) return new ProjectNode(project);
      if (!isSameProject(node.project, project)) changed.push(node);
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

function isSameProject(a: ProjectSummary, b: ProjectSummary): boolean {
  return (
    a.cwd === b.cwd &&
    a.sessions.length === b.sessions.length &&
    a.sessions.every((session, at) => isSameSession(session, b.sessions[at]))
  );
}

function isSameSession(a: SessionSummary, b: SessionSummary | undefined): boolean {
  return (
    a.filePath === b?.filePath &&
    a.title === b.title &&
    a.health === b.health &&
    a.live === b.live &&
    a.lastMessageMs === b.lastMessageMs &&
    a.loads === b.loads &&
    a.of === b.of &&
    a.errorCount === b.errorCount &&
    a.isRepairable === b.isRepairable &&
    a.hasBackup === b.hasBackup
  );
}
