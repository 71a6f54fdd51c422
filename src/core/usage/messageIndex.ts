import type { KeyHash } from '../transcript/idTable';
import { CHUNK_BITS, CHUNK_MASK, Column } from '../util/columns';

/** Share of filled slots above which the table grows. */
const MAX_LOAD = 0.6;
const FIRST_SLOTS = 4096;

/** Finds the first record of a message by its hash, whose two halves are stored in columns. */
export class MessageIndex {
  readonly #low: Column<Uint32Array>;
  readonly #high: Column<Uint32Array>;
  /** Two numbers per slot: record + 1, or 0 for a free slot; and the lower half of the hash, which saves a lookup. */
  #slots: Int32Array;
  #used = 0;

  constructor(low: Column<Uint32Array>, high: Column<Uint32Array>) {
    this.#low = low;
    this.#high = high;
    this.#slots = new Int32Array(FIRST_SLOTS * 2);
  }

  /** Reserves room for `count` messages. */
  reserve(messages: number): void {
    let slots = this.#slots.length / 2;
    while (messages > slots * MAX_LOAD) slots *= 2;
    if (slots * 2 > this.#slots.length) this.#resize(slots);
  }

  /** The first record of the message; `record` itself if it is the first. */
  findOrAdd(record: number): number {
    if (this.#used * 2 >= this.#slots.length * MAX_LOAD) this.#resize(this.#slots.length);
    const at = this.#slotOf(record);
    const known = this.#slots[at] ?? 0;
    if (known !== 0) return known - 1;
    this.#fill(at, record);
    this.#used++;
    return record;
  }

  /** The first record of the message of `record`, which must have been added. */
  find(record: number): number {
    return (this.#slots[this.#slotOf(record)] ?? 0) - 1;
  }

  /** Makes `record` the first one of its message. */
  replaceFirst(record: number): void {
    this.#fill(this.#slotOf(record), record);
  }

  /** The slot of the record's message, or the free slot where it belongs. */
  #slotOf(record: number): number {
    const slots = this.#slots;
    const chunk = record >>> CHUNK_BITS;
    const place = record & CHUNK_MASK;
    const highs = this.#high.chunks;
    const low = (this.#low.chunks[chunk]?.[place] ?? 0) | 0;
    const high = highs[chunk]?.[place] ?? 0;
    const mask = slots.length - 1;
    let at = (spread(low, high) << 1) & mask;
    for (let known = (slots[at] ?? 0) - 1; known >= 0; known = (slots[at] ?? 0) - 1) {
      if (slots[at + 1] === low && highs[known >>> CHUNK_BITS]?.[known & CHUNK_MASK] === high) return at;
      at = (at + 2) & mask;
    }
    return at;
  }

  #fill(at: number, record: number): void {
    this.#slots[at] = record + 1;
    this.#slots[at + 1] = this.#low.get(record);
  }

  #resize(slots: number): void {
    const before = this.#slots;
    this.#slots = new Int32Array(slots * 2);
    for (let at = 0; at < before.length; at += 2) {
      const known = (before[at] ?? 0) - 1;
      if (known >= 0) this.#fill(this.#slotOf(known), known);
    }
  }
}

function spread(low: number, high: number): number {
  const mixed = Math.imul(low ^ (high >>> 7), 0x2c1b3c6d);
  return mixed ^ (mixed >>> 16);
}

/** Bits of the tag below the number of the model. */
const SIDECHAIN = 1;
const COPY = 2;
const MODEL_SHIFT = 2;

const COUNT_COLUMNS = ['input', 'output', 'writes', 'writes1h', 'reads', 'searches', 'fetches'] as const;
/** In the order of the cache file. */
export const COLUMN_NAMES = ['low', 'high', 'tag', ...COUNT_COLUMNS] as const;

export type ColumnName = (typeof COLUMN_NAMES)[number];

/** The stored messages, in columns of 44 bytes per message; a model is a number. */
export class MessageColumns {
  readonly quarter: Column<Int32Array>;
  readonly low: Column<Uint32Array>;
  readonly high: Column<Uint32Array>;
  readonly tag: Column<Uint32Array>;
  readonly input: Column<Uint32Array>;
  readonly output: Column<Uint32Array>;
  readonly writes: Column<Uint32Array>;
  readonly writes1h: Column<Uint32Array>;
  readonly reads: Column<Uint32Array>;
  readonly searches: Column<Uint32Array>;
  readonly fetches: Column<Uint32Array>;

  /** @param columns columns from the cache file */
  constructor(
    quarter: Column<Int32Array> = Column.int32(),
    column: (name: ColumnName) => Column<Uint32Array> = () => Column.uint32(),
  ) {
    this.quarter = quarter;
    this.low = column('low');
    this.high = column('high');
    this.tag = column('tag');
    this.input = column('input');
    this.output = column('output');
    this.writes = column('writes');
    this.writes1h = column('writes1h');
    this.reads = column('reads');
    this.searches = column('searches');
    this.fetches = column('fetches');
  }

  get count(): number {
    return this.quarter.length;
  }

  push(message: UsageMessage, model: number): number {
    this.low.push(message.key.low);
    this.high.push(message.key.high);
    this.tag.push(tagOf(message, model));
    for (const name of COUNT_COLUMNS) this[name].push(message[name]);
    return this.quarter.push(message.quarter);
  }

  /** Replaces everything except the key of the message. */
  set(record: number, message: UsageMessage, model: number): void {
    this.quarter.set(record, message.quarter);
    this.tag.set(record, tagOf(message, model));
    for (const name of COUNT_COLUMNS) this[name].set(record, message[name]);
  }

  message(record: number, models: readonly (string | null)[]): UsageMessage {
    const counts: MutableCounts = { input: 0, output: 0, writes: 0, writes1h: 0, reads: 0, searches: 0, fetches: 0 };
    this.copyCounts(record, counts);
    return {
      key: { low: this.low.get(record), high: this.high.get(record) },
      quarter: this.quarter.get(record),
      model: models[this.model(record)] ?? null,
      isSidechain: this.isSidechain(record),
      isCopy: this.isCopy(record),
      ...counts,
    };
  }

  model(record: number): number {
    return (this.tag.chunks[record >>> CHUNK_BITS]?.[record & CHUNK_MASK] ?? 0) >>> MODEL_SHIFT;
  }

  isSidechain(record: number): boolean {
    return (this.tag.get(record) & SIDECHAIN) !== 0;
  }

  isCopy(record: number): boolean {
    return (this.tag.get(record) & COPY) !== 0;
  }

  /** Writes the counts into `counts`. */
  copyCounts(record: number, counts: MutableCounts): void {
    counts.input = this.input.get(record);
    counts.output = this.output.get(record);
    counts.writes = this.writes.get(record);
    counts.writes1h = this.writes1h.get(record);
    counts.reads = this.reads.get(record);
    counts.searches = this.searches.get(record);
    counts.fetches = this.fetches.get(record);
  }

  /** Raises each count to that of the record where it is higher. */
  raiseCounts(record: number, counts: MutableCounts): void {
    for (const name of COUNT_COLUMNS) counts[name] = Math.max(counts[name], this[name].get(record));
  }
}

export type MutableCounts = { -readonly [Name in keyof MessageCounts]: number };

function tagOf({ isSidechain, isCopy }: UsageMessage, model: number): number {
  return (model << MODEL_SHIFT) | (isSidechain ? SIDECHAIN : 0) | (isCopy ? COPY : 0);
}

/** The usage of one message in one transcript. Input, writes and reads never overlap. */
export interface MessageCounts {
  readonly input: number;
  readonly output: number;
  /** All tokens written to the cache. */
  readonly writes: number;
  /** Of these, the tokens that are cached for an hour. */
  readonly writes1h: number;
  readonly reads: number;
  /** Number of calls, like `fetches`. */
  readonly searches: number;
  readonly fetches: number;
}

/** One message of one transcript. */
export interface UsageMessage extends MessageCounts {
  /** Identifies the message in every transcript that holds a copy. */
  readonly key: KeyHash;
  /** Quarters of an hour since the epoch; see `QUARTER_MS`. */
  readonly quarter: number;
  readonly model: string | null;
  readonly isSidechain: boolean;
  /** The row says that it was copied by a fork. */
  readonly isCopy: boolean;
}

/** Some models price every token of a request with a longer prompt differently. */
export const LONG_PROMPT_TOKENS = 200_000;

/** The prompt is everything that is not output. */
export function hasLongPrompt({ input, writes, reads }: MessageCounts): boolean {
  return input + writes + reads > LONG_PROMPT_TOKENS;
}

/** The records of a transcript's messages, by their position in it; -1 for a removed message. */
export class FileRecords {
  /** Consecutive records from here on belong to the first positions. */
  readonly #start: number;
  readonly #count: number;
  /** The records of the positions that follow. */
  #others: number[] | null = null;
  /** First positions whose records are elsewhere or removed; almost always none. */
  #moved: Map<number, number> | null = null;

  constructor(start: number, count: number) {
    this.#start = start;
    this.#count = count;
  }

  get count(): number {
    return this.#count + (this.#others?.length ?? 0);
  }

  at(place: number): number {
    if (place >= this.#count) return this.#others?.[place - this.#count] ?? -1;
    return this.#moved?.get(place) ?? this.#start + place;
  }

  /** @param place at most the count */
  set(place: number, record: number): void {
    if (place >= this.#count) (this.#others ??= [])[place - this.#count] = record;
    else this.#moved = (this.#moved ?? new Map<number, number>()).set(place, record);
  }

  /** The records that are not removed. */
  *[Symbol.iterator](): Generator<number> {
    for (let place = 0; place < this.count; place++) {
      const record = this.at(place);
      if (record >= 0) yield record;
    }
  }
}
