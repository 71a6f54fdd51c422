import type { ModelPrice, PriceOverrides } from '../../protocol/usage';
import { NO_TIME, quarterOf } from './buckets';
import table from './prices.json';

const LONG_WINDOW = 1_000_000;

/** Where no price is told, the cache is priced by these shares of the input, as the API does for every model. */
const CACHE_SHARES = { cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1 } as const;
/** US dollars a call, the same for every model so far. */
const WEB_SEARCH_USD = 0.01;

/** Prices in the table have up to three digits behind the point, so that whole numbers of these add up exactly. */
const NANO_USD_PER_USD = 1e9;
/** Of a price in dollars for a million tokens: billionths of a dollar for a token. */
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

/** What a model costs, at any time. */
export class ModelPrices {
  /** The latest first. */
  readonly #periods: readonly Period[];

  constructor(periods: readonly Period[]) {
    this.#periods = periods;
  }

  /** Prices at a time; the latest when it is `NO_TIME`. */
  at(quarter: number, isLong: boolean): UnitPrices | null {
    const periods = this.#periods;
    let period = periods[0];
    for (let next = 1; quarter !== NO_TIME && period !== undefined && quarter < period.fromQuarter; next++) {
      period = periods[next];
    }
    return (isLong ? period?.long : period?.base) ?? null;
  }
}

/** List prices of models, with the person's own in their place. */
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

  /** Null for a model that has no price. */
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

/** US dollars of billionths. */
export function toUsd(nanoUsd: number): number {
  return nanoUsd / NANO_USD_PER_USD;
}

/**
 * Tokens that the model takes; null when that is not known. `tokens` is a prompt that it took: where that is more than the
 * table says, the session asked for the long context.
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

/** Null where neither the table nor the person says what input and output cost. */
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

/** Anything else in the settings is no price. */
function asPrice(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** Without the noise of the multiplication, so that sums are exact. */
function perToken(usdPerMillion: number): number {
  return Math.round(usdPerMillion * NANO_USD_PER_TOKEN * 1e6) / 1e6;
}

/** Of one model, US dollars for a million tokens; null where the table does not say. */
interface TableFigures {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheWrite5m: number | null;
  readonly cacheWrite1h: number | null;
  readonly cacheRead: number | null;
}

interface TablePeriod {
  /** First day, UTC; null: from the beginning. */
  readonly from: string | null;
  /** US dollars a call; null where the table does not say. */
  readonly webSearch: number | null;
  readonly base: TableFigures;
  /** For the whole of a request whose prompt is longer than `LONG_PROMPT_TOKENS`; null: as `base`. */
  readonly long: TableFigures | null;
}

interface TableModel {
  readonly id: string;
  /** The latest period last. */
  readonly prices: readonly TablePeriod[];
  /** Tokens; null when it is not known. */
  readonly window: number | null;
}

/** What the longest rule that fits says of a model; null for one that no rule fits. `name`: see `plainModelName`. */
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

/** The date of a model, behind its name. */
const DATE = /^-\d{8}$/;
/** What makes it the name of another version: more digits, or a part of one or two. A date or `latest` does not. */
const VERSION_PART = /^(?:\d|[-._]\d{1,2}(?!\d))/;

// SAFETY: made by scripts/writePrices.mjs, in this shape.
const RULES: readonly Rule[] = (table.models as readonly (TableModel & { names: Record<string, string> })[]).flatMap(
  (model) => Object.entries(model.names).map(([text, kind]): Rule => ({ text, model, fits: fitOf(text, kind) })),
);

/** Vertex writes the date behind an `@`: a rule that ends in it is for dates, and for nothing else. */
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
 * The name that prices go by: Bedrock and Vertex write the same models with a place before it, which may be a whole ARN or
 * path, and a version or an `@` behind it; the client's own `[1m]` asks for the long context. Of the oldest models,
 * `claude-v2`, the version is the name.
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

/** The name says that the model takes a million tokens. */
function hasLongContext(model: string): boolean {
  return /\[1m\]$/i.test(model.trim());
}

/** Messages that the client wrote itself, about an error as a rule: no model answered. */
export const SYNTHETIC_MODEL = '<synthetic>';
