import type { ToolRange, ToolUsage } from '../../protocol/usage';
import type { ScannerFactory } from '../transcript/scanner';
import { type Clock, createPacer } from '../util/scheduling';
import type { CountedFile } from './configDirUsage';
import { statUsageFile } from './listUsageFiles';
import type { StoredCalls, ToolCache } from './toolCache';
import { CALL_WORDS, CallWord, readToolCalls, type TranscriptCalls } from './toolCalls';
import { quarterOf } from './buckets';
import { describeTools, type ToolQuestion } from './toolTotals';
import { isSameUsageStamp, type UsageStamp } from './usageFiles';

export interface ToolCounterDeps {
  readonly createScanner: ScannerFactory;
  /** Null if nothing is stored. */
  readonly cache: Pick<ToolCache, 'load' | 'save'> | null;
  /** Whether more important work is in progress; reading waits for it. */
  readonly isBusy: () => boolean;
  readonly clock: Clock;
}

/** The calls of a transcript. One that could not be read has none, until it changes. */
interface KnownCalls extends StoredCalls {
  readonly isUnreadable: boolean;
}

/** Longest work between two turns of the event loop, in milliseconds. */
const TURN_MS = 5;
/** How often the counter checks whether more important work has ended. */
const BUSY_POLL_MS = 200;
/** How often the calls are saved during a long count. */
const SAVE_INTERVAL_MS = 60_000;
/** A transcript that grows is read again as a whole, therefore not until so long after the last time for each whole MiB. */
const REST_MS_PER_MIB = 1000;
const MIB = 1024 * 1024;
/** So many different names are kept of all transcripts; calls of further ones have no name. */
const MAX_NAMES = 20_000;

/** Counts the calls of tools in transcripts whose tokens are counted. Reads nothing before the first call. */
export class ToolCounter {
  readonly #deps: ToolCounterDeps;
  readonly #pacer = createPacer(TURN_MS);
  readonly #stop = new AbortController();
  readonly #names = new Map<string, number>();
  #known: Map<string, KnownCalls> | null = null;
  /** Increases with each change of the calls. */
  #revision = 0;
  #savedRevision = 0;
  #savedMs = 0;
  #described: {
    readonly revision: number;
    readonly question: ToolQuestion;
    readonly ranges: readonly ToolRange[];
  } | null = null;

  constructor(deps: ToolCounterDeps) {
    this.#deps = deps;
  }

  /**
   * Reads transcripts that changed, the latest first, until all are read or the time is over, and returns the calls known by then.
   * One call at a time. Rejects if the counter is closed.
   *
   * @param files all transcripts, by path
   * @param forMs takes longer only to complete a transcript
   */
  async count(files: ReadonlyMap<string, CountedFile>, question: ToolQuestion, forMs: number): Promise<ToolUsage> {
    const { clock } = this.#deps;
    const known = this.#load();
    for (const filePath of known.keys()) {
      if (files.has(filePath)) continue;
      known.delete(filePath);
      this.#revision++;
    }
    const waiting = await this.#readUntil(clock.now() + forMs, [...files.values()]);
    if (waiting === 0 || Math.abs(clock.now() - this.#savedMs) >= SAVE_INTERVAL_MS) await this.save();
    const ranges = await this.#describe(question);
    const unreadable = [...known.values()].filter(({ isUnreadable }) => isUnreadable).length;
    return { ranges, files: { total: files.size, waiting, unreadable } };
  }

  /** Stops all reading, for good. */
  close(): void {
    this.#stop.abort();
  }

  async save(): Promise<void> {
    const { cache, clock } = this.#deps;
    if (cache === null || this.#known === null || this.#savedRevision === this.#revision) return;
    const revision = this.#revision;
    this.#savedMs = clock.now();
    const files = new Map([...this.#known].filter(([, { isUnreadable }]) => !isUnreadable));
    const isSaved = await cache.save({ names: [...this.#names.keys()], files }, (path) => statUsageFile(path) === null);
    if (isSaved) this.#savedRevision = revision;
  }

  /** Returns the number of transcripts that are still to be read. */
  async #readUntil(endMs: number, files: readonly CountedFile[]): Promise<number> {
    const { clock, isBusy } = this.#deps;
    const due = files.filter((file) => this.#isDue(file));
    due.sort((a, b) => (a.stamp.mtimeNs > b.stamp.mtimeNs ? -1 : 1));
    for (const [at, { place, stamp }] of due.entries()) {
      while (isBusy() && clock.now() < endMs) await new Promise<void>((resolve) => clock.after(BUSY_POLL_MS, resolve));
      this.#stop.signal.throwIfAborted();
      if (clock.now() >= endMs) return due.length - at;
      await this.#read(place.filePath, stamp);
    }
    return 0;
  }

  #isDue({ place, stamp }: CountedFile): boolean {
    const known = this.#known?.get(place.filePath);
    if (known === undefined) return true;
    if (isSameUsageStamp(known.stamp, stamp)) return false;
    // A clock can be set back.
    const ageMs = Math.abs(this.#deps.clock.now() - known.readAtMs);
    return ageMs >= Math.floor(stamp.size / MIB) * REST_MS_PER_MIB;
  }

  async #read(filePath: string, stamp: UsageStamp): Promise<void> {
    const { signal } = this.#stop;
    const readAtMs = this.#deps.clock.now();
    let calls: TranscriptCalls = { names: [], words: new Uint32Array(0) };
    let isUnreadable = false;
    try {
      calls = await readToolCalls(filePath, this.#deps.createScanner, this.#pacer, signal);
    } catch {
      signal.throwIfAborted();
      // Whoever counts its tokens tells why.
      isUnreadable = true;
    }
    this.#known?.set(filePath, { stamp, readAtMs, words: this.#renumber(calls), isUnreadable });
    this.#revision++;
  }

  /** The words with the positions of the names in the list of all names. */
  #renumber({ names, words }: TranscriptCalls): Uint32Array {
    const numbers = names.map((name) => this.#numberOf(name));
    for (let at = CallWord.name; at < words.length; at += CALL_WORDS) {
      words[at] = numbers[(words[at] ?? 0) - 1] ?? 0;
    }
    return words;
  }

  #numberOf(name: string): number {
    const known = this.#names.get(name);
    if (known !== undefined) return known;
    if (this.#names.size >= MAX_NAMES) return 0;
    this.#names.set(name, this.#names.size + 1);
    return this.#names.size;
  }

  #load(): Map<string, KnownCalls> {
    if (this.#known !== null) return this.#known;
    const stored = this.#deps.cache?.load() ?? null;
    const known = new Map<string, KnownCalls>();
    for (const name of stored?.names ?? []) this.#names.set(name, this.#names.size + 1);
    for (const [filePath, calls] of stored?.files ?? []) known.set(filePath, { ...calls, isUnreadable: false });
    this.#known = known;
    return known;
  }

  async #describe(question: ToolQuestion): Promise<readonly ToolRange[]> {
    const before = this.#described;
    const revision = this.#revision;
    if (before !== null && before.revision === revision && isSameDay(before.question, question)) return before.ranges;
    const transcripts = [...(this.#known?.values() ?? [])].map(({ words }) => words);
    const ranges = await describeTools(transcripts, [...this.#names.keys()], question, this.#pacer);
    this.#described = { revision, question, ranges };
    return ranges;
  }
}

function isSameDay(a: ToolQuestion, b: ToolQuestion): boolean {
  return a.calendar === b.calendar && a.calendar.dayOf(quarterOf(a.nowMs)) === b.calendar.dayOf(quarterOf(b.nowMs));
}
