import type { SessionsSnapshot } from '../../protocol/channels/sessions';
import type { TaskList } from '../../protocol/task';
import { Disposable, Emitter } from '../lifetime';
import type { WorkerClient } from '../rpc/workerClient';
import { isWorkerDeath } from '../rpc/workerError';

export interface TasksModelDeps {
  readonly client: Pick<WorkerClient, 'tasks' | 'onRestarted' | 'onGaveUp'>;
  /** Transcript of the session whose tasks are to be shown; null when there is none. */
  readonly session: () => string | null;
  readonly describe: (error: unknown) => string;
  /** What is said when the worker is not started any more. */
  readonly gaveUpText: () => string;
}

/** What there is to show. */
export type TasksState =
  | { readonly kind: 'noSession' }
  | { readonly kind: 'loading'; readonly filePath: string }
  | { readonly kind: 'list'; readonly filePath: string; readonly list: TaskList }
  | { readonly kind: 'failed'; readonly filePath: string; readonly problem: string };

/** The tasks of the session that the person has before them. The worker follows it only while somebody looks. */
export class TasksModel extends Disposable {
  readonly #deps: TasksModelDeps;
  readonly #changed = this._register(new Emitter<void>());
  #state: TasksState = { kind: 'noSession' };
  #isWatching = false;
  #asks = 0;
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
        if (this.#isWatching && this.#state.kind !== 'noSession') this.#open(this.#state.filePath);
      }),
    );
    this._register(
      client.onGaveUp(() => {
        if (this.#isWatching && this.#state.kind !== 'noSession') this.#fail(this.#state.filePath, deps.gaveUpText());
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

  /** The reading of a session that is under way. Never rejects. */
  get loading(): Promise<void> | null {
    return this.#loading;
  }

  /** Somebody looks, or nobody does any more. */
  setWatching(isWatching: boolean): void {
    if (this.#isWatching === isWatching) return;
    this.#isWatching = isWatching;
    if (isWatching) {
      this.#look(true);
      return;
    }
    this.#asks++;
    if (this.#state.kind !== 'noSession') this.#close(this.#state.filePath);
  }

  /** Another session may be the one before the person. */
  sessionMoved(): void {
    if (this.#isWatching) this.#look(false);
  }

  /** The settings changed, or the person wants it tried again. */
  reopen(): void {
    if (this.#isWatching) this.#look(true);
  }

  #look(isAnew: boolean): void {
    const filePath = this.#deps.session();
    const before = this.#state.kind === 'noSession' ? null : this.#state.filePath;
    if (filePath === before && !isAnew) return;
    if (filePath !== null) {
      this.#open(filePath);
      return;
    }
    this.#asks++;
    if (before !== null) this.#close(before);
    this.#set({ kind: 'noSession' });
  }

  #open(filePath: string): void {
    const isSame = this.#state.kind === 'list' && this.#state.filePath === filePath;
    // What is shown of the same session stays until there is something newer.
    if (!isSame) this.#set({ kind: 'loading', filePath });
    const loading = this.#load(filePath, ++this.#asks);
    this.#loading = loading;
    void loading.finally(() => {
      if (this.#loading === loading) this.#loading = null;
    });
  }

  async #load(filePath: string, ask: number): Promise<void> {
    try {
      const list = await this.#deps.client.tasks.openTasks(filePath);
      if (ask === this.#asks && !this.isDisposed) this.#set({ kind: 'list', filePath, list });
    } catch (error) {
      // A thread that is started again is asked again.
      if (ask !== this.#asks || this.isDisposed || isWorkerDeath(error)) return;
      this.#fail(filePath, this.#deps.describe(error));
    }
  }

  #take(list: TaskList): void {
    if (this.#state.kind === 'noSession' || this.#state.filePath !== list.filePath) return;
    // An answer may come behind what changed since.
    if (this.#state.kind === 'list' && this.#state.list.revision > list.revision) return;
    this.#set({ kind: 'list', filePath: list.filePath, list });
  }

  #fail(filePath: string, problem: string): void {
    this.#set({ kind: 'failed', filePath, problem });
  }

  #close(filePath: string): void {
    // A thread that is gone follows nothing.
    this.#deps.client.tasks.closeTasks(filePath).catch(() => undefined);
  }

  #set(state: TasksState): void {
    this.#state = state;
    this.#changed.fire();
  }
}

/** The session of the workspace that a client runs, the one with the latest activity first; null when none is run. */
export function liveSessionOf({ projects }: Pick<SessionsSnapshot, 'projects'>): string | null {
  const live = projects
    .filter(({ inWorkspace }) => inWorkspace)
    .flatMap(({ sessions }) => sessions.filter((session) => session.live !== null));
  live.sort((a, b) => b.activityMs - a.activityMs);
  return live[0]?.filePath ?? null;
}
