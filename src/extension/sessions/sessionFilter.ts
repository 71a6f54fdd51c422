import type { ProjectSummary, SessionsSnapshot, SessionSummary } from '../../protocol/channels/sessions';
import { Disposable, Emitter } from '../lifetime';

/** By what the tree can be filtered. */
export type FilterKind = 'expiring' | 'configDir';

export interface ActiveFilter {
  readonly kind: FilterKind;
  /** Absolute path of the config folder whose sessions match; absent for another kind. */
  readonly configDir?: string;
  /** Whether the tree shows the session. */
  readonly matches: (session: SessionSummary) => boolean;
}

/** Which sessions the tree shows: all, or those that match one filter. */
export class SessionFilter extends Disposable {
  readonly #changed = this._register(new Emitter<void>());
  #active: ActiveFilter | null = null;
  /** A project of which nothing changed stays the same object, so that it is not drawn again. */
  #filtered = new WeakMap<ProjectSummary, ProjectSummary>();

  readonly onChange = this.#changed.event;

  get kind(): FilterKind | null {
    return this.#active?.kind ?? null;
  }

  /** The config folder by which the tree is filtered; null if by none. */
  get configDir(): string | null {
    return this.#active?.configDir ?? null;
  }

  /** Replaces the filter; null shows all sessions. To be called again when other sessions match. */
  set(filter: ActiveFilter | null): void {
    if (filter === null && this.#active === null) return;
    this.#active = filter;
    this.#filtered = new WeakMap();
    this.#changed.fire();
  }

  /** Without the sessions that do not match, and the projects that have none left. */
  apply(snapshot: SessionsSnapshot): SessionsSnapshot {
    const active = this.#active;
    if (active === null) return snapshot;
    const projects = snapshot.projects.map((project) => {
      const known = this.#filtered.get(project);
      if (known !== undefined) return known;
      const filtered = { ...project, sessions: project.sessions.filter((session) => active.matches(session)) };
      this.#filtered.set(project, filtered);
      return filtered;
    });
    return { ...snapshot, projects: projects.filter(({ sessions }) => sessions.length > 0) };
  }
}
