import assert from 'node:assert/strict';
import { readPriceOverrides } from '../../../src/extension/config/settings';

describe('The prices in the settings', () => {
  it('are empty if nothing is set', () => {
    for (const setting of [undefined, null, {}]) {
      assert.deepEqual(readPriceOverrides(setting), { overrides: {}, invalid: [] });
    }
  });

  it('are used as they are, including a price of 0', () => {
    const setting = { mine: { input: 3, output: 15.5 }, free: { input: 0 } };
    assert.deepEqual(readPriceOverrides(setting), { overrides: setting, invalid: [] });
  });

  it('are used field by field: an invalid price is reported, and the others are used', () => {
    const setting = { mine: { input: '3', output: 15, cacheRead: -1, reasoning: 2 }, other: 7, ' ': { input: 1 } };
    assert.deepEqual(readPriceOverrides(setting), {
      overrides: { mine: { output: 15 } },
      invalid: ['mine.input', 'mine.cacheRead', 'mine.reasoning', 'other', ' '],
    });
  });

  it('are reported as invalid if they are not an object', () => {
    for (const setting of ['cheap', 3, [{ input: 1 }], true]) {
      assert.deepEqual(readPriceOverrides(setting), { overrides: {}, invalid: ['tokens.priceOverrides'] });
    }
  });

  it('cannot change object prototypes', () => {
    const setting: unknown = JSON.parse('{"__proto__": {"input": 1}, "m": {"__proto__": 1, "input": 1e999}}');
    const { overrides, invalid } = readPriceOverrides(setting);
    assert.deepEqual(Object.keys(overrides), ['__proto__']);
    assert.equal(Object.getPrototypeOf(overrides), Object.prototype);
    assert.deepEqual(invalid, ['m.__proto__', 'm.input']);
  });
});
