import type { SessionsSnapshot } from '../../protocol/channels/sessions';
import { isRunning } from '../sessions/sessionsState';
import type { SessionRef } from '../../protocol/session';
import type { TaskList } from '../../protocol/task';
import { Disposable, Emitter } from '../lifetime';
import type { WorkerClient } from '../rpc/workerClient';
import { isWorkerDeath } from '../rpc/workerError';

export interface TasksModelDeps {
  readonly client: Pick<WorkerClient, 'tasks' | 'onRestarted' | 'onGaveUp'>;
  /** The session whose tasks are shown; null if there is none. */
  readonly session: () => SessionRef | null;
  readonly describe: (error: unknown) => string;
  /** Message for when the worker is no longer restarted. */
  readonly stoppedText: () => string;
}

/** The content to show. */
export type TasksState =
  | { readonly kind: 'noSession' }
  | { readonly kind: 'loading'; readonly session: SessionRef }
  | { readonly kind: 'list'; readonly session: SessionRef; readonly list: TaskList }
  | { readonly kind: 'failed'; readonly session: SessionRef; readonly problem: string };

/** The tasks of the current session. The worker follows the session only while the view is visible. */
export class TasksModel extends Disposable {
  readonly #deps: TasksModelDeps;
  readonly #changed = this._register(new Emitter<void>());
  #state: TasksState = { kind: 'noSession' };
  #isWatching = false;
  #requests = 0;
  #loading: Promise<void> | null = null;

  readonly onChange = this.#changed.event;

  constructor(deps: TasksModelDeps) {
    super();
    this.#deps = deps;
    const { client } = deps;
    this._register(
      client.tasks.onTasksChanged((list) => {
        if (this.#isWatching) this.#take(list);
      }),
    );
    this._register(
      client.onRestarted(() => {
        if (this.#isWatching && this.#state.kind !== 'noSession') this.#open(this.#state.session);
      }),
    );
    this._register(
      client.onGaveUp(() => {
        if (this.#isWatching && this.#state.kind !== 'noSession') this.#fail(this.#state.session, deps.stoppedText());
      }),
    );
    this._register({
      dispose: () => {
        this.setWatching(false);
      },
    });
  }

  get state(): TasksState {
    return this.#state;
  }

  /** The running request for a session's tasks. Never rejects. */
  get loading(): Promise<void> | null {
    return this.#loading;
  }

  /** Called when the view becomes visible or hidden. */
  setWatching(isWatching: boolean): void {
    if (this.#isWatching === isWatching) return;
    this.#isWatching = isWatching;
    if (isWatching) {
      this.#reload(true);
      return;
    }
    this.#requests++;
    if (this.#state.kind !== 'noSession') this.#close(this.#state.session);
  }

  /** Called when the current session may have changed. */
  sessionMoved(): void {
    if (this.#isWatching) this.#reload(false);
  }

  /** Called when the settings changed, or the person wants to try again. */
  reopen(): void {
    if (this.#isWatching) this.#reload(true);
  }

  #reload(isForced: boolean): void {
    const session = this.#deps.session();
    const before = this.#state.kind === 'noSession' ? null : this.#state.session;
    if (session?.path === before?.path && !isForced) return;
    if (session !== null) {
      this.#open(session);
      return;
    }
    this.#requests++;
    if (before !== null) this.#close(before);
    this.#set({ kind: 'noSession' });
  }

  #open(session: SessionRef): void {
    const isSame = this.#state.kind === 'list' && this.#state.session.path === session.path;
    // The content shown for the same session stays until there is a newer one.
    if (!isSame) this.#set({ kind: 'loading', session });
    const loading = this.#load(session, ++this.#requests);
    this.#loading = loading;
    void loading.finally(() => {
      if (this.#loading === loading) this.#loading = null;
    });
  }

  async #load(session: SessionRef, request: number): Promise<void> {
    try {
      const list = await this.#deps.client.tasks.openTasks(session);
      if (request === this.#requests && !this.isDisposed) this.#set({ kind: 'list', session, list });
    } catch (error) {
      // After a restart of the worker thread, the request is repeated.
      if (request !== this.#requests || this.isDisposed || isWorkerDeath(error)) return;
      this.#fail(session, this.#deps.describe(error));
    }
  }

  #take(list: TaskList): void {
    if (this.#state.kind === 'noSession' || this.#state.session.path !== list.filePath) return;
    // An answer may arrive after a newer change.
    if (this.#state.kind === 'list' && this.#state.list.revision > list.revision) return;
    this.#set({ kind: 'list', session: this.#state.session, list });
  }

  #fail(session: SessionRef, problem: string): void {
    this.#set({ kind: 'failed', session, problem });
  }

  #close(session: SessionRef): void {
    // If the worker thread is gone, it follows nothing.
    this.#deps.client.tasks.closeTasks(session).catch(() => undefined);
  }

  #set(state: TasksState): void {
    this.#state = state;
    this.#changed.fire();
  }
}

/** The workspace session that a client is running, the most recently active of several; null if there is none. */
export function liveSessionOf({ projects }: Pick<SessionsSnapshot, 'projects'>): SessionRef | null {
  const live = projects
    .filter(({ inWorkspace }) => inWorkspace)
    .flatMap(({ sessions }) => sessions.filter((session) => isRunning(session) && session.isAbsent !== true));
  live.sort((a, b) => b.activityMs - a.activityMs);
  return live[0] ?? null;
}
