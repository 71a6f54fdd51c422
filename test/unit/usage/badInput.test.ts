import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { QUARTER_MS } from '../../rooms/usage';
import { countAll, createCounter, report } from './createCounter';
import { answer, type Row, withUsageFolder } from './usageFolder';
import { plainScanner } from '../../support/plainScanner';

describe('The usage of malformed rows', () => {
  /** Totals of a session of these rows. */
  function totals(...rows: readonly (Row | string)[]) {
    return withUsageFolder(async (folder) => {
      folder.write(folder.path('s'), rows);
      return report(await countAll(folder.configDir), 'day').totals;
    });
  }

  it('ignores messages without a usage', async () => {
    for (const usage of [undefined, null, [], 'x', 7]) {
      assert.equal((await totals(answer('m', 5, {}, { usage }))).messages, 0, JSON.stringify(usage));
    }
    assert.equal((await totals({ ...answer('m', 5), type: 'user' })).messages, 0);
  });

  it('counts messages with an empty usage as zero tokens', async () => {
    const { messages, counts, cost } = await totals(answer('m', 5, {}, { usage: {} }));
    assert.deepEqual([messages, counts.input + counts.output, cost.usd], [1, 0, 0]);
  });

  it('treats negative, fractional, string and oversized counts as 0, but accepts any 32-bit count', async () => {
    for (const output_tokens of [-1, 0.5, '7', null, 4_294_967_296, 1e300, [], {}]) {
      const usage = { input_tokens: 3, output_tokens };
      const { counts } = await totals(answer('m', 0, {}, { usage }));
      assert.deepEqual([counts.input, counts.output], [3, 0], JSON.stringify(output_tokens));
    }
    const { counts } = await totals(
      answer('a', 4_294_967_295),
      answer('b', 4_294_967_295),
      answer(
        'c',
        1,
        {},
        { usage: { cache_creation: { ephemeral_5m_input_tokens: 4_294_967_295, ephemeral_1h_input_tokens: 9 } } },
      ),
    );
    assert.equal(counts.output, 2 * 4_294_967_295);
    assert.equal(counts.cacheWrite5m + counts.cacheWrite1h, 4_294_967_295);
  });

  it('trusts cache write details that exceed the total, and counts missing ones as five-minute writes', async () => {
    const cache_creation = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 20 };
    for (const [cache_creation_input_tokens, fiveMinutes] of [
      [0, 30],
      [50, 30],
      [70, 50],
    ] as const) {
      const { counts } = await totals(answer('m', 0, {}, { usage: { cache_creation_input_tokens, cache_creation } }));
      assert.deepEqual([counts.cacheWrite5m, counts.cacheWrite1h], [fiveMinutes, 20]);
    }
  });

  it('includes rows without a valid time in the total, but in no day', async () => {
    for (const timestamp of [
      undefined,
      null,
      '',
      'soon',
      7,
      '1969-12-31T23:59:59.999Z',
      '+010000-01-01T00:00:00.000Z',
      '2026-11-21T10:00:00.000',
      '2026-11-21 10:00:00Z',
      '2026-11-21',
      '2026-02-30T10:00:00.000Z',
      '2027-02-29T10:00:00.000Z',
      'Sat, 21 Nov 2026 10:00:00 GMT',
      '1',
      '99',
    ]) {
      await withUsageFolder(async (folder) => {
        folder.write(folder.path('s'), [answer('m', 5, { timestamp }), answer('n', 7)]);
        const { rows, totals: all } = report(await countAll(folder.configDir), 'day');
        assert.deepEqual(
          rows.map(({ key, counts }) => [key, counts.output]),
          [
            ['2026-11-21', 7],
            ['unknown', 5],
          ],
        );
        assert.equal(all.counts.output, 12);
      });
    }
  });

  it('counts rows from the future on their stated day', () =>
    withUsageFolder(async (folder) => {
      folder.write(folder.path('s'), [answer('m', 5, { timestamp: '2090-05-06T07:08:09.000Z' })]);
      const { rows } = report(await countAll(folder.configDir), 'day');
      assert.deepEqual(
        rows.map(({ key }) => key),
        ['2090-05-06'],
      );
      assert.ok(Date.parse('2090-05-06') / QUARTER_MS > 0);
    }));

  it('has no price for an unknown model, rather than a price of 0', async () => {
    const { cost } = await totals(answer('m', 5, {}, { model: 'claude-tomorrow-1' }));
    assert.deepEqual(cost, { usd: null, unpricedTokens: 15 });
    const both = await totals(answer('m', 5, {}, { model: 'claude-tomorrow-1' }), answer('n', 5));
    assert.deepEqual(both.cost, { usd: 0.00014, unpricedTokens: 15 });
  });

  it('has no price for a message without a model or with an absurd model name', async () => {
    for (const model of [undefined, null, 7, '', ' ', 'm'.repeat(201)]) {
      await withUsageFolder(async (folder) => {
        folder.write(folder.path('s'), [answer('m', 5, {}, { model }), answer('n', 5, {}, { model: undefined })]);
        const { rows } = report(await countAll(folder.configDir), 'model');
        assert.deepEqual(
          rows.map(({ key, messages, cost }) => [key, messages, cost.usd, cost.unpricedTokens]),
          [['unknown', 2, null, 30]],
        );
      });
    }
  });

  it('accepts model names as long as that of an inference profile', async () => {
    const profile =
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0';
    assert.ok(profile.length > 100);
    const { cost } = await totals(answer('m', 5, {}, { model: profile }));
    assert.deepEqual(cost, { usd: 0.000105, unpricedTokens: 0 });
  });

  it('ignores errors that the client wrote itself', async () => {
    assert.equal((await totals(answer('m', 5, {}, { model: '<synthetic>' }))).messages, 0);
  });

  it('identifies messages without an id by their uuid, or else counts each', async () => {
    const nameless = (uuid?: string) => answer(undefined, 5, { uuid });
    assert.equal((await totals(nameless('u'), nameless('u'), nameless('v'))).messages, 2);
    assert.equal((await totals(nameless(), nameless())).messages, 2);
  });

  it('counts rows that share a line or follow NULs or a torn row, but not torn rows', async () => {
    const [a, b, c] = ['a', 'b', 'c'].map((id) => JSON.stringify(answer(id, 1)));
    assert.equal((await totals(`${a}${b}\n`, `\0\0\0${c}\n`)).messages, 3);
    assert.equal((await totals(`${a?.slice(0, 60)}\n${b}\n`, '\n\n[]\n"x"\n', `${c?.slice(0, -4)}`)).messages, 1);
  });
});

describe('The usage of malformed folders', () => {
  it('is empty for an empty folder, one without projects, and a missing one', () =>
    withUsageFolder(async ({ configDir }) => {
      for (const path of [join(configDir, 'gone'), configDir, configDir]) {
        const counter = createCounter(path);
        await counter.count();
        assert.deepEqual([counter.problem, report(counter.usage, 'project').totals.messages], [null, 0]);
        mkdirSync(join(configDir, 'projects'), { recursive: true });
      }
    }));

  it('skips folders, dangling links and prompt lists in the place of transcripts', () =>
    withUsageFolder(async (folder) => {
      folder.write(folder.path('s'), [answer('m', 5)]);
      folder.write(folder.path('history'), [answer('h', 5)]);
      mkdirSync(folder.path('folder'));
      symlinkSync(join(folder.configDir, 'nowhere'), folder.path('link'));
      const counter = createCounter(folder.configDir);
      await counter.count();
      assert.deepEqual([counter.problem, report(counter.usage, 'day').totals.messages], [null, 1]);
    }));

  it('reports an unreadable transcript, and counts the others', () =>
    withUsageFolder(async (folder) => {
      for (const name of ['a', 'b', 'c']) folder.write(folder.path(name), [answer(name, 5)]);
      let left = 2;
      const counter = createCounter(folder.configDir, {
        createScanner: (options) => {
          if (left-- > 0) throw Object.assign(new Error('The disk is broken'), { code: 'EIO' });
          return plainScanner(options);
        },
      });
      await counter.count();
      // The newest is read first.
      assert.ok(counter.problem?.includes(folder.path('c')), String(counter.problem));
      assert.match(counter.problem ?? '', /1 more could not be read\.$/u);
      assert.deepEqual([counter.waiting, report(counter.usage, 'day').totals.messages], [0, 1]);
      await counter.count();
      assert.deepEqual([counter.problem, report(counter.usage, 'day').totals.messages], [null, 3]);
    }));

  it('no longer counts a deleted transcript', () =>
    withUsageFolder(async (folder) => {
      folder.write(folder.path('a'), [answer('a', 5)]);
      folder.write(folder.path('b'), [answer('b', 5)]);
      const counter = createCounter(folder.configDir);
      await counter.count();
      rmSync(folder.path('a'));
      await counter.count();
      assert.equal(report(counter.usage, 'day').totals.messages, 1);
      assert.equal(await counter.countSession(folder.path('a')), null);
    }));
});
