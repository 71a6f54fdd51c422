import { type CacheSpending, type Spending, totalTokens } from '../../protocol/usage';
import type { MessageCounts } from './messageIndex';
import { type PriceBook, toUsd, type UnitPrices } from './prices';
import type { UsageIndex } from './usageIndex';

/** Position of each sum in a row. */
const SUM = {
  messages: 0,
  input: 1,
  output: 2,
  writes: 3,
  writes1h: 4,
  reads: 5,
  searches: 6,
  fetches: 7,
  /** Whole billionths of a dollar, so the order of the additions does not matter. */
  nanoUsd: 8,
  unpricedTokens: 9,
  pricedMessages: 10,
  /** What cache reads would have cost in addition as input, and what cache writes cost in addition to input. */
  savedNanoUsd: 11,
  writeExtraNanoUsd: 12,
} as const;
const ROW = Object.keys(SUM).length;

/** Rows with the summed usage and cost of messages. */
export class SpendingTable {
  #sums: Float64Array;
  #rows: number;

  constructor(rows: number) {
    this.#sums = new Float64Array(rows * ROW);
    this.#rows = rows;
  }

  /** Adds an empty row and returns its number. */
  addRow(): number {
    const row = this.#rows++;
    if (this.#rows * ROW > this.#sums.length) {
      const sums = new Float64Array(Math.max(16, this.#rows * 2) * ROW);
      sums.set(this.#sums);
      this.#sums = sums;
    }
    return row;
  }

  /** @param prices null for a model without prices */
  add(row: number, messages: number, counts: MessageCounts, prices: UnitPrices | null): void {
    const { input, output, writes, writes1h, reads, searches } = counts;
    this.#raise(row, SUM.messages, messages);
    this.#raise(row, SUM.input, input);
    this.#raise(row, SUM.output, output);
    this.#raise(row, SUM.writes, writes);
    this.#raise(row, SUM.writes1h, writes1h);
    this.#raise(row, SUM.reads, reads);
    this.#raise(row, SUM.searches, searches);
    this.#raise(row, SUM.fetches, counts.fetches);
    if (prices === null) {
      this.#raise(row, SUM.unpricedTokens, input + output + writes + reads);
      return;
    }
    this.#raise(row, SUM.pricedMessages, messages);
    this.#raise(
      row,
      SUM.nanoUsd,
      input * prices.input +
        output * prices.output +
        (writes - writes1h) * prices.cacheWrite5m +
        writes1h * prices.cacheWrite1h +
        reads * prices.cacheRead +
        searches * prices.webSearch,
    );
    this.#raise(row, SUM.savedNanoUsd, reads * (prices.input - prices.cacheRead));
    this.#raise(
      row,
      SUM.writeExtraNanoUsd,
      (writes - writes1h) * (prices.cacheWrite5m - prices.input) + writes1h * (prices.cacheWrite1h - prices.input),
    );
  }

  /** Adds the sums of another row, which may be in another table. */
  addFrom(row: number, from: number, table: SpendingTable = this): void {
    for (let sum = 0; sum < ROW; sum++) this.#raise(row, sum, table.#get(from, sum));
  }

  hasMessages(row: number): boolean {
    return this.#get(row, SUM.messages) > 0;
  }

  spending(row: number): Spending {
    const messages = this.#get(row, SUM.messages);
    const writes1h = this.#get(row, SUM.writes1h);
    // Without messages, the cost is known to be 0, even if the price is unknown.
    const isKnown = messages === 0 || this.#get(row, SUM.pricedMessages) > 0;
    return {
      messages,
      counts: {
        input: this.#get(row, SUM.input),
        output: this.#get(row, SUM.output),
        cacheWrite5m: this.#get(row, SUM.writes) - writes1h,
        cacheWrite1h: writes1h,
        cacheRead: this.#get(row, SUM.reads),
        webSearches: this.#get(row, SUM.searches),
        webFetches: this.#get(row, SUM.fetches),
      },
      cost: {
        usd: isKnown ? toUsd(this.#get(row, SUM.nanoUsd)) : null,
        unpricedTokens: this.#get(row, SUM.unpricedTokens),
      },
    };
  }

  cacheSpending(row: number): Omit<CacheSpending, 'model'> {
    const readTokens = this.#get(row, SUM.reads);
    const isPriced = this.#get(row, SUM.pricedMessages) > 0;
    return {
      promptTokens: this.#get(row, SUM.input) + this.#get(row, SUM.writes) + readTokens,
      readTokens,
      savedUsd: isPriced ? toUsd(this.#get(row, SUM.savedNanoUsd)) : null,
      writeExtraUsd: isPriced ? toUsd(this.#get(row, SUM.writeExtraNanoUsd)) : null,
    };
  }

  #get(row: number, sum: number): number {
    return this.#sums[row * ROW + sum] ?? 0;
  }

  #raise(row: number, sum: number, by: number): void {
    const at = row * ROW + sum;
    this.#sums[at] = (this.#sums[at] ?? 0) + by;
  }
}

/** Highest cost first; then those without a price, with the most tokens first. */
export function compareSpending(a: Spending, b: Spending): number {
  return (b.cost.usd ?? -1) - (a.cost.usd ?? -1) || totalTokens(b.counts) - totalTokens(a.counts);
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The usage before the first day of a view, and the buckets since then. */
interface EarlierSums {
  /** A row for each model. */
  readonly byModel: SpendingTable;
  /** A row for each project. */
  readonly byProject: SpendingTable;
  /** A row for each of `earlierDays`. */
  readonly byDay: SpendingTable;
  /** Positions of the buckets since the first day. */
  readonly recent: readonly number[];
}

type Buckets = UsageIndex['buckets'];

/** Keeps the sums before the first day of a view, until one of them changes. */
export class RecentBuckets {
  #buckets: Buckets | null = null;
  #prices: PriceBook | null = null;
  #first = 0;
  #count = 0;
  #models = 0;
  #projects = 0;
  #sums: EarlierSums & { readonly recent: number[] } = emptySums(0, 0, 0);

  /**
   * @param first the first quarter of the view's days
   * @param earlierDays the first quarter of each day before them that has its own sums, in ascending order
   */
  update(
    index: Pick<UsageIndex, 'buckets' | 'models' | 'projects'>,
    first: number,
    earlierDays: readonly number[],
    prices: PriceBook,
  ): EarlierSums {
    const { buckets, models, projects } = index;
    const isSame =
      this.#buckets === buckets &&
      this.#prices === prices &&
      this.#first === first &&
      this.#models === models.length &&
      this.#projects === projects.length &&
      buckets.earliestChange >= first;
    if (!isSame) this.#count = 0;
    if (!isSame) this.#sums = emptySums(models.length, projects.length, earlierDays.length);
    const { byModel, byProject, byDay, recent } = this.#sums;
    for (; this.#count < buckets.count; this.#count++) {
      if (buckets.quarterAt(this.#count) >= first) recent.push(this.#count);
    }
    if (!isSame) {
      let day = -1;
      buckets.forEach((bucket) => {
        if (bucket.quarter >= first) return;
        const price = prices.of(models[bucket.model] ?? null)?.at(bucket.quarter, bucket.isLong) ?? null;
        byModel.add(bucket.model, bucket.messages, bucket, price);
        byProject.add(bucket.project, bucket.messages, bucket, price);
        // Consecutive buckets are usually of the same day.
        const { quarter } = bucket;
        if (quarter < (earlierDays[day] ?? -Infinity) || quarter >= (earlierDays[day + 1] ?? Infinity))
          day = lastUpTo(earlierDays, quarter);
        if (day >= 0) byDay.add(day, bucket.messages, bucket, price);
      });
    }
    buckets.forgetChanges();
    this.#buckets = buckets;
    this.#prices = prices;
    this.#first = first;
    this.#models = models.length;
    this.#projects = projects.length;
    return this.#sums;
  }
}

function emptySums(models: number, projects: number, days: number): EarlierSums & { readonly recent: number[] } {
  return {
    byModel: new SpendingTable(models),
    byProject: new SpendingTable(projects),
    byDay: new SpendingTable(days),
    recent: [],
  };
}

/** Position of the last number that is at most `limit`; -1 if all are higher. `ascending` is sorted. */
function lastUpTo(ascending: readonly number[], limit: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ascending[middle] ?? 0) <= limit) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}
