import { createHash } from 'node:crypto';
import type { Liveness, ScannedSession } from '../../protocol/session';
import type { FolderMemory, FoundTranscript, ProjectListing, SessionProvider } from '../providers/provider';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import type { Clock, Pacer } from '../util/scheduling';

export interface WatchSessionsDeps {
  readonly provider: Pick<SessionProvider, 'findBatches' | 'scan' | 'readLiveness' | 'liveSessions'>;
  readonly files: Pick<SessionFiles, 'stampNow'>;
  readonly clock: Clock;
  readonly pacer: Pacer;
}

/** The result of a session that is new, or differs from the one before. */
export interface SessionChange {
  readonly session: ScannedSession;
  readonly live: Liveness;
  /** Absolute path of the folder that holds the transcript. */
  readonly projectFolder: string;
}

/** Time between two rounds, in milliseconds, at least. In each, a session is scanned once at most. */
const POLL_MS = 1_000;
/** After a round that took long, as with a hundred thousand sessions, it is so many times as long, up to a limit. */
const ROUND_REST_FACTOR = 20;
const MAX_POLL_MS = 30_000;
/** A session whose scan takes long is left alone for this many times as long, so that it leaves time for the others. */
const REST_FACTOR = 4;
/** The disk limits reading and one thread limits parsing, so more would only cost memory. */
const SCANS_AT_ONCE = 3;
/** Number of transcripts between two checks of the time. */
const PAUSE_EVERY = 100;
/** A folder that changed so shortly before it was listed may change again without another time, in milliseconds. */
const UNSETTLED_MS = 2_000;

interface Known {
  /** From before the scan; null if there was no file. */
  readonly stamp: FileStamp | null;
  readonly digest: string;
  readonly live: Liveness;
  readonly restsUntilMs: number;
}

interface Due {
  readonly found: Pick<FoundTranscript, 'path' | 'projectFolder'>;
  readonly stamp: FileStamp | null;
}

/**
 * The sessions at the paths, as for `find`: each once, and again whenever its result changes. A session that vanishes has the
 * status `missing`, and is then forgotten unless the paths name it. Between two scans of a session, its transcript is only
 * asked for its state. Ends when the signal aborts; never rejects because of what is on disk.
 *
 * Memory: some hundred bytes per session.
 */
export async function* watchSessions(
  paths: readonly string[],
  deps: WatchSessionsDeps,
  signal: AbortSignal,
): AsyncGenerator<SessionChange, void, undefined> {
  const watch = new SessionWatch(paths, deps, signal);
  try {
    while (!signal.aborted) {
      const startMs = deps.clock.now();
      yield* watch.round();
      const restMs = ROUND_REST_FACTOR * (deps.clock.now() - startMs);
      await sleep(deps.clock, Math.min(Math.max(restMs, POLL_MS), MAX_POLL_MS), signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

class SessionWatch {
  readonly #paths: readonly string[];
  readonly #deps: WatchSessionsDeps;
  readonly #signal: AbortSignal;
  readonly #known = new Map<string, Known>();
  readonly #folders: ListedFolders;
  readonly #liveness: ReturnType<SessionProvider['readLiveness']>;

  constructor(paths: readonly string[], deps: WatchSessionsDeps, signal: AbortSignal) {
    this.#paths = paths;
    this.#deps = deps;
    this.#signal = signal;
    this.#folders = new ListedFolders(deps.clock);
    this.#liveness = deps.provider.readLiveness();
  }

  async *round(): AsyncGenerator<SessionChange, void, undefined> {
    const { provider, files } = this.#deps;
    const running = await provider.liveSessions().catch(() => new Set<string>());
    const seen = new Set<string>();
    let due: Due[] = [];
    for await (const batch of provider.findBatches(this.#paths, this.#signal, this.#folders)) {
      for (const found of batch) {
        if (seen.has(found.path)) continue;
        seen.add(found.path);
        await this.#pause(seen.size);
        const stamp = files.stampNow(found.path);
        if (!(await this.#isDue(found, stamp, running.has(found.id)))) continue;
        due.push({ found, stamp });
        if (due.length < SCANS_AT_ONCE) continue;
        yield* this.#scan(due);
        due = [];
      }
    }
    yield* this.#scan(due);
    yield* this.#vanished(seen);
  }

  async #isDue({ path }: FoundTranscript, stamp: FileStamp | null, isRunning: boolean): Promise<boolean> {
    const known = this.#known.get(path);
    if (known === undefined) return true;
    if (this.#deps.clock.now() < known.restsUntilMs) return false;
    if (!isSame(known.stamp, stamp)) return true;
    // Asking is as slow as several stats, so only sessions are asked about that run, or may have run.
    if (!isRunning && known.live === 'not-live') return false;
    return (await this.#liveness(path)).live !== known.live;
  }

  async *#scan(due: readonly Due[]): AsyncGenerator<SessionChange, void, undefined> {
    for (const change of await Promise.all(due.map((each) => this.#scanOne(each)))) if (change !== null) yield change;
  }

  /** Null if the result is the one that is known. */
  async #scanOne({ found: { path, projectFolder }, stamp }: Due): Promise<SessionChange | null> {
    const { provider, clock } = this.#deps;
    const startMs = clock.now();
    const session = await provider.scan(path, { signal: this.#signal });
    const endMs = clock.now();
    const { live } = await this.#liveness(path);
    const digest = digestOf([session.result, session.problem, live]);
    const isChanged = this.#known.get(path)?.digest !== digest;
    this.#known.set(path, { stamp, digest, live, restsUntilMs: endMs + REST_FACTOR * (endMs - startMs) });
    return isChanged ? { session, live, projectFolder } : null;
  }

  async *#vanished(seen: ReadonlySet<string>): AsyncGenerator<SessionChange, void, undefined> {
    for (const path of this.#known.keys()) {
      // A folder that could not be listed says nothing of its transcripts.
      if (seen.has(path) || this.#deps.files.stampNow(path) !== null) continue;
      await this.#pause(0);
      const change = await this.#scanOne({ found: { path, projectFolder: '' }, stamp: null });
      this.#known.delete(path);
      if (change !== null) yield change;
    }
  }

  async #pause(count: number): Promise<void> {
    const turn = count % PAUSE_EVERY === 0 ? this.#deps.pacer.yieldIfDue() : null;
    if (turn !== null) await turn;
    this.#signal.throwIfAborted();
  }
}

/** Remembers folders while they do not change, so that a round lists only those that did. */
class ListedFolders implements FolderMemory {
  readonly #folders = new Map<string, { readonly listing: ProjectListing; readonly stamp: FileStamp }>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  listing(folder: string, stamp: FileStamp): ProjectListing | null {
    const known = this.#folders.get(folder);
    return known !== undefined && isSameStamp(known.stamp, stamp) ? known.listing : null;
  }

  setListing(listing: ProjectListing, stamp: FileStamp): void {
    if (this.clock.now() - stamp.mtimeMs > UNSETTLED_MS) this.#folders.set(listing.folder, { listing, stamp });
    else this.#folders.delete(listing.folder);
  }
}

function isSame(one: FileStamp | null, other: FileStamp | null): boolean {
  return (one === null && other === null) || isSameStamp(one, other);
}

function digestOf(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('base64');
}

/** Resolves when the next round is due, or the signal aborts. */
function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.after(ms, wake);
    if (signal.aborted) wake();
    else signal.addEventListener('abort', wake);
  });
}
