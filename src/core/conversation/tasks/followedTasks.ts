import type { TasksCalls } from '../../../protocol/channels/tasks';
import type { SessionRef } from '../../../protocol/session';
import type { TaskList } from '../../../protocol/task';
import type { Diagnostics } from '../../diagnose/verdict';
import type { LiveSubscription, LiveTranscripts } from '../../transcript/liveTranscripts';
import type { ScannerFactory } from '../../transcript/scanner';
import type { Clock, Pacer } from '../../util/scheduling';
import { SessionTasks, type TaskLimits } from './sessionTasks';

export interface FollowedTasksDeps {
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  readonly clock: Clock;
  /** Sessions with a running client. */
  readonly liveSessions: () => Promise<ReadonlySet<string>>;
  /** No further list is sent until it resolves. */
  readonly onChange: (list: TaskList) => void | Promise<void>;
  /** The client that the person has, which may change. */
  readonly diagnostics: () => Diagnostics;
  readonly transcripts: Pick<LiveTranscripts, 'open'>;
  /** Whether the thread is shutting down and nothing may be started. */
  readonly isClosing: () => boolean;
}

/** Limited because a view renders every entry. */
const LIMITS: TaskLimits = { tasks: 2_000, history: 2_000 };
/** Minimum time between two reads of the running sessions, in milliseconds. */
const LIVE_POLL_MS = 1_000;

/** The tasks of the session that a window follows. Follows one session at a time. */
export class FollowedTasks implements TasksCalls {
  readonly #deps: FollowedTasksDeps;
  #followed: SessionTasks | null = null;
  #live: ReadonlySet<string> = new Set();
  #liveReadMs = -Infinity;
  /** A list was sent to the extension, which has not answered yet. */
  #isTelling = false;

  constructor(deps: FollowedTasksDeps) {
    this.#deps = deps;
  }

  async openTasks({ path: filePath }: SessionRef): Promise<TaskList> {
    if (this.#deps.isClosing()) throw new Error('Failed to read the tasks: the worker is shutting down');
    this.#stop();
    const { createScanner, pacer, transcripts, diagnostics } = this.#deps;
    const isLive = (sessionId: string): boolean => this.#live.has(sessionId);
    const open = transcripts.open(filePath);
    const tasks = new SessionTasks({ filePath, createScanner, pacer, isLive, open, diagnostics: diagnostics() });
    this.#followed = tasks;
    await this.#readLive();
    await tasks.refresh();
    const list = tasks.list(LIMITS);
    if (this.#followed === tasks) open.listen(() => this.#look(tasks, open));
    return list;
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async closeTasks({ path }: SessionRef): Promise<void> {
    if (this.#followed?.filePath === path) this.#stop();
  }

  #stop(): void {
    this.#followed?.close();
    this.#followed = null;
    this.#isTelling = false;
  }

  async #look(tasks: SessionTasks, open: LiveSubscription): Promise<void> {
    // The extension is still processing the previous list.
    if (this.#isTelling) return;
    await this.#readLive();
    const hasChanged = await tasks.noteChanges();
    if (this.#followed === tasks && hasChanged) void this.#tell(tasks, open);
  }

  async #tell(tasks: SessionTasks, open: LiveSubscription): Promise<void> {
    this.#isTelling = true;
    try {
      await this.#deps.onChange(tasks.list(LIMITS));
    } catch {
      // The extension is gone, so nothing more is sent.
      open.listen(null);
    }
    if (this.#followed === tasks) this.#isTelling = false;
  }

  async #readLive(): Promise<void> {
    const now = this.#deps.clock.now();
    // A clock can be set back.
    if (Math.abs(now - this.#liveReadMs) < LIVE_POLL_MS) return;
    this.#liveReadMs = now;
    // If the registry cannot be read, the last known state is kept.
    this.#live = await this.#deps.liveSessions().catch(() => this.#live);
  }
}
