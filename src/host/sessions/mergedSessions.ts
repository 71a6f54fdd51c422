import type {
  ProjectSummary,
  ProjectUpdate,
  SessionsSnapshot,
  SessionsUpdate,
  SessionSummary,
} from '../../shared/api/worker';
import { NO_SESSIONS } from './sessionsState';

/**
 * What the updates of a worker thread add up to. A project of which an update tells nothing stays the same object, so
 * that whoever shows it sees at a glance that nothing changed.
 */
export class MergedSessions {
  readonly #projects = new Map<string, ProjectSummary>();
  #order: readonly string[] = [];
  #snapshot = NO_SESSIONS;
  #configDir: string | null = null;

  /** The sessions of a config folder; none while the worker tells of another one. */
  of(configDir: string | null): SessionsSnapshot {
    return configDir === this.#configDir ? this.#snapshot : NO_SESSIONS;
  }

  apply({ revision, startsAnew, configDir, phase, problem, isFolderMissing, order, projects }: SessionsUpdate): void {
    if (startsAnew) {
      this.#configDir = configDir;
      this.#snapshot = NO_SESSIONS;
      this.#reorder([]);
    }
    if (order !== null) this.#reorder(order);
    for (const update of projects) this.#projects.set(update.folder, merge(this.#projects.get(update.folder), update));
    const isSame = order === null && projects.length === 0;
    this.#snapshot = {
      revision,
      phase,
      problem,
      isFolderMissing,
      projects: isSame ? this.#snapshot.projects : this.#inOrder(),
    };
  }

  #reorder(order: readonly string[]): void {
    this.#order = order;
    const kept = new Set(order);
    for (const folder of this.#projects.keys()) if (!kept.has(folder)) this.#projects.delete(folder);
  }

  #inOrder(): readonly ProjectSummary[] {
    return this.#order.map((folder) => this.#projects.get(folder)).filter((project) => project !== undefined);
  }
}

/** Costs as much as the project has sessions, however few of them changed; it is in order already, but for those. */
function merge(before: ProjectSummary | undefined, update: ProjectUpdate): ProjectSummary {
  const { folder, cwd, inWorkspace, removed } = update;
  const known = before?.sessions ?? [];
  if (update.sessions.length === 0 && removed.length === 0) return { folder, cwd, inWorkspace, sessions: known };
  const changed = new Map(update.sessions.map((session) => [session.filePath, session]));
  const gone = new Set(removed);
  const sessions: SessionSummary[] = [];
  for (const session of known) {
    const latest = changed.get(session.filePath);
    changed.delete(session.filePath);
    if (!gone.has(session.filePath)) sessions.push(latest ?? session);
  }
  sessions.push(...changed.values());
  return { folder, cwd, inWorkspace, sessions: sessions.sort(byActivity) };
}

function byActivity(a: SessionSummary, b: SessionSummary): number {
  return b.activityMs - a.activityMs || (a.filePath < b.filePath ? -1 : a.filePath > b.filePath ? 1 : 0);
}
