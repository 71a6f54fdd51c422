import type { TasksCalls } from '../../../protocol/channels/tasks';
import type { LiveStatus } from '../../../protocol/session';
import type { TaskList } from '../../../protocol/task';
import type { ScannerFactory } from '../../transcript/scanner';
import type { Clock, Pacer } from '../../util/scheduling';
import { SessionTasks, type TaskLimits } from './sessionTasks';

export interface FollowedTasksParts {
  readonly createScanner: ScannerFactory;
  readonly pacer: Pacer;
  readonly clock: Clock;
  /** Sessions with a running client. */
  readonly liveSessions: () => Promise<ReadonlyMap<string, LiveStatus>>;
  /** Its answer asks for the next one. */
  readonly onChange: (list: TaskList) => void | Promise<void>;
  /** Milliseconds between two looks. */
  readonly pollMs: () => number;
  /** The thread is about to end: nothing is begun any more. */
  readonly isClosing: () => boolean;
}

/** A view draws every one of them. */
const LIMITS: TaskLimits = { tasks: 2_000, history: 2_000 };
/** Between two looks at which sessions run. */
const LIVE_POLL_MS = 1_000;

/** The tasks of the session that a window follows: of one at a time. */
export class FollowedTasks implements TasksCalls {
  readonly #parts: FollowedTasksParts;
  #followed: SessionTasks | null = null;
  #live: ReadonlyMap<string, LiveStatus> = new Map();
  #liveReadMs = -Infinity;
  #cancelTimer: (() => void) | null = null;

  constructor(parts: FollowedTasksParts) {
    this.#parts = parts;
  }

  async openTasks(filePath: string): Promise<TaskList> {
    if (this.#parts.isClosing()) throw new Error('Failed to read the tasks: the work is being wound up');
    this.#stop();
    const { createScanner, pacer } = this.#parts;
    const isLive = (sessionId: string): boolean => this.#live.has(sessionId);
    const tasks = new SessionTasks({ filePath, createScanner, pacer, isLive });
    this.#followed = tasks;
    await this.#readLive();
    await tasks.refresh();
    const list = tasks.list(LIMITS);
    if (this.#followed === tasks) this.#schedule(tasks);
    return list;
  }

  // eslint-disable-next-line @typescript-eslint/require-await
  async closeTasks(filePath: string): Promise<void> {
    if (this.#followed?.filePath === filePath) this.#stop();
  }

  #stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#followed?.close();
    this.#followed = null;
  }

  #schedule(tasks: SessionTasks): void {
    if (this.#parts.isClosing()) return;
    this.#cancelTimer = this.#parts.clock.after(this.#parts.pollMs(), () => void this.#poll(tasks));
  }

  /** A host that is slow is asked before the next look. */
  async #poll(tasks: SessionTasks): Promise<void> {
    await this.#readLive();
    const hasChanged = await tasks.refresh();
    if (this.#followed !== tasks) return;
    if (hasChanged) {
      try {
        await this.#parts.onChange(tasks.list(LIMITS));
      } catch {
        // A host that is gone is told nothing more.
        return;
      }
    }
    if (this.#followed === tasks) this.#schedule(tasks);
  }

  async #readLive(): Promise<void> {
    const now = this.#parts.clock.now();
    if (now - this.#liveReadMs < LIVE_POLL_MS) return;
    this.#liveReadMs = now;
    // A registry that cannot be read for a moment says nothing about the sessions.
    this.#live = await this.#parts.liveSessions().catch(() => this.#live);
  }
}
