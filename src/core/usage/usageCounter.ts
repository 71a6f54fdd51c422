import { stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { sessionFolderOf, subagentsFolderOf } from '../providers/claude/format/paths';
import type { LiveTranscript } from '../transcript/liveTranscript';
import {
  type LiveSubscription,
  type LiveTranscripts,
  MAX_FOLLOWED,
  MAX_FOLLOWED_BYTES,
} from '../transcript/liveTranscripts';
import type { ScannerFactory } from '../transcript/scanner';
import { fileProblem } from '../util/openForeignFile';
import { type Clock, createPacer, type Pacer } from '../util/scheduling';
import { ConfigDirUsage } from './configDirUsage';
import { type ListedUsageFile, listUsageFiles, statUsageFile } from './listUsageFiles';
import type { UsageCache } from './usageCache';
import type { UsageFile, UsageStamp } from './usageFiles';
import { readUsage, UsageFollower } from './usageReading';

export interface UsageCounterDeps {
  /** Absolute path of Claude Code's config folder. */
  readonly configDir: string;
  /** Absolute paths of further config folders, which may change; absent if there are none. A missing one counts as empty. */
  readonly extraConfigDirs?: () => readonly string[];
  readonly createScanner: ScannerFactory;
  readonly transcripts: Pick<LiveTranscripts, 'open'>;
  /** Null if counts must not be stored. */
  readonly cache: UsageCache | null;
  /** Sessions with a running client, by session id. */
  readonly liveSessions: () => Promise<ReadonlySet<string>>;
  /** Whether more important work is in progress; counting waits for it. */
  readonly isBusy: () => boolean;
  readonly clock: Clock;
}

/** A followed transcript, whose session is running or was running before. */
interface Followed {
  readonly place: UsageFile;
  readonly open: LiveSubscription;
  readonly follower: UsageFollower;
  isListening: boolean;
}

/** Longest work between two turns of the event loop, in milliseconds. */
const TURN_MS = 5;
/** Number of messages that are prepared between two checks of the clock. */
const PREPARED_AT_ONCE = 5000;
/** How often the counter checks whether more important work has ended. */
const BUSY_POLL_MS = 200;

/** Keeps the usage of the config folders up to date with its transcripts. Reads nothing before the first call. */
export class UsageCounter {
  readonly #deps: UsageCounterDeps;
  readonly #pacer: Pacer = createPacer(TURN_MS);
  readonly #stop = new AbortController();
  #usage: ConfigDirUsage | null = null;
  #counting: Promise<void> | null = null;
  readonly #waiting = new Set<string>();
  #isListed = false;
  #problem: string | null = null;
  /** By path, least recently read first. */
  readonly #followers = new Map<string, Followed>();
  /** Called whenever figures may have changed. */
  onChange: () => void = () => undefined;

  constructor(deps: UsageCounterDeps) {
    this.#deps = deps;
  }

  /** Loaded from the cache by the first call. */
  get usage(): ConfigDirUsage {
    if (this.#usage !== null) return this.#usage;
    this.#usage = new ConfigDirUsage(this.#deps.cache?.load() ?? null);
    // The cache may still contain a config folder that is not one any more.
    const isListable = this.#listable();
    for (const filePath of [...this.#usage.files.keys()]) if (!isListable(filePath)) this.#usage.remove(filePath);
    return this.#usage;
  }

  /** Number of transcripts that still have to be read. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Number of these transcripts that have never been read. */
  get unread(): number {
    let unread = 0;
    for (const filePath of this.#waiting) if (!this.usage.files.has(filePath)) unread++;
    return unread;
  }

  /** Whether all transcripts have been listed since the start. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Why some transcripts could not be counted, in a sentence for people; null if all could. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Stops all reading, for good. */
  close(): void {
    this.#stop.abort();
    for (const filePath of [...this.#followers.keys()]) this.#drop(filePath);
  }

  /** Stops watching running sessions until the next call of `countLive`. */
  rest(): void {
    for (const followed of this.#followers.values()) {
      followed.isListening = false;
      followed.open.listen(null);
    }
  }

  /**
   * Lists all transcripts and reads those that changed. A call while another one is in progress shares its result.
   * Rejects if the transcripts cannot be listed, or if the counter is closed.
   */
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
   * Reads the session's transcripts that changed, including those of its subagents. Null if there is no such session.
   * Rejects with a sentence for people if the session's own transcript cannot be read.
   */
  async countSession(filePath: string): Promise<ListedUsageFile | null> {
    const main = statUsageFile(filePath);
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

  /**
   * Counts those of the sessions again whose transcript is not the one that was counted, together with their subagents.
   * Rejects only if the counter is closed: a session that cannot be read is reported by `count`.
   */
  async countChanged(filePaths: readonly string[]): Promise<void> {
    for (const filePath of filePaths) {
      await this.#pacer.yieldIfDue();
      this.#stop.signal.throwIfAborted();
      const main = statUsageFile(filePath);
      const isCounted = main === null ? !this.usage.files.has(filePath) : this.usage.isCurrent(filePath, main.stamp);
      if (isCounted) continue;
      await this.countSession(filePath).catch(() => undefined);
      this.onChange();
    }
  }

  /**
   * Finds the transcripts of the running sessions and follows them, so that appended rows are counted as soon as they
   * are read. Resolves to true if a running session has no known transcript yet.
   */
  async countLive(): Promise<boolean> {
    const live = await this.#deps.liveSessions();
    if (live.size === 0 || this.#stop.signal.aborted) return false;
    const known = new Set<string>();
    const running: UsageFile[] = [];
    for (const { place } of this.usage.files.values()) {
      if (!place.isAgent && live.has(place.sessionId)) running.push(place);
    }
    for (const place of running) {
      known.add(place.sessionId);
      const main = this.#lookAtLive(place);
      if (main === null) continue;
      for (const listed of await this.#withSubagents(main)) await this.#readIfChanged(listed, true);
    }
    return [...live].some((id) => !known.has(id));
  }

  /** The follower of a transcript; null if the transcript is not followed. */
  follower(filePath: string): UsageFollower | null {
    return this.#followers.get(filePath)?.follower ?? null;
  }

  /** Resolves once no more important work is in progress, or the counter is closed. */
  async idle(): Promise<void> {
    const { clock, isBusy } = this.#deps;
    while (isBusy() && !this.#stop.signal.aborted) {
      await new Promise<void>((resolve) => clock.after(BUSY_POLL_MS, resolve));
    }
  }

  async save(): Promise<void> {
    // Another window may have counted transcripts that this window has not listed, so the disk decides whether they are
    // gone.
    const isListable = this.#listable();
    const isGone = (filePath: string): boolean => !isListable(filePath) || statUsageFile(filePath) === null;
    if (this.#usage !== null) await this.#deps.cache?.save(this.#usage, isGone);
  }

  async #count(): Promise<void> {
    const { signal } = this.#stop;
    const { usage } = this;
    // Let callers receive the known figures before this work keeps the thread busy.
    await new Promise(setImmediate);
    while (!usage.index.prepare(PREPARED_AT_ONCE)) await this.#pacer.yieldIfDue();
    const listed = new Set<string>();
    const outdated: ListedUsageFile[] = [];
    const problems: string[] = [];
    for (const configDir of this.#configDirs) {
      try {
        // A missing config folder counts as empty.
        if (!(await isFolder(configDir))) continue;
        for await (const file of listUsageFiles([configDir], this.#pacer, signal)) {
          listed.add(file.place.filePath);
          if (!usage.isCurrent(file.place.filePath, file.stamp)) outdated.push(file);
        }
      } catch (error) {
        signal.throwIfAborted();
        if (configDir === this.#deps.configDir) throw error;
        problems.push(fileProblem(error, configDir).message);
      }
    }
    signal.throwIfAborted();
    for (const filePath of [...usage.files.keys()]) if (!listed.has(filePath)) this.#remove(filePath);
    this.#isListed = true;
    // The latest first, because they make up the days that the view shows.
    outdated.sort((a, b) => (a.stamp.mtimeNs > b.stamp.mtimeNs ? -1 : 1));
    this.#waiting.clear();
    for (const { place } of outdated) this.#waiting.add(place.filePath);
    this.onChange();
    for (const file of outdated) {
      await this.idle();
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
    this.usage.remove(filePath);
    // If the transcript reappears, it is read from its start.
    this.#drop(filePath);
  }

  /** Resolves to the reason why the transcript could not be read, in a sentence for people; null on success. */
  async #readIfChanged({ place, stamp }: ListedUsageFile, isLive: boolean): Promise<string | null> {
    const { usage } = this;
    if (usage.isCurrent(place.filePath, stamp)) return null;
    const { createScanner, clock } = this.#deps;
    const file = { place, stamp, readAtMs: clock.now() };
    try {
      // For a transcript that is already followed, reading only the appended rows is cheaper.
      const isFollowed = (isLive && stamp.size <= MAX_FOLLOWED_BYTES) || this.#followers.has(place.filePath);
      const reading = isFollowed
        ? await this.#follow(place, isLive).read()
        : await readUsage(place.filePath, createScanner, this.#pacer, this.#stop.signal);
      if (reading === null) usage.touch(file);
      else usage.take(file, reading);
      this.onChange();
      return null;
    } catch (error) {
      this.#stop.signal.throwIfAborted();
      const failure = this.follower(place.filePath)?.transcript.failure ?? fileProblem(error, place.filePath);
      this.#drop(place.filePath);
      return failure.message;
    }
  }

  #follow(place: UsageFile, isLive: boolean): UsageFollower {
    const { filePath } = place;
    const known = this.#followers.get(filePath);
    this.#followers.delete(filePath);
    const followed = known ?? this.#newFollowed(place);
    this.#followers.set(filePath, followed);
    if (isLive) this.#listen(followed);
    const [oldest] = this.#followers.keys();
    if (this.#followers.size > MAX_FOLLOWED && oldest !== undefined) this.#drop(oldest);
    return followed.follower;
  }

  #newFollowed(place: UsageFile): Followed {
    const open = this.#deps.transcripts.open(place.filePath);
    return { place, open, follower: new UsageFollower(open), isListening: false };
  }

  #listen(followed: Followed): void {
    if (followed.isListening) return;
    followed.isListening = true;
    followed.open.listen(() => {
      this.#takeAppended(followed);
    });
  }

  /** Counts the rows that a followed transcript has read. */
  #takeAppended(followed: Followed): void {
    const { place, follower } = followed;
    const { filePath } = place;
    const stamp = stampOf(follower.transcript);
    // A transcript that was never counted is about to be read as a whole.
    if (stamp === null || this.#stop.signal.aborted || !this.usage.files.has(filePath)) return;
    const reading = follower.take();
    if (reading === null) return;
    this.usage.take({ place, stamp, readAtMs: this.#deps.clock.now() }, reading);
    if (this.#followers.delete(filePath)) this.#followers.set(filePath, followed);
    this.onChange();
  }

  #drop(filePath: string): void {
    this.#followers.get(filePath)?.open.close();
    this.#followers.delete(filePath);
  }

  /** The stamp of the last reading if the transcript is followed, or else the stamp on the disk. */
  #lookAtLive(place: UsageFile): ListedUsageFile | null {
    const followed = this.#followers.get(place.filePath);
    if (followed?.isListening !== true) return statUsageFile(place.filePath);
    const stamp = stampOf(followed.follower.transcript);
    return stamp === null ? statUsageFile(place.filePath) : { place, stamp };
  }

  async #withSubagents(main: ListedUsageFile): Promise<ListedUsageFile[]> {
    const { filePath, project, sessionId } = main.place;
    const folder = subagentsFolderOf(sessionFolderOf(filePath));
    const listed = [main];
    if (await isFolder(folder)) {
      for await (const each of listUsageFiles([folder], this.#pacer, this.#stop.signal)) listed.push(each);
    }
    // Subagents' transcripts beside the session's are known from the last complete listing.
    for (const { place } of this.usage.index.session(project, sessionId)?.files ?? []) {
      const known = listed.some((each) => each.place.filePath === place.filePath)
        ? null
        : statUsageFile(place.filePath);
      if (known !== null) listed.push(known);
    }
    return listed;
  }

  get #configDirs(): readonly string[] {
    return [this.#deps.configDir, ...(this.#deps.extraConfigDirs?.() ?? [])];
  }

  /** Tells whether a transcript is in a config folder. */
  #listable(): (filePath: string) => boolean {
    const prefixes = this.#configDirs.map((configDir) => resolve(configDir) + sep);
    return (filePath) => prefixes.some((prefix) => filePath.startsWith(prefix));
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** The stamp that the transcript had before its last reading; null if it has not been read, or cannot be. */
function stampOf({ reading }: LiveTranscript): UsageStamp | null {
  if (reading === null) return null;
  const { size, mtimeNs, ctimeNs, ino } = reading.identity;
  return { size: Number(size), mtimeNs, ctimeNs, inode: ino };
}
