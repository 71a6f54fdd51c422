import assert from 'node:assert/strict';
import { readTime } from '../../rooms/format';

describe('The time of a row', () => {
  it('is a date and time with an offset from UTC', () => {
    const noon = Date.UTC(2026, 10, 21, 12);
    for (const text of [
      '2026-11-21T12:00:00.000Z',
      '2026-11-21T12:00:00.000000Z',
      '2026-11-21T12:00:00Z',
      '2026-11-21T12:00Z',
      '2026-11-21T17:45:00.000+05:45',
      '2026-11-21T12:00:00+00:00',
      '2026-11-21T06:00:00-06:00',
    ]) {
      assert.equal(readTime(text), noon, text);
    }
    assert.equal(readTime('2024-02-29T00:00:00Z'), Date.UTC(2024, 1, 29));
    assert.equal(readTime('2026-12-31T23:59:59.999Z'), Date.UTC(2027, 0, 1) - 1);
  });

  it('is invalid if the machine’s zone would have to be assumed', () => {
    for (const text of ['2026-11-21T12:00:00.000', '2026-11-21', '2026-11', '2026', '2026-11-21T12:00']) {
      assert.equal(readTime(text), NaN, text);
    }
  });

  it('is invalid for a day or an hour that does not exist', () => {
    for (const text of [
      ...['2026-02-29T12:00:00Z', '2026-02-30T12:00:00Z', '1900-02-29T12:00:00Z', '2026-04-31T12:00:00Z'],
      ...['2026-13-01T12:00:00Z', '2026-00-01T12:00:00Z', '2026-01-00T12:00:00Z', '2026-01-32T12:00:00Z'],
      ...['2026-01-01T25:00:00Z', '2026-01-01T12:60:00Z', '2026-01-01T12:00:61Z', '2026-01-31T12:00:00+99:00'],
    ]) {
      assert.equal(readTime(text), NaN, text);
    }
  });

  it('is invalid for text that only resembles a time, and for other types', () => {
    for (const value of [
      ...['1', '99', 'now', '', 'Sat, 21 Nov 2026 12:00:00 GMT', '1795262400000', ' 2026-11-21T12:00:00Z'],
      ...['2026-11-21 12:00:00Z', '2026-11-21T12:00:00Z\n', '+002026-11-21T12:00:00Z', '2026-11-21T12:00:00+0100'],
      ...[undefined, null, 7, {}, ['2026-11-21T12:00:00Z']],
    ]) {
      assert.equal(readTime(value), NaN, JSON.stringify(value));
    }
  });
});
