import { hasLongPrompt, type MessageCounts } from './messageIndex';

/** Number of sums per bucket: the number of messages, then the counts. */
export const BUCKET_SUMS = 8;
const FIRST_BUCKETS = 1024;
/** Share of filled slots above which the table grows. */
const MAX_LOAD = 0.5;

/** The stored buckets, and one row of sums for each. */
export interface StoredBuckets {
  readonly quarters: Int32Array;
  readonly classes: Int32Array;
  readonly projects: Int32Array;
  /** `BUCKET_SUMS` per bucket. */
  readonly sums: Float64Array;
}

/** The summed usage of all messages with the same quarter of an hour, model, project and price class. */
export interface UsageBucket extends MessageCounts {
  readonly quarter: number;
  readonly model: number;
  readonly project: number;
  /** Whether the prompts are longer than `LONG_PROMPT_TOKENS`. */
  readonly isLong: boolean;
  readonly messages: number;
}

/** Sums of messages, in buckets small enough for every query. Messages can be added and removed. */
export class UsageBuckets {
  #quarters: Int32Array;
  /** Twice the number of the model, plus 1 for long prompts. */
  #classes: Int32Array;
  #projects: Int32Array;
  #sums: Float64Array;
  /** Bucket + 1, or 0 for a free slot. Empty until the first lookup. */
  #slots: Int32Array;
  #count = 0;
  /** Consecutive messages of a transcript are usually in one bucket. */
  #last = -1;
  #earliestChange = Infinity;

  /** @param stored buckets from the cache file */
  constructor(stored: StoredBuckets = NO_BUCKETS) {
    this.#quarters = stored.quarters;
    this.#classes = stored.classes;
    this.#projects = stored.projects;
    this.#sums = stored.sums;
    this.#count = stored.quarters.length;
    this.#slots = new Int32Array(0);
  }

  /** What the cache file stores. */
  get stored(): StoredBuckets {
    const count = this.#count;
    return {
      quarters: this.#quarters.subarray(0, count),
      classes: this.#classes.subarray(0, count),
      projects: this.#projects.subarray(0, count),
      sums: this.#sums.subarray(0, count * BUCKET_SUMS),
    };
  }

  /** Adds a message. */
  add(quarter: number, model: number, project: number, counts: MessageCounts): void {
    const at = this.#sumsOf(quarter, model, project, counts);
    const sums = this.#sums;
    sums[at] = (sums[at] ?? 0) + 1;
    sums[at + 1] = (sums[at + 1] ?? 0) + counts.input;
    sums[at + 2] = (sums[at + 2] ?? 0) + counts.output;
    sums[at + 3] = (sums[at + 3] ?? 0) + counts.writes;
    sums[at + 4] = (sums[at + 4] ?? 0) + counts.writes1h;
    sums[at + 5] = (sums[at + 5] ?? 0) + counts.reads;
    sums[at + 6] = (sums[at + 6] ?? 0) + counts.searches;
    sums[at + 7] = (sums[at + 7] ?? 0) + counts.fetches;
  }

  /** Removes a message that was added before. */
  remove(quarter: number, model: number, project: number, counts: MessageCounts): void {
    const at = this.#sumsOf(quarter, model, project, counts);
    const sums = this.#sums;
    sums[at] = (sums[at] ?? 0) - 1;
    sums[at + 1] = (sums[at + 1] ?? 0) - counts.input;
    sums[at + 2] = (sums[at + 2] ?? 0) - counts.output;
    sums[at + 3] = (sums[at + 3] ?? 0) - counts.writes;
    sums[at + 4] = (sums[at + 4] ?? 0) - counts.writes1h;
    sums[at + 5] = (sums[at + 5] ?? 0) - counts.reads;
    sums[at + 6] = (sums[at + 6] ?? 0) - counts.searches;
    sums[at + 7] = (sums[at + 7] ?? 0) - counts.fetches;
  }

  /** The number of buckets. A bucket keeps its position. */
  get count(): number {
    return this.#count;
  }

  quarterAt(place: number): number {
    return this.#quarters[place] ?? 0;
  }

  /** The earliest quarter that changed since `forgetChanges`; Infinity if none did. */
  get earliestChange(): number {
    return this.#earliestChange;
  }

  forgetChanges(): void {
    this.#earliestChange = Infinity;
  }

  /**
   * Visits the buckets that hold messages, in no particular order. The argument of `visit` is valid until it returns.
   */
  forEach(visit: (bucket: UsageBucket) => void): void {
    this.#visit(this.#count, (at) => at, visit);
  }

  /** Like `forEach`, for the buckets at the given positions. */
  forEachAt(places: readonly number[], visit: (bucket: UsageBucket) => void): void {
    this.#visit(places.length, (at) => places[at] ?? 0, visit);
  }

  #visit(count: number, placeOf: (at: number) => number, visit: (bucket: UsageBucket) => void): void {
    const bucket = new ReusedBucket();
    const sums = this.#sums;
    for (let turn = 0; turn < count; turn++) {
      const index = placeOf(turn);
      const at = index * BUCKET_SUMS;
      bucket.messages = sums[at] ?? 0;
      if (bucket.messages === 0) continue;
      const priceClass = this.#classes[index] ?? 0;
      bucket.quarter = this.#quarters[index] ?? 0;
      bucket.model = priceClass >> 1;
      bucket.isLong = (priceClass & 1) !== 0;
      bucket.project = this.#projects[index] ?? 0;
      bucket.input = sums[at + 1] ?? 0;
      bucket.output = sums[at + 2] ?? 0;
      bucket.writes = sums[at + 3] ?? 0;
      bucket.writes1h = sums[at + 4] ?? 0;
      bucket.reads = sums[at + 5] ?? 0;
      bucket.searches = sums[at + 6] ?? 0;
      bucket.fetches = sums[at + 7] ?? 0;
      visit(bucket);
    }
  }

  /** The index of the first sum of the message's bucket. */
  #sumsOf(quarter: number, model: number, project: number, counts: MessageCounts): number {
    if (quarter < this.#earliestChange) this.#earliestChange = quarter;
    return this.#cellOf(quarter, model * 2 + (hasLongPrompt(counts) ? 1 : 0), project) * BUCKET_SUMS;
  }

  #cellOf(quarter: number, priceClass: number, project: number): number {
    if (this.#last >= 0 && this.#isOf(this.#last, quarter, priceClass, project)) return this.#last;
    if (this.#count >= this.#slots.length * MAX_LOAD) this.#grow();
    const mask = this.#slots.length - 1;
    let slot = spread(quarter, priceClass, project) & mask;
    for (let bucket = (this.#slots[slot] ?? 0) - 1; bucket >= 0; bucket = (this.#slots[slot] ?? 0) - 1) {
      if (this.#isOf(bucket, quarter, priceClass, project)) return (this.#last = bucket);
      slot = (slot + 1) & mask;
    }
    const bucket = this.#count++;
    this.#quarters[bucket] = quarter;
    this.#classes[bucket] = priceClass;
    this.#projects[bucket] = project;
    this.#slots[slot] = bucket + 1;
    return (this.#last = bucket);
  }

  #isOf(bucket: number, quarter: number, priceClass: number, project: number): boolean {
    return (
      this.#quarters[bucket] === quarter && this.#classes[bucket] === priceClass && this.#projects[bucket] === project
    );
  }

  #grow(): void {
    const capacity = Math.max(FIRST_BUCKETS, 2 ** Math.ceil(Math.log2(this.#count + 1)) * 2);
    this.#quarters = grown(this.#quarters, new Int32Array(capacity));
    this.#classes = grown(this.#classes, new Int32Array(capacity));
    this.#projects = grown(this.#projects, new Int32Array(capacity));
    this.#sums = grown(this.#sums, new Float64Array(capacity * BUCKET_SUMS));
    this.#slots = new Int32Array(capacity / MAX_LOAD);
    for (let bucket = 0; bucket < this.#count; bucket++) this.#insert(bucket);
  }

  #insert(bucket: number): void {
    const mask = this.#slots.length - 1;
    let slot = spread(this.#quarters[bucket] ?? 0, this.#classes[bucket] ?? 0, this.#projects[bucket] ?? 0) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = bucket + 1;
  }
}

const NO_BUCKETS: StoredBuckets = {
  quarters: new Int32Array(0),
  classes: new Int32Array(0),
  projects: new Int32Array(0),
  sums: new Float64Array(0),
};

class ReusedBucket implements UsageBucket {
  quarter = 0;
  model = 0;
  project = 0;
  isLong = false;
  messages = 0;
  input = 0;
  output = 0;
  writes = 0;
  writes1h = 0;
  reads = 0;
  searches = 0;
  fetches = 0;
}

function grown<T extends Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

function spread(quarter: number, priceClass: number, project: number): number {
  let hash =
    Math.imul(quarter, 0x9e3779b1) ^ Math.imul(priceClass + 1, 0x85ebca6b) ^ Math.imul(project + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

/**
 * Times are stored as quarters of an hour since the epoch. Since before the first transcripts, the offset of every time
 * zone is a whole number of quarters, so the days of any zone consist of whole quarters. (A test checks all zones that
 * the runtime knows.)
 */
export const QUARTER_MS = 15 * 60_000;

/** An unknown time. */
export const NO_TIME = -(2 ** 31);

/** End of the year 9999; later times count as unknown. */
const MAX_MS = Date.UTC(10_000, 0, 1);

/** `NO_TIME` for NaN, times before 1970 and times after the year 9999. */
export function quarterOf(timeMs: number): number {
  return timeMs >= 0 && timeMs < MAX_MS ? Math.floor(timeMs / QUARTER_MS) : NO_TIME;
}
