import type { ModelPrice, PriceOverrides } from '../../protocol/usage';
import { NO_TIME, quarterOf } from './buckets';
import table from './prices.json';

const LONG_WINDOW = 1_000_000;

/**
 * Cache prices as multiples of the input price; used if the table has none. They are the same for all models of the
 * API.
 */
const CACHE_SHARES = { cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1 } as const;
/** US dollars per call, the same for every known model. */
const WEB_SEARCH_USD = 0.01;

/**
 * Sums are in billionths of a dollar: prices in the table have at most three decimals, so all sums are exact integers.
 */
const NANO_USD_PER_USD = 1e9;
/** Converts dollars per million tokens into billionths of a dollar per token. */
const NANO_USD_PER_TOKEN = 1000;

/** Billionths of a dollar, for one token or one call. */
export interface UnitPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly webSearch: number;
}

interface Period {
  readonly fromQuarter: number;
  readonly base: UnitPrices;
  readonly long: UnitPrices;
}

/** The prices of a model over time. */
export class ModelPrices {
  /** Latest first. */
  readonly #periods: readonly Period[];

  constructor(periods: readonly Period[]) {
    this.#periods = periods;
  }

  /** The prices at a time; the latest ones for `NO_TIME`. */
  at(quarter: number, isLong: boolean): UnitPrices | null {
    const periods = this.#periods;
    let period = periods[0];
    for (let next = 1; quarter !== NO_TIME && period !== undefined && quarter < period.fromQuarter; next++) {
      period = periods[next];
    }
    return (isLong ? period?.long : period?.base) ?? null;
  }
}

/** The list prices of models; the person's own prices replace them. */
export class PriceBook {
  readonly #overrides: readonly (readonly [start: string, price: Partial<ModelPrice>])[];
  readonly #known = new Map<string | null, ModelPrices | null>();

  constructor(overrides: PriceOverrides) {
    this.#overrides = Object.entries(overrides)
      .map(([start, price]) => [plainModelName(start), price] as const)
      .sort(([a], [b]) => b.length - a.length);
  }

  hasPrice(model: string | null): boolean {
    return this.of(model) !== null;
  }

  /** Null if the model has no price. */
  of(model: string | null): ModelPrices | null {
    let prices = this.#known.get(model);
    if (prices === undefined) {
      prices = model === null ? null : this.#make(plainModelName(model));
      this.#known.set(model, prices);
    }
    return prices;
  }

  #make(name: string): ModelPrices | null {
    const override = this.#overrides.find(([start]) => name.startsWith(start))?.[1] ?? {};
    const listed = findInTable(name)?.prices ?? [NOTHING_KNOWN];
    const periods = [...listed].reverse().map(({ from, webSearch, base, long }): Period | null => {
      const basePrices = unitPrices(base, webSearch, override);
      const longPrices = long === null ? basePrices : unitPrices(long, webSearch, override);
      if (basePrices === null || longPrices === null) return null;
      return { fromQuarter: from === null ? NO_TIME : quarterOf(Date.parse(from)), base: basePrices, long: longPrices };
    });
    return periods.every((period) => period !== null) ? new ModelPrices(periods) : null;
  }
}

/** Converts billionths into US dollars. */
export function toUsd(nanoUsd: number): number {
  return nanoUsd / NANO_USD_PER_USD;
}

/**
 * Size of the model's context window in tokens; null if unknown.
 *
 * @param tokens length of a prompt that the model accepted; if it exceeds the window in the table, the session used the
 * long context
 */
export function contextWindow(model: string | null, tokens: number): number | null {
  if (model === null) return null;
  if (hasLongContext(model)) return LONG_WINDOW;
  const window: TableModel['window'] = findInTable(plainModelName(model))?.window ?? null;
  if (window === null || tokens <= window) return window;
  return tokens <= LONG_WINDOW ? LONG_WINDOW : null;
}

const NOTHING_KNOWN: TablePeriod = {
  from: null,
  webSearch: null,
  base: { input: null, output: null, cacheWrite5m: null, cacheWrite1h: null, cacheRead: null },
  long: null,
};

/** Null if neither the table nor the settings give a price for input and output. */
function unitPrices(listed: TableFigures, webSearch: number | null, override: Partial<ModelPrice>): UnitPrices | null {
  const input = asPrice(override.input) ?? listed.input;
  const output = asPrice(override.output) ?? listed.output;
  if (input === null || output === null) return null;
  const ofCache = (kind: keyof typeof CACHE_SHARES): number =>
    asPrice(override[kind]) ?? listed[kind] ?? input * CACHE_SHARES[kind];
  return {
    input: perToken(input),
    output: perToken(output),
    cacheWrite5m: perToken(ofCache('cacheWrite5m')),
    cacheWrite1h: perToken(ofCache('cacheWrite1h')),
    cacheRead: perToken(ofCache('cacheRead')),
    webSearch: (asPrice(override.webSearch) ?? webSearch ?? WEB_SEARCH_USD) * NANO_USD_PER_USD,
  };
}

/** The price in the settings; null for values that are not prices. */
function asPrice(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Rounds off the error of the multiplication, so that sums are exact. */
function perToken(usdPerMillion: number): number {
  return Math.round(usdPerMillion * NANO_USD_PER_TOKEN * 1e6) / 1e6;
}

/** Prices of one model in US dollars per million tokens; null if the table has none. */
interface TableFigures {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheWrite5m: number | null;
  readonly cacheWrite1h: number | null;
  readonly cacheRead: number | null;
}

interface TablePeriod {
  /** First day, UTC; null for the earliest period. */
  readonly from: string | null;
  /** US dollars per call; null if the table has no price. */
  readonly webSearch: number | null;
  readonly base: TableFigures;
  /** For all tokens of a request whose prompt is longer than `LONG_PROMPT_TOKENS`; null if the same as `base`. */
  readonly long: TableFigures | null;
}

interface TableModel {
  readonly id: string;
  /** Latest period last. */
  readonly prices: readonly TablePeriod[];
  /** Tokens; null if unknown. */
  readonly window: number | null;
}

/** The model of the longest matching rule; null if no rule matches. @param name see `plainModelName` */
function findInTable(name: string): TableModel | null {
  let best: TableModel | null = null;
  let bestLength = -1;
  for (const { text, fits, model } of RULES) {
    if (text.length > bestLength && fits(name)) [best, bestLength] = [model, text.length];
  }
  return best;
}

interface Rule {
  readonly text: string;
  readonly fits: (name: string) => boolean;
  readonly model: TableModel;
}

/** A date after a model's name. */
const DATE = /^-\d{8}$/;
/**
 * A suffix that names another version: more digits, or a part of one or two digits. A date or `latest` does not match.
 */
const VERSION_PART = /^(?:\d|[-._]\d{1,2}(?!\d))/;

// SAFETY: scripts/writePrices.mjs writes the file in this shape.
const RULES: readonly Rule[] = (table.models as readonly (TableModel & { names: Record<string, string> })[]).flatMap(
  (model) => Object.entries(model.names).map(([text, kind]): Rule => ({ text, model, fits: fitOf(text, kind) })),
);

/**
 * Vertex puts an `@` before the date, so a rule that ends in `@` matches only names with a date, or with nothing after
 * it.
 */
function fitOf(text: string, kind: string): Rule['fits'] {
  const isVertex = text.endsWith('@');
  const name = isVertex ? text.slice(0, -1) : text;
  return (other) => {
    if (!other.startsWith(name)) return false;
    const rest = other.slice(name.length);
    if (rest === '') return true;
    if (kind === 'dated' || isVertex) return DATE.test(rest);
    return kind === 'start' && !VERSION_PART.test(rest);
  };
}

/**
 * The name by which prices are looked up. Removes what Bedrock and Vertex add to it: a prefix, which may be an entire
 * ARN or path, and a version; and replaces the `@` before the date. Also removes the client's own `[1m]`, which
 * requests the long context. In the oldest names, such as `claude-v2`, the version is part of the name.
 */
function plainModelName(model: string): string {
  return model
    .trim()
    .toLowerCase()
    .replace(/\[1m\]$/, '')
    .replace(/^(?:.*\/)?(?:[a-z-]+\.)?anthropic(?:\/models\/|[./])/, '')
    .replace(/(?<!^claude)-v\d+(?::\d+)?$/, '')
    .replace('@', '-');
}

/** Whether the name requests a context of a million tokens. */
function hasLongContext(model: string): boolean {
  return /\[1m\]$/i.test(model.trim());
}
