import assert from 'node:assert/strict';
import { preflightText } from '../../../src/extension/text/preflightText';
import type { Preflight, PreflightCause } from '../../../src/protocol/preflight';
import { formats, t } from './fakes';

const NOW_MS = new Date(2026, 10, 28, 12).getTime();
const HOUR_MS = 3_600_000;

const PREFLIGHT: Preflight = {
  sessionId: 's',
  filePath: '/s.jsonl',
  client: '2.1.330',
  messages: { loads: 12, of: 12, hasSummary: false },
  tokens: { sent: 84_312, bound: 'about', uncached: 4_312 },
  causes: [{ code: 'last-reply' }],
  costUsd: 0.0376,
  model: 'claude-opus-5-5',
  rearms: [],
  changesAtMs: new Date(2026, 10, 28, 12, 4).getTime(),
};

function request(change: Partial<Preflight>): string | undefined {
  return preflightText({ ...PREFLIGHT, ...change }, NOW_MS, formats, t)?.request;
}

function why(...causes: readonly PreflightCause[]): string {
  return (preflightText({ ...PREFLIGHT, causes }, NOW_MS, formats, t)?.why ?? '').replaceAll(/\s/g, ' ');
}

describe('The text about resuming', () => {
  it('says about with every figure', () => {
    assert.equal(request({}), 'Resuming: about 84.3K tokens, about 4.3K uncached, about $0.04');
  });

  it('names the reasons in a few words, as far as there is room', () => {
    const causes = [
      { code: 'version-changed', from: '2.1.200', to: '2.1.330' },
      { code: 'cache-expired', lifetime: '5m', ageMs: HOUR_MS, isPartial: false },
    ] as const;
    const of = (length: number): string | undefined => {
      const tokens = { sent: 84_312, bound: 'about', uncached: 84_312 } as const;
      const fits = (text: string): boolean => text.length <= length;
      return preflightText({ ...PREFLIGHT, tokens, causes }, NOW_MS, formats, t, fits)?.request;
    };
    assert.equal(of(85), 'Resuming: about 84.3K tokens, all uncached (version change, expired), about $0.04');
    assert.equal(of(75), 'Resuming: about 84.3K tokens, all uncached (version change), about $0.04');
    assert.equal(of(60), 'Resuming: about 84.3K tokens, all uncached, about $0.04');
    assert.equal(of(50), 'Resuming: about 84.3K tokens, about $0.04');
    assert.equal(of(10), 'Resuming: about 84.3K tokens, about $0.04');
  });

  it('names the limits of what is sent', () => {
    const tokens = { sent: 84_312, uncached: 84_312 };
    assert.equal(
      request({ tokens: { ...tokens, bound: 'at-most' } }),
      'Resuming: at most about 84.3K tokens, all uncached, at most about $0.04',
    );
    assert.match(
      request({ tokens: { ...tokens, bound: 'at-least' } }) ?? '',
      /about 84\.3K .*or more.*about \$\S+ or more/,
    );
  });

  it('says what is not known, and never shows an unknown price as zero', () => {
    assert.equal(
      request({ tokens: { sent: null, bound: 'about', uncached: null } }),
      'Resuming: the number of tokens is not known',
    );
    assert.equal(
      request({ tokens: { sent: 84_312, bound: 'about', uncached: null }, costUsd: null }),
      'Resuming: about 84.3K tokens, of which an unknown part is cached',
    );
    assert.equal(request({ costUsd: null }), 'Resuming: about 84.3K tokens, about 4.3K uncached, no price');
  });

  it('is empty if nothing was said in the session', () => {
    assert.equal(request({ messages: { loads: 0, of: 0, hasSummary: false } }), undefined);
  });

  it('has a sentence for each cause', () => {
    const expired = { code: 'cache-expired', ageMs: 3 * HOUR_MS } as const;
    const sentences: readonly (readonly [PreflightCause, string])[] = [
      [{ code: 'last-reply' }, 'Everything before the last reply is cached until 12:04 PM.'],
      [{ code: 'no-reply' }, 'Claude has not replied yet.'],
      [{ code: 'compacted' }, 'The conversation was compacted after the last reply.'],
      [
        { code: 'version-changed', from: '2.1.200', to: '2.1.330' },
        'The last reply is from Claude Code 2.1.200, and 2.1.330 sends other instructions.',
      ],
      [{ code: 'model-changed', from: 'a', to: 'b' }, 'The model has changed from a to b.'],
      [{ code: 'model-unknown', model: 'gone' }, 'gone may be replaced by the default model.'],
      [{ code: 'not-cached' }, 'The last request used no cache.'],
      [{ ...expired, lifetime: '5m', isPartial: false }, 'The cache is kept for 5 minutes; last use: 9:00 AM.'],
      [{ ...expired, lifetime: '1h', isPartial: false }, 'The cache is kept for an hour; last use: 9:00 AM.'],
      [
        { ...expired, lifetime: '5m', isPartial: true },
        'A part of the cache is kept for 5 minutes; last use: 9:00 AM.',
      ],
      [{ code: 'unknown-age' }, 'The time of the last reply is not known.'],
      [{ code: 'unknown-lifetime', ageMs: HOUR_MS }, 'How long the cache is kept is not known.'],
      [{ code: 'repaired' }, 'The session was repaired after the last reply.'],
      [{ code: 'history-lost' }, 'Claude does not find what came before a break.'],
    ];
    for (const [cause, sentence] of sentences) assert.equal(why(cause), sentence);
    assert.equal(
      why({ code: 'not-cached' }, { code: 'repaired' }),
      `${why({ code: 'not-cached' })} ${why({ code: 'repaired' })}`,
    );
  });

  it('says the day, too, of a last use that is long ago', () => {
    assert.match(why({ code: 'cache-expired', lifetime: '5m', ageMs: 48 * HOUR_MS, isPartial: false }), /Nov 26, 2026/);
  });
});
