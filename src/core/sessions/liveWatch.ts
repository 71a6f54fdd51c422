import type { ScannedSession } from '../../protocol/session';
import { sessionIdOf } from '../providers/claude/format/paths';
import type { RegistryLook, SessionFollower, SessionProvider } from '../providers/provider';
import { MAX_FOLLOWED, MAX_FOLLOWED_BYTES } from '../transcript/liveTranscripts';
import type { Clock } from '../util/scheduling';
import type { Walk } from './sharedWalk';

/** The registry consists of one small file per running client, so frequent reading is cheap. In milliseconds: a change shows within a second. */
const LIVE_POLL_MS = 700;
/**
 * Time between two questions whether another window has called, in milliseconds. At each second one, this window looks at what is its
 * own: to wake up costs more than a question.
 */
const CALL_POLL_MS = 400;
/** A window that nobody calls reads the registry after so long all the same, in milliseconds. */
const UNCALLED_MS = 6_000;

interface LiveWatchDeps {
  readonly read: () => Promise<RegistryLook>;
  readonly clock: Clock;
  /** Another window may read the registry, and call this one when it says something else. */
  readonly walk: Pick<Walk, 'isFollowing' | 'takeCall'>;
  /** The registry says something else of sessions: they started, stopped, or do something else. */
  readonly onChange: (changedSessionIds: ReadonlySet<string>) => void;
  /** Called at each look, and after `onChange`. `isWhole`: the registry was read; if not, another window looks at what all windows show. */
  readonly onPolled: (isWhole: boolean) => void;
}

/** The worker's one poll: reads the registry of running sessions all the time, unless another window does, and lets others look at the same time. */
export class LiveWatch {
  readonly #deps: LiveWatchDeps;
  #look: RegistryLook = { running: new Set(), said: new Map() };
  #cancelTimer: (() => void) | null = null;
  #state: 'new' | 'watching' | 'stopped' = 'new';
  /** When it looked last, and when it last read the registry, in milliseconds since the epoch. */
  #polledMs = 0;
  #readMs = 0;

  constructor(deps: LiveWatchDeps) {
    this.#deps = deps;
  }

  /** The latest reading. */
  get last(): RegistryLook {
    return this.#look;
  }

  /** Reads the registry and starts polling it. Rejects if this first reading fails; the polling goes on. */
  async start(): Promise<void> {
    try {
      const look = await this.#deps.read();
      if (this.#isStopped()) return;
      this.#look = look;
    } finally {
      if (this.#state === 'new') {
        this.#state = 'watching';
        this.#schedule();
      }
    }
  }

  /** Stops for good. */
  stop(): void {
    this.#state = 'stopped';
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #schedule(): void {
    const { clock, walk } = this.#deps;
    this.#cancelTimer = clock.after(walk.isFollowing ? CALL_POLL_MS : LIVE_POLL_MS, () => {
      void this.#tick();
    });
  }

  async #tick(): Promise<void> {
    const { clock, walk } = this.#deps;
    const nowMs = clock.now();
    // A clock that was set back must not stop the looks.
    const hasPassed = (sinceMs: number, ms: number): boolean => Math.abs(nowMs - sinceMs) >= ms;
    const isWhole = !walk.isFollowing || walk.takeCall() || hasPassed(this.#readMs, UNCALLED_MS);
    if (isWhole || hasPassed(this.#polledMs, 1.5 * CALL_POLL_MS)) await this.#poll(nowMs, isWhole);
    if (this.#state === 'watching') this.#schedule();
  }

  async #poll(nowMs: number, isWhole: boolean): Promise<void> {
    const { read, onChange, onPolled } = this.#deps;
    this.#polledMs = nowMs;
    if (isWhole) this.#readMs = nowMs;
    // A failed reading says nothing about the sessions, so the previous result stays.
    const look = isWhole ? await read().catch(() => this.#look) : this.#look;
    if (this.#state !== 'watching') return;
    const changed = changedIds(this.#look.said, look.said);
    if (changed.size > 0) {
      // The same object says that nothing has changed.
      this.#look = look;
      onChange(changed);
    }
    onPolled(isWhole);
  }
}

function changedIds(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Set<string> {
  const changed = new Set<string>();
  for (const [id, said] of after) if (before.get(id) !== said) changed.add(id);
  for (const id of before.keys()) if (!after.has(id)) changed.add(id);
  return changed;
}

interface LiveFollowersDeps {
  readonly provider: Pick<SessionProvider, 'follow' | 'scan'>;
  readonly isLive: (sessionId: string) => boolean;
}

/**
 * Reads running sessions. One that is read again is followed, so that after each turn only the appended rows are read, not the whole
 * transcript. Most of those that run while a window opens are never read again, and to follow one costs memory.
 */
export class LiveFollowers {
  readonly #deps: LiveFollowersDeps;
  /** The running sessions that were read, by path. */
  readonly #wereRead = new Set<string>();
  /** By path, least recently read first. */
  readonly #followers = new Map<string, SessionFollower>();

  constructor(deps: LiveFollowersDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the session as its complete lines describe it; null if it is not running. Rejects only when aborted.
   *
   * @param bytes size of the file
   */
  async read(filePath: string, bytes: number, signal?: AbortSignal): Promise<ScannedSession | null> {
    const { isLive, provider } = this.#deps;
    const isRunning = isLive(sessionIdOf(filePath));
    const wasRead = this.#wereRead.has(filePath);
    if (isRunning) this.#wereRead.add(filePath);
    else this.#wereRead.delete(filePath);
    if (isRunning && wasRead && bytes <= MAX_FOLLOWED_BYTES) return this.#follow(filePath).read();
    this.#close(filePath);
    return isRunning ? provider.scan(filePath, { isGrowing: true, ...(signal === undefined ? {} : { signal }) }) : null;
  }

  /** Returns the follower of the session; closes the one that was not used for the longest time if there are too many. */
  #follow(filePath: string): SessionFollower {
    const follower = this.#followers.get(filePath) ?? this.#deps.provider.follow(filePath);
    this.#followers.delete(filePath);
    this.#followers.set(filePath, follower);
    const [oldest] = this.#followers.keys();
    if (this.#followers.size > MAX_FOLLOWED && oldest !== undefined) this.#close(oldest);
    return follower;
  }

  /** Closes all followers, for good. */
  close(): void {
    for (const filePath of [...this.#followers.keys()]) this.#close(filePath);
  }

  #close(filePath: string): void {
    this.#followers.get(filePath)?.close();
    this.#followers.delete(filePath);
  }
}
