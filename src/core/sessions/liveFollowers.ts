import { sessionIdOf } from '../providers/claude/format/paths';
import type { ScannedSession } from '../../protocol/session';
import type { SessionFollower } from '../providers/provider';
import type { SessionProvider } from '../providers/provider';
import { MAX_FOLLOWED, MAX_FOLLOWED_BYTES } from '../transcript/liveTranscripts';

export interface LiveFollowersDeps {
  readonly provider: Pick<SessionProvider, 'follow'>;
  readonly isLive: (sessionId: string) => boolean;
}

/** Follows the sessions that run, so that each turn that ends costs what it added, not what the transcript holds. */
export class LiveFollowers {
  readonly #deps: LiveFollowersDeps;
  /** The one that was read last comes last. */
  readonly #followers = new Map<string, SessionFollower>();

  constructor(deps: LiveFollowersDeps) {
    this.#deps = deps;
  }

  /** Null when the session does not run, or is too large to be followed: then it is scanned like any other. */
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

  /** For good. */
  close(): void {
    for (const filePath of [...this.#followers.keys()]) this.#close(filePath);
  }

  #close(filePath: string): void {
    this.#followers.get(filePath)?.close();
    this.#followers.delete(filePath);
  }
}
