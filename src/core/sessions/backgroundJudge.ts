import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import type { Clock } from '../util/scheduling';
import type { JobQueue } from './jobQueue';
import type { SessionEntries, SessionEntry } from './sessionEntries';
import type { SessionJobs, SessionResults } from './sessionJobs';
import { activityMs } from './summariseSession';

/** Of each open folder, so many sessions are judged: the most recent ones. */
const MAX_PER_FOLDER = 20;
/**
 * Judging parses all that Claude would load in one stretch, during which the thread answers nobody: 10 ms for each MB of long
 * messages, and up to 40 ms for each MB of short ones. A larger transcript is judged only when somebody asks for it: before it is
 * resumed, by a scan of the session, and by a repair.
 */
export const MAX_UNASKED_BYTES = 8 * 1024 * 1024;
/** What follows the start of a window, such as the conversations that it shows again, comes first. */
const LOOK_DELAY_MS = 5_000;
/** A client that is not in the registry may still be writing to a transcript that was written to more recently. */
const QUIET_MS = 60_000;

export interface BackgroundJudgeDeps {
  readonly entries: Pick<SessionEntries, 'get' | 'values'>;
  readonly files: Pick<SessionFiles, 'stampNow'>;
  readonly jobs: Pick<SessionJobs, 'judged'>;
  readonly queue: Pick<JobQueue<SessionResults>, 'add'>;
  readonly isLive: (sessionId: string) => boolean;
  /** Index of the open folder to which a session belongs; -1 if it belongs to none. */
  readonly folderOf: (entry: SessionEntry) => number;
  readonly clock: Clock;
}

/**
 * Finds the sessions of the open folders whose history the API will refuse before it has refused a prompt. Judges one session at a
 * time, each state of its file once, and only while nothing else waits in the queue.
 */
export class BackgroundJudge {
  readonly #deps: BackgroundJudgeDeps;
  /** By path, the last state of the file that was judged here, also if nothing came of it. Bounded by the sessions of the folders. */
  readonly #tried = new Map<string, FileStamp>();
  #cancelLook: (() => void) | null = null;
  #isJudging = false;
  /** Something has changed since the sessions to judge were chosen. */
  #isWantedAgain = false;
  #isStopped = false;

  constructor(deps: BackgroundJudgeDeps) {
    this.#deps = deps;
  }

  /** Must be called when sessions were scanned, ended, or came into an open folder. */
  look(): void {
    if (this.#isJudging) this.#isWantedAgain = true;
    else this.#lookIn(LOOK_DELAY_MS);
  }

  /** Stops for good. A session that is being judged is left to the queue. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelLook?.();
    this.#cancelLook = null;
  }

  #lookIn(delayMs: number): void {
    if (this.#isStopped || this.#cancelLook !== null) return;
    this.#cancelLook = this.#deps.clock.after(delayMs, () => {
      this.#cancelLook = null;
      void this.#lookNow();
    });
  }

  async #lookNow(): Promise<void> {
    this.#isJudging = true;
    const quietInMs = await this.#judgeAll();
    this.#isJudging = false;
    const delayMs = this.#isWantedAgain ? LOOK_DELAY_MS : quietInMs;
    this.#isWantedAgain = false;
    if (delayMs < Infinity) this.#lookIn(delayMs);
  }

  /** Resolves to the time until a session that was left alone is quiet; infinite if there is none. Never rejects: the queue reports errors. */
  async #judgeAll(): Promise<number> {
    let quietInMs = Infinity;
    for (const filePath of this.#recent()) {
      if (this.#isStopped) break;
      const entry = this.#deps.entries.get(filePath);
      if (entry === undefined || entry.stamp === null || !this.#isWanted(entry, entry.stamp)) continue;
      const restMs = QUIET_MS - (this.#deps.clock.now() - entry.stamp.mtimeMs);
      // A time in the future is the mark of a wrong clock.
      if (restMs > 0 && restMs <= QUIET_MS) {
        quietInMs = Math.min(quietInMs, restMs);
        continue;
      }
      this.#tried.set(filePath, entry.stamp);
      await this.#deps.queue.add('judge', filePath, 'idle').catch(() => undefined);
    }
    return quietInMs;
  }

  #isWanted({ found, stamp, isOutdated }: SessionEntry, at: FileStamp): boolean {
    if (isOutdated || at.size > MAX_UNASKED_BYTES || this.#deps.isLive(found.id)) return false;
    if (isSameStamp(this.#tried.get(found.path) ?? null, stamp)) return false;
    // What has changed since is scanned first, and looked at again then.
    if (!isSameStamp(this.#deps.files.stampNow(found.path), stamp)) return false;
    return this.#deps.jobs.judged(found.path) === null;
  }

  /** Paths of the most recent sessions of each open folder, the most recent one first. */
  #recent(): readonly string[] {
    const byFolder = new Map<number, SessionEntry[]>();
    for (const entry of this.#deps.entries.values()) {
      const folder = entry.absence === undefined && entry.stamp !== null ? this.#deps.folderOf(entry) : -1;
      if (folder < 0) continue;
      const ofFolder = byFolder.get(folder);
      if (ofFolder === undefined) byFolder.set(folder, [entry]);
      else ofFolder.push(entry);
    }
    const latestFirst = (entries: SessionEntry[]): SessionEntry[] =>
      entries.toSorted((a, b) => activityMs(b) - activityMs(a));
    const recent = [...byFolder.values()].flatMap((entries) => latestFirst(entries).slice(0, MAX_PER_FOLDER));
    return latestFirst(recent).map(({ found }) => found.path);
  }
}
