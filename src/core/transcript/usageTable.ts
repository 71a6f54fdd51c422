import { USAGE_COUNTS, type UsageCount } from '../providers/claude/format/messageUsage';
import { Column } from '../util/columns';
import { type KeyHash, NO_ID } from './idTable';

/** Numbers per entry: the message's last row, its key, its model, then the counts. */
const ENTRY = 3 + USAGE_COUNTS.length;
const FIRST_COUNT = 3;
const NO_COUNTS = USAGE_COUNTS.map(() => 0);
const UNKNOWN_MODEL = 0xffff_ffff;

/**
 * Token counts, one entry per message. The rows of a message repeat its counts, and later rows may have higher ones, so the
 * highest value of each count is kept. A row whose message has no id gets its own entry.
 */
export class UsageTable {
  readonly #numbers: Column<Uint32Array>;
  readonly #models: string[];
  readonly #hashOf: (key: number) => KeyHash;
  readonly #entryOfKey = new Map<number, number>();

  /** `hashOf` returns the hash of a key. Unlike the key, the hash is the same in every file. */
  constructor(hashOf: (key: number) => KeyHash, numbers = Column.uint32(), models: string[] = []) {
    this.#hashOf = hashOf;
    this.#numbers = numbers;
    this.#models = models;
  }

  get count(): number {
    return this.#numbers.length / ENTRY;
  }

  add(row: number, key: number, model: string | null, counts: readonly number[]): void {
    const at = this.#entryOf(key) * ENTRY;
    this.#numbers.set(at, row);
    if (model !== null) this.#numbers.set(at + 2, this.#internModel(model));
    for (const [index, value] of counts.entries()) {
      const place = at + FIRST_COUNT + index;
      if (value > this.#numbers.get(place)) this.#numbers.set(place, value);
    }
  }

  /** The last row of the message. */
  row(entry: number): number {
    return this.#numbers.get(entry * ENTRY);
  }

  /** Key of `message.id`, or `NO_ID`. */
  message(entry: number): number {
    return this.#numbers.get(entry * ENTRY + 1) | 0;
  }

  /** Hash of `message.id`; null if it has none. */
  messageHash(entry: number): KeyHash | null {
    const key = this.message(entry);
    return key === NO_ID ? null : this.#hashOf(key);
  }

  model(entry: number): string | null {
    const model = this.#numbers.get(entry * ENTRY + 2);
    return model === UNKNOWN_MODEL ? null : (this.#models[model] ?? null);
  }

  /** Tokens, or calls for the request counts; 0 … 2³² - 1. */
  get(entry: number, count: UsageCount): number {
    return this.#numbers.get(entry * ENTRY + FIRST_COUNT + USAGE_COUNTS.indexOf(count));
  }

  #entryOf(key: number): number {
    const known = key === NO_ID ? undefined : this.#entryOfKey.get(key);
    if (known !== undefined) return known;
    const entry = this.count;
    for (const number of [0, key >>> 0, UNKNOWN_MODEL, ...NO_COUNTS]) this.#numbers.push(number);
    if (key !== NO_ID) this.#entryOfKey.set(key, entry);
    return entry;
  }

  #internModel(model: string): number {
    const known = this.#models.indexOf(model);
    return known >= 0 ? known : this.#models.push(model) - 1;
  }
}
