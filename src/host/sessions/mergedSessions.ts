import type {
  ProjectSummary,
  ProjectUpdate,
  SessionsSnapshot,
  SessionsUpdate,
  SessionSummary,
} from '../../shared/api/worker';
import { NO_SESSIONS } from './sessionsState';

/** What was told of a project since its sessions were last put in order. */
interface ProjectChange {
  readonly head: Pick<ProjectSummary, 'folder' | 'cwd' | 'inWorkspace'>;
  /** By path; null when the transcript is gone. */
  readonly sessions: Map<string, SessionSummary | null>;
}

/**
 * What the updates of a worker thread add up to. Taking one in costs as much as it tells; they are merged when somebody
 * looks. A project of which nothing was told meanwhile stays the same object, so that whoever shows it sees at a glance
 * that nothing changed.
 */
export class MergedSessions {
  readonly #projects = new Map<string, ProjectSummary>();
  readonly #changes = new Map<string, ProjectChange>();
  #order: readonly string[] = [];
  #snapshot = NO_SESSIONS;
  /** The snapshot’s projects are not what was told. */
  #isStale = false;
  #configDir: string | null = null;

  /** The sessions of a config folder; none while the worker tells of another one. */
  of(configDir: string | null): SessionsSnapshot {
    if (configDir !== this.#configDir) return NO_SESSIONS;
    if (this.#isStale) this.#merge();
    return this.#snapshot;
  }

  apply({ revision, startsAnew, configDir, phase, problem, isFolderMissing, order, projects }: SessionsUpdate): void {
    if (startsAnew) {
      this.#configDir = configDir;
      this.#projects.clear();
      this.#changes.clear();
      this.#snapshot = NO_SESSIONS;
    }
    if (order !== null) this.#reorder(order);
    for (const update of projects) this.#note(update);
    this.#isStale ||= startsAnew || order !== null || projects.length > 0;
    this.#snapshot = { revision, phase, problem, isFolderMissing, projects: this.#snapshot.projects };
  }

  #reorder(order: readonly string[]): void {
    this.#order = order;
    const kept = new Set(order);
    for (const known of [this.#projects, this.#changes]) {
      for (const folder of known.keys()) if (!kept.has(folder)) known.delete(folder);
    }
  }

  #note({ folder, cwd, inWorkspace, sessions, removed }: ProjectUpdate): void {
    const change = { head: { folder, cwd, inWorkspace }, sessions: this.#changes.get(folder)?.sessions ?? new Map() };
    this.#changes.set(folder, change);
    for (const path of removed) change.sessions.set(path, null);
    for (const session of sessions) change.sessions.set(session.filePath, session);
  }

  #merge(): void {
    for (const [folder, change] of this.#changes) {
      this.#projects.set(folder, merge(this.#projects.get(folder)?.sessions ?? [], change));
    }
    this.#changes.clear();
    const projects = this.#order.map((folder) => this.#projects.get(folder)).filter((each) => each !== undefined);
    this.#snapshot = { ...this.#snapshot, projects };
    this.#isStale = false;
  }
}

/** What is known is in order, so that sorting finds little to do. */
function merge(known: readonly SessionSummary[], { head, sessions: told }: ProjectChange): ProjectSummary {
  if (told.size === 0) return { ...head, sessions: known };
  const sessions: SessionSummary[] = [];
  for (const session of known) {
    const latest = told.get(session.filePath);
    told.delete(session.filePath);
    if (latest !== null) sessions.push(latest ?? session);
  }
  for (const session of told.values()) if (session !== null) sessions.push(session);
  return { ...head, sessions: sessions.sort(byActivity) };
}

function byActivity(a: SessionSummary, b: SessionSummary): number {
  return b.activityMs - a.activityMs || (a.filePath < b.filePath ? -1 : a.filePath > b.filePath ? 1 : 0);
}
