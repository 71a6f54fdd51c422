import assert from 'node:assert/strict';
import { formats } from './fakes';

describe('A size', () => {
  it('is in the unit that suits it, with the plural of bytes', () => {
    assert.deepEqual(
      [0, 1, 28, 999, 42_000, 1_530_000, 2_400_000_000].map((bytes) => formats.size(bytes)),
      ['0 bytes', '1 byte', '28 bytes', '999 bytes', '42 kB', '1.5 MB', '2.4 GB'],
    );
  });
});
