import type { CacheLifetime, Preflight, PreflightBound, PreflightCause } from '../../protocol/preflight';

/** What the usage of a reply says of the prompt cache. */
export interface CachedReply {
  /** Tokens that were read from the cache. */
  readonly reads: number;
  /** Tokens that were written to it, for both lifetimes together. */
  readonly writes: number;
  /** Those of them that are kept for an hour. */
  readonly writes1h: number;
}

/** The last reply in the history that is resumed, and what has happened since. */
export interface RequestFacts {
  readonly nowMs: number;
  /** Null if nothing was counted in the history. */
  readonly reply: LastReply | null;
  /** There is no reply since the conversation was compacted. */
  readonly isCompacted: boolean;
  /** Version of the client that resumes. */
  readonly client: string;
  /** The model that the session has used since the reply, if that is another one; null otherwise. */
  readonly laterModel: string | null;
  /** The model with which the session was left, if the client does not know it; null otherwise. */
  readonly unknownModel: string | null;
  /** The transcript was changed by a repair since the reply. */
  readonly isRepaired: boolean;
  /** The history begins at a break, and what came before it is not found. */
  readonly isBroken: boolean;
}

export interface LastReply extends CachedReply {
  readonly model: string | null;
  /** Input, cache writes, cache reads and the reply itself: what the next request repeats. */
  readonly contextTokens: number;
  /** When it was written; NaN if unknown. Milliseconds since the epoch. */
  readonly timeMs: number;
  /** Version of the client that wrote it; null if unknown. */
  readonly client: string | null;
  /** The replies of the history before it, in any order. */
  readonly earlier: readonly CachedReply[];
}

/** The next request, without its prompt. */
export type RequestEstimate = Pick<Preflight, 'tokens' | 'causes' | 'changesAtMs'>;

const MINUTE_MS = 60_000;
/** How long a cache entry is kept after its last use. */
export const CACHE_LIFETIME_MS: Readonly<Record<CacheLifetime, number>> = { '5m': 5 * MINUTE_MS, '1h': 60 * MINUTE_MS };
/** Clocks of several machines differ by this much at most; a reply from further in the future has a wrong time. */
const MAX_CLOCK_ERROR_MS = 5 * MINUTE_MS;

/** What one rule says of the tokens that the last request left in the cache. */
interface Effect {
  readonly cause: PreflightCause;
  /** How many of them can still be read; null if that is not known. */
  readonly cached: number | null;
}

interface Rule {
  /** Where the rule is from. */
  readonly source: string;
  /** Null if the rule does not apply. */
  readonly effect: (facts: RequestFacts, reply: LastReply) => Effect | null;
}

/** "Prompt caching" in the API's documentation. */
const API_DOCS = 'https://docs.claude.com/en/docs/build-with-claude/prompt-caching';

/** All rules, the most important cause first. They do not depend on each other. */
export const RULES: readonly Rule[] = [
  {
    source: 'docs/format.md, "Walk": what is above a break is not sent, so the messages begin with another one',
    effect: ({ isBroken }) => (isBroken ? { cause: { code: 'history-lost' }, cached: null } : null),
  },
  {
    source: 'docs/repairs.md: a repair restores messages, or changes their content',
    effect: ({ isRepaired }) => (isRepaired ? { cause: { code: 'repaired' }, cached: null } : null),
  },
  {
    source: `${API_DOCS}: instructions and tools come before the messages, and a change invalidates all that follows it`,
    effect: ({ client: to }, { client: from }) =>
      from !== null && from !== to ? { cause: { code: 'version-changed', from, to }, cached: 0 } : null,
  },
  {
    source: `${API_DOCS}: an entry is read only by requests to the same model`,
    effect: ({ laterModel: to }, { model: from }) =>
      to !== null && from !== null ? { cause: { code: 'model-changed', from, to }, cached: 0 } : null,
  },
  {
    source:
      'docs/format.md, "Full context": the default of the client takes the place of a model that it does not know',
    effect: ({ unknownModel: model }) =>
      model === null ? null : { cause: { code: 'model-unknown', model }, cached: null },
  },
  {
    source: `${API_DOCS}: usage counts what was written to the cache and read from it`,
    effect: (_, { reads, writes }) => (reads + writes === 0 ? { cause: { code: 'not-cached' }, cached: 0 } : null),
  },
  {
    source: `${API_DOCS}: an entry expires 5 minutes, or an hour, after its last use`,
    effect: ({ nowMs }, reply) => expiry(reply, nowMs),
  },
];

/** Estimates the request that a client sends when it resumes a session. */
export function estimateRequest(facts: RequestFacts): RequestEstimate {
  const { reply, isCompacted, isBroken, isRepaired, nowMs } = facts;
  if (reply === null) {
    const cause: PreflightCause = { code: isCompacted ? 'compacted' : 'no-reply' };
    return { tokens: { sent: null, bound: 'about', uncached: null }, causes: [cause], changesAtMs: null };
  }
  const effects = RULES.flatMap(({ effect }) => effect(facts, reply) ?? []);
  const cached = cachedTokens(reply, effects);
  // What a repair added was not in the last request, and what is above a break was.
  const sent = isBroken && isRepaired ? null : reply.contextTokens;
  const bound: PreflightBound = isBroken ? 'at-most' : isRepaired ? 'at-least' : 'about';
  return {
    tokens: { sent, bound, uncached: sent === null || cached === null ? null : sent - cached },
    causes: effects.length > 0 ? effects.map(({ cause }) => cause) : [{ code: 'last-reply' }],
    changesAtMs: cached === 0 ? null : nextExpiry(reply, nowMs),
  };
}

/** One rule that leaves nothing in the cache is certain, whatever is unknown by another. */
function cachedTokens({ reads, writes }: LastReply, effects: readonly Effect[]): number | null {
  let cached: number | null = reads + writes;
  for (const effect of effects) {
    if (effect.cached === 0) return 0;
    cached = cached === null || effect.cached === null ? null : Math.min(cached, effect.cached);
  }
  return cached;
}

function expiry(reply: LastReply, nowMs: number): Effect | null {
  const all = reply.reads + reply.writes;
  if (all === 0) return null;
  const ageMs = nowMs - reply.timeMs;
  if (!(ageMs >= -MAX_CLOCK_ERROR_MS)) return { cause: { code: 'unknown-age' }, cached: null };
  if (ageMs <= CACHE_LIFETIME_MS['5m']) return null;
  const hourTokens = tokensForAnHour(reply);
  const expired = (lifetime: CacheLifetime, cached: number): Effect => ({
    cause: { code: 'cache-expired', lifetime, ageMs, isPartial: cached > 0 },
    cached,
  });
  if (ageMs > CACHE_LIFETIME_MS['1h']) return expired(hourTokens === 0 ? '5m' : '1h', 0);
  if (hourTokens === null) return { cause: { code: 'unknown-lifetime', ageMs }, cached: null };
  return hourTokens < all ? expired('5m', hourTokens) : null;
}

/**
 * How many tokens of the last request an entry for an hour holds; null if its lifetime is not known. Entries for an hour come before
 * those for five minutes in a request, and an entry holds all that comes before its end, so that the furthest one counts. One that
 * the request neither read nor wrote was no longer there.
 */
function tokensForAnHour(reply: LastReply): number | null {
  const replies: readonly CachedReply[] = [reply, ...reply.earlier];
  if (replies.every(({ writes }) => writes === 0)) return null;
  const reached = reply.reads + reply.writes1h;
  const ends = replies.flatMap(({ reads, writes1h }) => (writes1h > 0 ? [reads + writes1h] : []));
  return Math.max(0, ...ends.filter((end) => end <= reached));
}

/** When the next part of the cache expires; null if none does. */
function nextExpiry(reply: LastReply, nowMs: number): number | null {
  const { timeMs, reads, writes } = reply;
  const hourTokens = tokensForAnHour(reply);
  const lifetimes: CacheLifetime[] = [];
  if (hourTokens === null || hourTokens < reads + writes) lifetimes.push('5m');
  if (hourTokens !== 0) lifetimes.push('1h');
  const ends = lifetimes.map((lifetime) => timeMs + CACHE_LIFETIME_MS[lifetime]);
  const next = ends.find((end) => end >= nowMs);
  return next === undefined ? null : next + 1;
}
