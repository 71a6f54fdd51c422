import type {
  ProjectSummary,
  ProjectUpdate,
  SessionsSnapshot,
  SessionSummary,
  SessionsUpdate,
} from '../../protocol/channels/sessions';
import { NO_SESSIONS } from './sessionsState';

/** Changes to a project since its sessions were last sorted. */
interface ProjectChange {
  readonly head: Pick<ProjectSummary, 'folder' | 'cwd' | 'inWorkspace'>;
  /** Keyed by path; null if the transcript was deleted. */
  readonly sessions: Map<string, SessionSummary | null>;
}

/**
 * Merges the updates of a worker thread. Adding an update costs time proportional to its size; the merge happens on the next
 * read. A project without updates stays the same object, so that callers can detect at once that nothing changed.
 */
export class MergedSessions {
  readonly #projects = new Map<string, ProjectSummary>();
  readonly #changes = new Map<string, ProjectChange>();
  #order: readonly string[] = [];
  #snapshot = NO_SESSIONS;
  /** The snapshot's projects do not include the latest updates. */
  #isStale = false;
  #configDir: string | null = null;

  /** The sessions of a config folder; none while the updates are about another one. */
  of(configDir: string | null): SessionsSnapshot {
    if (configDir !== this.#configDir) return NO_SESSIONS;
    if (this.#isStale) this.#merge();
    return this.#snapshot;
  }

  apply({ revision, isReset, configDir, phase, problem, isFolderMissing, order, projects }: SessionsUpdate): void {
    if (isReset) {
      this.#configDir = configDir;
      this.#projects.clear();
      this.#changes.clear();
      this.#snapshot = NO_SESSIONS;
    }
    if (order !== null) this.#reorder(order);
    for (const update of projects) this.#note(update);
    this.#isStale ||= isReset || order !== null || projects.length > 0;
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
    for (const session of sessions) change.sessions.set(session.path, session);
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

/** The known sessions are already sorted, so sorting is cheap. */
function merge(known: readonly SessionSummary[], { head, sessions: changes }: ProjectChange): ProjectSummary {
  if (changes.size === 0) return { ...head, sessions: known };
  const sessions: SessionSummary[] = [];
  for (const session of known) {
    const latest = changes.get(session.path);
    changes.delete(session.path);
    if (latest !== null) sessions.push(latest ?? session);
  }
  for (const session of changes.values()) if (session !== null) sessions.push(session);
  return { ...head, sessions: sessions.sort(byActivity) };
}

function byActivity(a: SessionSummary, b: SessionSummary): number {
  return b.activityMs - a.activityMs || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}
