import assert from 'node:assert/strict';
import { readPriceOverrides } from '../../../src/extension/config/settings';

describe('the prices in the settings', () => {
  it('are none when nothing is set', () => {
    for (const setting of [undefined, null, {}]) {
      assert.deepEqual(readPriceOverrides(setting), { overrides: {}, invalid: [] });
    }
  });

  it('count as they stand, a price of 0 with them', () => {
    const setting = { mine: { input: 3, output: 15.5 }, free: { input: 0 } };
    assert.deepEqual(readPriceOverrides(setting), { overrides: setting, invalid: [] });
  });

  it('count field by field: what is no price is told, and the rest is used', () => {
    const setting = { mine: { input: '3', output: 15, cacheRead: -1, reasoning: 2 }, other: 7, ' ': { input: 1 } };
    assert.deepEqual(readPriceOverrides(setting), {
      overrides: { mine: { output: 15 } },
      invalid: ['mine.input', 'mine.cacheRead', 'mine.reasoning', 'other', ' '],
    });
  });

  it('are told to be no prices when they are no object at all', () => {
    for (const setting of ['cheap', 3, [{ input: 1 }], true]) {
      assert.deepEqual(readPriceOverrides(setting), { overrides: {}, invalid: ['tokens.priceOverrides'] });
    }
  });

  it('are no way into objects', () => {
    const setting: unknown = JSON.parse('{"__proto__": {"input": 1}, "m": {"__proto__": 1, "input": 1e999}}');
    const { overrides, invalid } = readPriceOverrides(setting);
    assert.deepEqual(Object.keys(overrides), ['__proto__']);
    assert.equal(Object.getPrototypeOf(overrides), Object.prototype);
    assert.deepEqual(invalid, ['m.__proto__', 'm.input']);
  });
});
