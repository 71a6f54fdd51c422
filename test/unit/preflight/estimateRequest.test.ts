import assert from 'node:assert/strict';
import { CACHE_LIFETIME_MS, estimateRequest, type LastReply, type RequestFacts, RULES } from '../../rooms/preflight';

const NOW_MS = Date.UTC(2026, 10, 28, 12);
const MINUTE_MS = 60_000;

/** 84,000 tokens, of which 80,000 were cached for five minutes, a minute ago. */
const REPLY: LastReply = {
  model: 'claude-opus-5-5',
  reads: 70_000,
  writes: 10_000,
  writes1h: 0,
  contextTokens: 84_000,
  timeMs: NOW_MS - MINUTE_MS,
  client: '2.1.330',
  earlier: [],
};

const FACTS: RequestFacts = {
  nowMs: NOW_MS,
  reply: REPLY,
  isCompacted: false,
  client: '2.1.330',
  laterModel: null,
  unknownModel: null,
  isRepaired: false,
  isBroken: false,
};

/** One cause, by what makes it alone. `cached`: what it leaves of the 80,000 tokens; null if that is not known. */
interface Single {
  readonly code: string;
  /** Causes of the same kind exclude each other. */
  readonly kind: string;
  readonly facts?: Partial<RequestFacts>;
  readonly reply?: Partial<LastReply>;
  readonly cached: number | null;
}

const aged = (minutes: number): Pick<LastReply, 'timeMs'> => ({ timeMs: NOW_MS - minutes * MINUTE_MS });

const SINGLES: readonly (Single & { readonly name: string })[] = [
  { name: 'a break', code: 'history-lost', kind: 'break', facts: { isBroken: true }, cached: null },
  { name: 'a repair', code: 'repaired', kind: 'repair', facts: { isRepaired: true }, cached: null },
  { name: 'another client', code: 'version-changed', kind: 'client', reply: { client: '2.1.200' }, cached: 0 },
  { name: 'another model', code: 'model-changed', kind: 'model', facts: { laterModel: 'claude-haiku-5' }, cached: 0 },
  { name: 'an unknown model', code: 'model-unknown', kind: 'model', facts: { unknownModel: 'gone' }, cached: null },
  { name: 'no cache', code: 'not-cached', kind: 'cache', reply: { reads: 0, writes: 0 }, cached: 0 },
  { name: 'an age of 6 minutes', code: 'cache-expired', kind: 'cache', reply: aged(6), cached: 0 },
  {
    name: 'an age of 61 minutes of a cache that is kept for an hour',
    code: 'cache-expired',
    kind: 'cache',
    reply: { ...aged(61), writes1h: 10_000 },
    cached: 0,
  },
  {
    name: 'an age of 6 minutes of a cache that is partly kept for an hour',
    code: 'cache-expired',
    kind: 'cache',
    reply: { ...aged(6), writes1h: 6_000 },
    cached: 76_000,
  },
  { name: 'an unknown time', code: 'unknown-age', kind: 'cache', reply: { timeMs: NaN }, cached: null },
  {
    name: 'an unknown lifetime',
    code: 'unknown-lifetime',
    kind: 'cache',
    reply: { ...aged(6), reads: 80_000, writes: 0 },
    cached: null,
  },
];

function factsOf(...singles: readonly Single[]): RequestFacts {
  const reply = Object.assign({}, REPLY, ...singles.map((each) => each.reply ?? {})) as LastReply; // SAFETY: each part is one.
  return Object.assign({}, FACTS, ...singles.map((each) => each.facts ?? {}), { reply }) as RequestFacts; // SAFETY: as above.
}

function together(one: number | null, other: number | null): number | null {
  if (one === 0 || other === 0) return 0;
  return one === null || other === null ? null : Math.min(one, other);
}

const codesOf = (facts: RequestFacts): string[] => estimateRequest(facts).causes.map(({ code }) => code);

describe('The estimate of the next request', () => {
  it('counts all that was cached within five minutes as cached, and the rest as sent for the first time', () => {
    assert.deepEqual(estimateRequest(FACTS), {
      tokens: { sent: 84_000, bound: 'about', uncached: 4_000 },
      causes: [{ code: 'last-reply' }],
      changesAtMs: REPLY.timeMs + CACHE_LIFETIME_MS['5m'] + 1,
    });
  });

  for (const single of SINGLES) {
    it(`knows the effect of ${single.name} alone`, () => {
      const { tokens, causes } = estimateRequest(factsOf(single));
      assert.deepEqual(
        causes.map(({ code }) => code),
        [single.code],
      );
      assert.equal(tokens.sent, 84_000);
      assert.equal(tokens.uncached, single.cached === null ? null : 84_000 - single.cached);
    });
  }

  for (const [at, one] of SINGLES.entries()) {
    for (const other of SINGLES.slice(at + 1)) {
      if (one.kind === other.kind) continue;
      it(`names both causes and takes the worse effect of ${one.name} with ${other.name}`, () => {
        const { tokens, causes } = estimateRequest(factsOf(one, other));
        assert.deepEqual(
          causes.map(({ code }) => code),
          [one.code, other.code],
        );
        const cached = together(one.cached, other.cached);
        const isSentKnown = !(one.code === 'history-lost' && other.code === 'repaired');
        assert.equal(tokens.sent, isSentKnown ? 84_000 : null);
        assert.equal(tokens.uncached, cached === null || !isSentKnown ? null : 84_000 - cached);
      });
    }
  }

  it('says of each rule where it is from', () => {
    for (const { source } of RULES) assert.match(source, /^(?:https:|docs\/)/);
  });

  it('knows nothing before the first reply', () => {
    const { tokens, causes } = estimateRequest({ ...FACTS, reply: null });
    assert.deepEqual([tokens.sent, tokens.uncached, causes], [null, null, [{ code: 'no-reply' }]]);
  });

  it('knows nothing between a compaction and the next reply', () => {
    const { tokens, causes } = estimateRequest({ ...FACTS, reply: null, isCompacted: true });
    assert.deepEqual([tokens.sent, tokens.uncached, causes], [null, null, [{ code: 'compacted' }]]);
  });

  it('takes a reply after a compaction like any other', () => {
    assert.deepEqual(codesOf({ ...FACTS, isCompacted: true }), ['last-reply']);
  });

  it('limits what is sent from above at a break, and from below after a repair', () => {
    assert.equal(estimateRequest({ ...FACTS, isBroken: true }).tokens.bound, 'at-most');
    assert.equal(estimateRequest({ ...FACTS, isRepaired: true }).tokens.bound, 'at-least');
  });

  it('lets an entry expire only after its whole lifetime', () => {
    const at = (ageMs: number, writes1h: number): string[] =>
      codesOf({ ...FACTS, reply: { ...REPLY, writes1h, timeMs: NOW_MS - ageMs } });
    assert.deepEqual(at(CACHE_LIFETIME_MS['5m'], 0), ['last-reply']);
    assert.deepEqual(at(CACHE_LIFETIME_MS['5m'] + 1, 0), ['cache-expired']);
    assert.deepEqual(at(CACHE_LIFETIME_MS['1h'], 10_000), ['last-reply']);
    assert.deepEqual(at(CACHE_LIFETIME_MS['1h'] + 1, 10_000), ['cache-expired']);
  });

  it('names the lifetime that has expired, and since when', () => {
    const five = estimateRequest({ ...FACTS, reply: { ...REPLY, ...aged(90) } });
    const ageMs = 90 * MINUTE_MS;
    assert.deepEqual(five.causes, [{ code: 'cache-expired', lifetime: '5m', ageMs, isPartial: false }]);
    const hour = estimateRequest({ ...FACTS, reply: { ...REPLY, ...aged(90), writes1h: 10_000 } });
    assert.deepEqual(hour.causes, [{ code: 'cache-expired', lifetime: '1h', ageMs, isPartial: false }]);
  });

  it('takes the lifetime of what the last request only read from the requests before it', () => {
    const read = { ...REPLY, ...aged(6), reads: 80_000, writes: 0 };
    const after = (...earlier: LastReply['earlier']): number | null =>
      estimateRequest({ ...FACTS, reply: { ...read, earlier } }).tokens.uncached;
    assert.equal(after({ reads: 0, writes: 80_000, writes1h: 80_000 }), 4_000);
    assert.equal(after({ reads: 0, writes: 80_000, writes1h: 0 }), 84_000);
    assert.equal(after({ reads: 0, writes: 80_000, writes1h: 20_000 }), 64_000);
  });

  it('does not count an entry for an hour that the last request no longer found', () => {
    const reply = {
      ...REPLY,
      ...aged(6),
      reads: 0,
      writes: 80_000,
      earlier: [{ reads: 0, writes: 60_000, writes1h: 60_000 }],
    };
    assert.equal(estimateRequest({ ...FACTS, reply }).tokens.uncached, 84_000);
  });

  it('tolerates clocks that differ a little, and believes no reply from the future', () => {
    assert.deepEqual(codesOf({ ...FACTS, reply: { ...REPLY, ...aged(-4) } }), ['last-reply']);
    assert.deepEqual(codesOf({ ...FACTS, reply: { ...REPLY, ...aged(-6) } }), ['unknown-age']);
  });

  it('does not take an unknown client for another one', () => {
    assert.deepEqual(codesOf({ ...FACTS, reply: { ...REPLY, client: null } }), ['last-reply']);
  });

  it('says when a part of the cache expires, for as long as there is one', () => {
    const at = (minutes: number, writes1h: number): number | null =>
      estimateRequest({ ...FACTS, reply: { ...REPLY, ...aged(minutes), writes1h } }).changesAtMs;
    assert.equal(at(1, 0), NOW_MS + 4 * MINUTE_MS + 1);
    assert.equal(at(6, 0), null);
    assert.equal(at(1, 10_000), NOW_MS + 59 * MINUTE_MS + 1);
    assert.equal(at(1, 6_000), NOW_MS + 4 * MINUTE_MS + 1);
    assert.equal(at(6, 6_000), NOW_MS + 54 * MINUTE_MS + 1);
    assert.equal(at(61, 6_000), null);
  });
});
