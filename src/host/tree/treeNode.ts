import type { ProjectSummary, SessionSummary } from '../../shared/api/worker';

/** A project in the tree. The same object stands for it as long as it is shown, so that it can be redrawn alone. */
export class ProjectNode {
  readonly kind = 'project';
  project: ProjectSummary;

  constructor(project: ProjectSummary) {
    this.project = project;
  }
}

/** A session in the tree. */
export class SessionNode {
  readonly kind = 'session';
  readonly session: SessionSummary;

  constructor(session: SessionSummary) {
    this.session = session;
  }
}

export type TreeNode = ProjectNode | SessionNode;
