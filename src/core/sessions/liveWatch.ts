import type { ScannedSession } from '../../protocol/session';
import { sessionIdOf } from '../providers/claude/format/paths';
import type { RegistryLook, SessionFollower, SessionProvider } from '../providers/provider';
import { MAX_FOLLOWED, MAX_FOLLOWED_BYTES } from '../transcript/liveTranscripts';
import type { Clock } from '../util/scheduling';

/** The registry consists of one small file per running client, so frequent reading is cheap. In milliseconds: a change shows within a second. */
const LIVE_POLL_MS = 800;

interface LiveWatchDeps {
  readonly read: () => Promise<RegistryLook>;
  readonly clock: Clock;
  /** The registry says something else of sessions: they started, stopped, or do something else. */
  readonly onChange: (changedSessionIds: ReadonlySet<string>) => void;
  /** Called after each reading, and after `onChange`. */
  readonly onPolled: () => void;
}

/** The worker's one poll: reads the registry of running sessions all the time, and lets others look at the same time. */
export class LiveWatch {
  readonly #deps: LiveWatchDeps;
  #look: RegistryLook = { running: new Set(), said: new Map() };
  #cancelTimer: (() => void) | null = null;
  #state: 'new' | 'watching' | 'stopped' = 'new';

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
    this.#cancelTimer = this.#deps.clock.after(LIVE_POLL_MS, () => {
      void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    const { read, onChange, onPolled } = this.#deps;
    // A failed reading says nothing about the sessions, so the previous result stays.
    const look = await read().catch(() => this.#look);
    if (this.#state !== 'watching') return;
    const changed = changedIds(this.#look.said, look.said);
    if (changed.size > 0) {
      // The same object says that nothing has changed.
      this.#look = look;
      onChange(changed);
    }
    onPolled();
    this.#schedule();
  }
}

function changedIds(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Set<string> {
  const changed = new Set<string>();
  for (const [id, said] of after) if (before.get(id) !== said) changed.add(id);
  for (const id of before.keys()) if (!after.has(id)) changed.add(id);
  return changed;
}

interface LiveFollowersDeps {
  readonly provider: Pick<SessionProvider, 'follow'>;
  readonly isLive: (sessionId: string) => boolean;
}

/** Follows running sessions, so that after each turn only the appended rows are read, not the whole transcript. */
export class LiveFollowers {
  readonly #deps: LiveFollowersDeps;
  /** By path, least recently read first. */
  readonly #followers = new Map<string, SessionFollower>();

  constructor(deps: LiveFollowersDeps) {
    this.#deps = deps;
  }

  /** Null if the session is not running, or its transcript is too large to be followed; then it must be scanned. */
  async read(filePath: string, bytes: number): Promise<ScannedSession | null> {
    const follower = this.#followers.get(filePath);
    this.#followers.delete(filePath);
    if (!this.#deps.isLive(sessionIdOf(filePath)) || bytes > MAX_FOLLOWED_BYTES) {
      follower?.close();
      return null;
    }
    const followed = follower ?? this.#deps.provider.follow(filePath);
    this.#followers.set(filePath, followed);
    const [oldest] = this.#followers.keys();
    if (this.#followers.size > MAX_FOLLOWED && oldest !== undefined) this.#close(oldest);
    return followed.read();
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
