import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { LiveStatus } from '../../protocol/session';
import type { ScannerFactory } from '../transcript/scanner';
import { fileProblem } from '../util/openForeignFile';
import { type Clock, createPacer, type Pacer } from '../util/scheduling';
import { type ListedUsageFile, listUsageFiles, lookAt } from './listUsageFiles';
import { UsageBook } from './usageBook';
import type { UsageCache } from './usageCache';
import type { UsageFile } from './usageFiles';
import { readUsage, UsageFollower } from './usageReading';

export interface UsageCounterParts {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: string;
  readonly createScanner: ScannerFactory;
  /** null when nothing may be kept. */
  readonly cache: UsageCache | null;
  /** Sessions with a running client, by session id. */
  readonly liveSessions: () => Promise<ReadonlyMap<string, LiveStatus>>;
  /** Something that matters more is under way: counting waits. */
  readonly isBusy: () => boolean;
  readonly clock: Clock;
}

/** Longest work between two turns of the event loop. */
const TURN_MS = 5;
/** Messages that are prepared between two looks at the clock. */
const PREPARED_AT_ONCE = 5000;
/** How often is asked whether what matters more is over. */
const BUSY_POLL_MS = 200;
/** Sessions that run at the same time are few; each that is followed holds some megabytes. */
const MAX_FOLLOWED = 8;
/** The first reading of a follower takes all of the file in one go. */
const MAX_FOLLOWED_BYTES = 128 * 1024 * 1024;

/** Keeps the book of a config folder in step with its transcripts. Nothing is read before the first call. */
export class UsageCounter {
  readonly #parts: UsageCounterParts;
  readonly #pacer: Pacer = createPacer(TURN_MS);
  readonly #stop = new AbortController();
  #book: UsageBook | null = null;
  #counting: Promise<void> | null = null;
  readonly #waiting = new Set<string>();
  #isListed = false;
  #problem: string | null = null;
  /** The one that was read last comes last. */
  readonly #followers = new Map<string, UsageFollower>();
  /** Called whenever figures may have changed. */
  onChange: () => void = () => undefined;

  constructor(parts: UsageCounterParts) {
    this.#parts = parts;
  }

  /** Made from the cache at the first call. */
  get book(): UsageBook {
    this.#book ??= new UsageBook(this.#parts.cache?.load() ?? null);
    return this.#book;
  }

  /** Transcripts that are to be read yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Those of them that were never read before. */
  get unread(): number {
    let unread = 0;
    for (const filePath of this.#waiting) if (!this.book.files.has(filePath)) unread++;
    return unread;
  }

  /** All transcripts were listed since the start. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Why some of it could not be counted; null when everything could. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Nothing is read any more. */
  close(): void {
    this.#stop.abort();
    this.#followers.clear();
  }

  /** Lists everything and reads what changed. Who asks while that is under way gets its end. Rejects when it is closed. */
  count(): Promise<void> {
    this.#counting ??= this.#count()
      .catch((error: unknown) => {
        this.#stop.signal.throwIfAborted();
        this.#problem = error instanceof Error ? error.message : String(error);
        this.onChange();
        throw error;
      })
      .finally(() => {
        this.#counting = null;
      });
    return this.#counting;
  }

  /**
   * Reads those of the session's transcripts that changed. null when there is no such transcript; rejects with a sentence
   * for people when it cannot be read.
   */
  async countSession(filePath: string): Promise<ListedUsageFile | null> {
    const main = lookAt(filePath);
    if (main === null) {
      this.#remove(filePath);
      return null;
    }
    for (const listed of await this.#withSubagents(main)) {
      const problem = await this.#readIfChanged(listed, false);
      if (problem !== null && listed === main) throw new Error(problem);
    }
    return main;
  }

  /** Looks at the sessions that run, and reads what was appended. True when a running one is not known yet. */
  async countLive(): Promise<boolean> {
    const live = await this.#parts.liveSessions();
    if (live.size === 0 || this.#stop.signal.aborted) return false;
    const known = new Set<string>();
    const running: UsageFile[] = [];
    for (const { place } of this.book.files.values()) {
      if (!place.isAgent && live.has(place.sessionId)) running.push(place);
    }
    for (const place of running) {
      known.add(place.sessionId);
      const main = lookAt(place.filePath);
      if (main === null) continue;
      for (const listed of await this.#withSubagents(main)) await this.#readIfChanged(listed, true);
    }
    return [...live.keys()].some((id) => !known.has(id));
  }

  /** The follower of a transcript that is followed. */
  follower(filePath: string): UsageFollower | null {
    return this.#followers.get(filePath) ?? null;
  }

  async save(): Promise<void> {
    // What this window has not listed, another one may have since.
    if (this.#book !== null) await this.#parts.cache?.save(this.#book, (filePath) => lookAt(filePath) === null);
  }

  async #count(): Promise<void> {
    const { signal } = this.#stop;
    const { book } = this;
    // Whoever asked gets what is known before the thread is busy with this.
    await new Promise(setImmediate);
    while (!book.ledger.prepare(PREPARED_AT_ONCE)) await this.#pacer.pause();
    const listed = new Set<string>();
    const outdated: ListedUsageFile[] = [];
    const problems: string[] = [];
    if (await this.#hasFolder()) {
      for await (const file of listUsageFiles([this.#parts.configDir], this.#pacer, signal)) {
        listed.add(file.place.filePath);
        if (!book.isCurrent(file.place.filePath, file.stamp)) outdated.push(file);
      }
    }
    signal.throwIfAborted();
    for (const filePath of [...book.files.keys()]) if (!listed.has(filePath)) this.#remove(filePath);
    this.#isListed = true;
    // The latest first: they are what the days of the view are made of.
    outdated.sort((a, b) => (a.stamp.mtimeNs > b.stamp.mtimeNs ? -1 : 1));
    this.#waiting.clear();
    for (const { place } of outdated) this.#waiting.add(place.filePath);
    this.onChange();
    for (const file of outdated) {
      await this.#idle();
      signal.throwIfAborted();
      const problem = await this.#readIfChanged(file, false);
      if (problem !== null) problems.push(problem);
      this.#waiting.delete(file.place.filePath);
      this.onChange();
    }
    const [first, ...others] = problems;
    this.#problem =
      first === undefined ? null : others.length === 0 ? first : `${first} ${others.length} more could not be read.`;
    this.onChange();
  }

  #remove(filePath: string): void {
    this.book.remove(filePath);
    // What comes back is read from its start.
    this.#followers.delete(filePath);
  }

  /** Why it could not be read; null when it could. */
  async #readIfChanged({ place, stamp }: ListedUsageFile, isLive: boolean): Promise<string | null> {
    const { book } = this;
    if (book.isCurrent(place.filePath, stamp)) return null;
    const { createScanner, clock } = this.#parts;
    const file = { place, stamp, readAtMs: clock.now() };
    try {
      const follower = isLive && stamp.size <= MAX_FOLLOWED_BYTES ? this.#follow(place.filePath) : null;
      // One that is followed already costs less so, whoever asks.
      const reading =
        follower !== null || this.#followers.has(place.filePath)
          ? (follower ?? this.#follow(place.filePath)).read()
          : await readUsage(place.filePath, createScanner, this.#pacer, this.#stop.signal);
      if (reading === null) book.touch(file);
      else book.take(file, reading);
      this.onChange();
      return null;
    } catch (error) {
      this.#stop.signal.throwIfAborted();
      this.#followers.delete(place.filePath);
      return fileProblem(error, place.filePath).message;
    }
  }

  #follow(filePath: string): UsageFollower {
    const follower = this.#followers.get(filePath) ?? new UsageFollower(filePath, this.#parts.createScanner);
    this.#followers.delete(filePath);
    this.#followers.set(filePath, follower);
    const [oldest] = this.#followers.keys();
    if (this.#followers.size > MAX_FOLLOWED && oldest !== undefined) this.#followers.delete(oldest);
    return follower;
  }

  async #withSubagents(main: ListedUsageFile): Promise<ListedUsageFile[]> {
    const { filePath, project, sessionId } = main.place;
    const folder = join(dirname(filePath), basename(filePath, '.jsonl'), 'subagents');
    const listed = [main];
    if (await isFolder(folder)) {
      for await (const each of listUsageFiles([folder], this.#pacer, this.#stop.signal)) listed.push(each);
    }
    // Those beside the session were found when everything was listed.
    for (const { place } of this.book.ledger.session(project, sessionId)?.files ?? []) {
      const known = listed.some((each) => each.place.filePath === place.filePath) ? null : lookAt(place.filePath);
      if (known !== null) listed.push(known);
    }
    return listed;
  }

  async #idle(): Promise<void> {
    const { clock, isBusy } = this.#parts;
    while (isBusy() && !this.#stop.signal.aborted) {
      await new Promise<void>((resolve) => clock.after(BUSY_POLL_MS, resolve));
    }
  }

  /** A config folder that is not there holds nothing. */
  #hasFolder(): Promise<boolean> {
    return isFolder(this.#parts.configDir);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
