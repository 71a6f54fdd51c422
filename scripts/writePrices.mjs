// @ts-check
// Makes src/core/usage/prices.json of the prices that @pydantic/genai-prices knows of Anthropic's models. The build calls it,
// and the file is in the repository, so that sources run as they are: `node scripts/writePrices.mjs` after an update.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findProvider } from '@pydantic/genai-prices';

const FILE = new URL('../src/core/usage/prices.json', import.meta.url);
const MANIFEST = new URL('../node_modules/@pydantic/genai-prices/package.json', import.meta.url);
/** Prompts longer than this have prices of their own; src/core/usage/prices.ts knows of no other limit. */
const LONG_PROMPT_TOKENS = 200_000;

/** Our names of the prices, by the package's. */
const FIELDS = /** @type {const} */ ({
  input: 'input_mtok',
  output: 'output_mtok',
  cacheWrite5m: 'cache_write_mtok',
  cacheWrite1h: 'cache_write_1h_mtok',
  cacheRead: 'cache_read_mtok',
});

/** @returns {string} what the file is to hold */
export function pricesJson() {
  const provider = findProvider({ providerId: 'anthropic' });
  if (provider === undefined) throw new Error('@pydantic/genai-prices knows no prices of Anthropic');
  const { version } = JSON.parse(readFileSync(MANIFEST, 'utf8'));
  const models = provider.models.map(({ id, match, context_window, prices }) => ({
    id,
    names: Object.fromEntries(namesOf(id, match)),
    window: context_window ?? null,
    prices: (Array.isArray(prices) ? prices : [{ prices }]).map((period) => pricesOf(id, period)),
  }));
  return `${JSON.stringify({ source: `@pydantic/genai-prices ${version}`, models }, null, 2)}\n`;
}

export function writePrices() {
  const json = pricesJson();
  if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== json) writeFileSync(FILE, json);
}

/**
 * How the name of a model may read: `exact` is the whole name, `dated` may be followed by a date, `start` by anything.
 * @param {string} id
 * @param {import('@pydantic/genai-prices').MatchLogic} match
 * @returns {[name: string, kind: 'exact' | 'dated' | 'start'][]}
 */
function namesOf(id, match) {
  if ('or' in match) return match.or.flatMap((each) => namesOf(id, each));
  if ('equals' in match) return [[match.equals, 'exact']];
  if ('starts_with' in match) return [[match.starts_with, 'start']];
  // Of Bedrock's names, whose beginnings are taken off.
  if ('contains' in match) return [[match.contains, 'start']];
  const dated = 'regex' in match ? /^\^([a-z0-9-]+)-\\d\{8\}\$$/.exec(match.regex) : null;
  if (dated?.[1] === undefined) throw new Error(`The rule of ${id} is of an unknown kind: ${JSON.stringify(match)}`);
  return [[dated[1], 'dated']];
}

/**
 * @param {string} id
 * @param {{ constraint?: { type?: string, start_date?: string }, prices: Record<string, any> }} period
 */
function pricesOf(id, { constraint, prices }) {
  if (constraint !== undefined && constraint.start_date === undefined) {
    throw new Error(`The prices of ${id} change with something else than the date`);
  }
  const searches = prices.web_searches_kcount;
  return {
    from: constraint?.start_date ?? null,
    webSearch: searches === undefined ? null : searches / 1000,
    base: figures(prices, (price) => (typeof price === 'object' ? price.base : (price ?? null))),
    long: Object.values(prices).some((price) => typeof price === 'object')
      ? figures(prices, (price) => (typeof price === 'object' ? tierOf(id, price) : (price ?? null)))
      : null,
  };
}

/**
 * @param {Record<string, any>} prices
 * @param {(price: any) => number | null} take
 */
function figures(prices, take) {
  return Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, take(prices[field])]));
}

/**
 * @param {string} id
 * @param {{ tiers: { start: number, price: number }[] }} price
 */
function tierOf(id, { tiers }) {
  const [tier] = tiers;
  if (tier === undefined || tiers.length > 1 || tier.start !== LONG_PROMPT_TOKENS) {
    throw new Error(`The prices of ${id} change at another length than ${LONG_PROMPT_TOKENS} tokens`);
  }
  return tier.price;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writePrices();
