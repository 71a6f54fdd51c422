import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { calcPrice } from '@pydantic/genai-prices';
import { pricesJson } from '../../../scripts/writePrices.mjs';
import {
  contextWindow,
  hasLongPrompt,
  type MessageCounts,
  NO_TIME,
  PriceBook,
  quarterOf,
  SpendingTable,
  toUsd,
} from '../../rooms/usage';
import type { PriceOverrides } from '../../../src/protocol/usage';

const NONE: MessageCounts = { input: 0, output: 0, writes: 0, writes1h: 0, reads: 0, searches: 0, fetches: 0 };
const MILLION = 1_000_000;

describe('Prices', () => {
  /** US dollars for one message; null without a price. */
  function usd(model: string | null, counts: Partial<MessageCounts>, overrides: PriceOverrides = {}, atMs = NaN) {
    const all = { ...NONE, ...counts };
    const table = new SpendingTable(1);
    table.add(0, 1, all, new PriceBook(overrides).of(model)?.at(quarterOf(atMs), hasLongPrompt(all)) ?? null);
    return table.spending(0).cost.usd;
  }

  it('are those of the package from which they are generated', () => {
    const file = join(__dirname, '../../../src/core/usage/prices.json');
    assert.equal(readFileSync(file, 'utf8'), pricesJson());
  });

  it('equal those of the package for every model, long prompts and past dates', () => {
    const names = [
      ...['claude-opus-5-5', 'claude-opus-5', 'claude-opus-4-8', 'claude-opus-4-6', 'claude-sonnet-4-6-20260217'],
      ...[
        'claude-sonnet-4-5-20250929',
        'claude-sonnet-4-20250514',
        'claude-haiku-4-5-20251001',
        'claude-3-opus-20240229',
      ],
      ...['claude-3-7-sonnet-20250219', 'claude-3-5-haiku-20241022', 'claude-fable-5', 'claude-opus-4-1-20250805'],
    ];
    for (const model of names) {
      for (const reads of [1000, 250_000]) {
        for (const time of ['2026-03-12T23:59:00Z', '2026-03-13T00:00:00Z', '2026-11-22T00:00:00Z']) {
          const counts = { input: 1200, output: 3400, writes: 5600, reads };
          const expected = calcPrice(
            {
              // The package counts the whole prompt as input.
              input_tokens: counts.input + counts.writes + counts.reads,
              output_tokens: counts.output,
              cache_write_tokens: counts.writes,
              cache_read_tokens: counts.reads,
            },
            model,
            { providerId: 'anthropic', timestamp: new Date(time) },
          );
          const found = usd(model, counts, {}, Date.parse(time));
          assert.ok(Math.abs((found ?? NaN) - (expected?.total_price ?? NaN)) < 1e-9, `${model} ${reads} ${time}`);
        }
      }
    }
  });

  it('are unknown for an unknown model, however similar its name', () => {
    const names = [
      ...['claude-opus-5-7', 'claude-opus-5-99', 'claude-opus-5-20260101x', 'claude-opus-4-10', 'claude-opus-4.10'],
      ...['claude-sonnet-4-7', 'claude-sonnet-4-9-20261101', 'claude-sonnet-4-foo', 'claude-sonnet-4-60'],
      ...[
        'claude-sonnet-5-5',
        'claude-sonnet-5.5',
        'claude-sonnet-5-5-20270101',
        'claude-sonnet-50',
        'claude-3-5-haiku-2',
      ],
      ...['us.anthropic.claude-sonnet-4-7-20261101-v1:0', 'claude-sonnet-4-7[1m]', 'gpt-9', 'claude', ''],
    ];
    for (const model of [...names, null]) assert.equal(usd(model, { input: 5 }), null, String(model));
  });

  it('are found by the longest matching name', () => {
    assert.equal(usd('claude-opus-5', { input: MILLION - 800_001 }), usd('claude-opus-5-20260401', { input: 199_999 }));
    assert.equal(usd('claude-opus-5-5-20260901', { output: MILLION }), 20);
    assert.equal(usd('claude-opus-5', { output: MILLION }), 25);
  });

  it('apply to the same model on Bedrock and Vertex, and with the long context', () => {
    for (const name of [
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'anthropic.claude-sonnet-4-5-20250929-v1:0',
      'anthropic/claude-sonnet-4-5',
      'claude-sonnet-4-5@20250929',
      'Claude-Sonnet-4-5[1m]',
      'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0',
      'projects/p/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929',
    ]) {
      assert.equal(usd(name, { output: MILLION }), 15, name);
    }
  });

  it('are found whatever follows the name, unless it is a version', () => {
    const names = {
      'claude-sonnet-4': 15,
      'claude-sonnet-4@20250514': 15,
      'claude-sonnet-4-20250514': 15,
      'claude-sonnet-4-0': 15,
      'claude-sonnet-4-5-latest': 15,
      'claude-sonnet-5-20270101': 10,
      'claude-3-5-sonnet-v2@20241022': 15,
      'claude-3-7-sonnet-20250219-thinking': 15,
      'claude-opus-4-1@20250805': 75,
      'claude-v2': 24,
      'anthropic.claude-v2:1': 24,
      'claude-v1': 24,
    };
    for (const [name, price] of Object.entries(names)) assert.equal(usd(name, { output: 100_000 }), price / 10, name);
  });

  it('in the settings apply to an inference profile that names no model', () => {
    const profile = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc1234';
    assert.equal(usd(profile, { input: 5 }), null);
    assert.equal(usd(profile, { input: MILLION }, { [profile]: { input: 3, output: 15 } }), 3);
    assert.equal(usd(profile, { input: MILLION }, { 'arn:aws:bedrock:us-east-1': { input: 3, output: 15 } }), 3);
  });

  it('treat one-hour cache writes separately, and never count cached tokens as input', () => {
    assert.equal(usd('claude-opus-5-5', { input: 100, writes: 30, writes1h: 10, reads: 40 }), 0.000588);
    assert.equal(100 * 4 + 20 * 5 + 10 * 8 + 40 * 0.2, 588);
  });

  it('of the cache are derived from the input price if no others are known', () => {
    const only = { 'my-model': { input: 10, output: 20 } };
    assert.equal(usd('my-model-2', { writes: 150_000 }, only), 1.875);
    assert.equal(usd('my-model-2', { writes: 150_000, writes1h: 150_000 }, only), 3);
    assert.equal(usd('my-model-2', { reads: 150_000 }, only), 0.15);
    assert.equal(usd('my-model-2', { searches: 3 }, only), 0.03);
    assert.equal(usd('my-model-2', { input: 1 }, { 'my-model': { output: 20 } }), null);
  });

  it('in the settings override the table, the longest name first', () => {
    const overrides = { 'claude-opus': { output: 1 }, 'claude-opus-5-5': { output: 2, input: 0 }, 'claude-s': {} };
    assert.equal(usd('claude-opus-5-5', { output: MILLION, input: 100 }, overrides), 2);
    assert.equal(usd('claude-opus-4-8', { output: MILLION, input: 100_000 }, overrides), 1.5);
    assert.equal(usd('claude-sonnet-4-6', { output: MILLION }, overrides), 15);
  });

  it('in the settings that are invalid are skipped', () => {
    for (const output of [-1, NaN, Infinity, '2', null]) {
      // SAFETY: a value that a person may write.
      const overrides = { 'claude-opus': { output } } as unknown as PriceOverrides;
      assert.equal(usd('claude-opus-5-5', { output: MILLION }, overrides), 20, String(output));
    }
  });

  it('are the latest ones for a message without a time', () => {
    const prices = new PriceBook({}).of('claude-opus-4-6');
    assert.equal(prices?.at(NO_TIME, true)?.input, 5000);
    assert.equal(prices.at(0, true)?.input, 10_000);
    assert.equal(toUsd(1e9), 1);
  });
});

describe('The context window of a model', () => {
  it('comes from the table, its name or its usage, and is unknown otherwise', () => {
    assert.equal(contextWindow('claude-opus-5-5', 10), 1_000_000);
    assert.equal(contextWindow('claude-haiku-4-5-20251001', 10), 200_000);
    assert.equal(contextWindow('claude-never-seen', 10), null);
    assert.equal(contextWindow('claude-never-seen[1m]', 10), 1_000_000);
    assert.equal(contextWindow('claude-sonnet-4-5', 200_001), 1_000_000);
    assert.equal(contextWindow('claude-sonnet-4-5', 1_000_001), null);
    assert.equal(contextWindow(null, 10), null);
  });
});
