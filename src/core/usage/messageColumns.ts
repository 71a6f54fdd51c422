import { CHUNK_BITS, CHUNK_MASK, Column } from '../util/column';
import type { MessageCounts, UsageMessage } from './usageMessage';

/** Bits of the tag below the number of the model. */
const SIDECHAIN = 1;
const COPY = 2;
const MODEL_SHIFT = 2;

const COUNT_COLUMNS = ['input', 'output', 'writes', 'writes1h', 'reads', 'searches', 'fetches'] as const;
/** In the order of the cache file. */
export const COLUMN_NAMES = ['low', 'high', 'tag', ...COUNT_COLUMNS] as const;

export type ColumnName = (typeof COLUMN_NAMES)[number];

/** What a message looks like where it is kept: 44 bytes in columns, its model a number. */
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

  /** With arguments, columns that are filled already. */
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

  /** The message stays the same one. */
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
