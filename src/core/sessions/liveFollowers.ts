import { basename } from 'node:path';
import type { ScannedSession } from '../../protocol/session';
import type { Engine } from '../engine';
import type { SessionFollower } from './followSession';

/** Sessions that run at the same time are few; each that is followed holds some megabytes. */
const MAX_FOLLOWED = 8;
/** The first reading of a follower takes all of the file in one go. */
const MAX_FOLLOWED_BYTES = 128 * 1024 * 1024;

export interface LiveFollowersParts {
  readonly engine: Pick<Engine, 'follow'>;
  readonly isLive: (sessionId: string) => boolean;
}

/** Follows the sessions that run, so that each turn that ends costs what it added, not what the transcript holds. */
export class LiveFollowers {
  readonly #parts: LiveFollowersParts;
  /** The one that was read last comes last. */
  readonly #followers = new Map<string, SessionFollower>();

  constructor(parts: LiveFollowersParts) {
    this.#parts = parts;
  }

  /** Null when the session does not run, or is too large to be followed: then it is scanned like any other. */
  read(filePath: string, bytes: number): ScannedSession | null {
    const follower = this.#followers.get(filePath);
    this.#followers.delete(filePath);
    if (!this.#parts.isLive(basename(filePath, '.jsonl')) || bytes > MAX_FOLLOWED_BYTES) return null;
    const followed = follower ?? this.#parts.engine.follow(filePath);
    this.#followers.set(filePath, followed);
    const [oldest] = this.#followers.keys();
    if (this.#followers.size > MAX_FOLLOWED && oldest !== undefined) this.#followers.delete(oldest);
    return followed.read();
  }
}
