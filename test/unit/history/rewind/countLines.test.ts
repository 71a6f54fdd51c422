import assert from 'node:assert/strict';
import { diffLines } from 'diff';
import fc from 'fast-check';
import { countLines } from '../../../rooms/history';

const TEXT = fc
  .array(fc.constantFrom('a', 'b', 'c', '\n', '\n', '\r\n', '\r', ' ', 'x\ny\n'), { maxLength: 40 })
  .map((parts) => parts.join(''));

describe('The count of different lines', () => {
  it('equals that of the library that the client uses', () => {
    fc.assert(
      fc.property(TEXT, TEXT, (before, after) => {
        let insertions = 0;
        let deletions = 0;
        for (const { added, removed, count } of diffLines(before, after)) {
          if (added) insertions += count;
          else if (removed) deletions += count;
        }
        assert.deepEqual(countLines(before, after), { insertions, deletions });
      }),
    );
  });

  it('is exact for files that have nothing in common, however long they are', () => {
    const lines = (word: string): string => Array.from({ length: 50_000 }, (_, at) => `${word} ${at}\n`).join('');
    assert.deepEqual(countLines(lines('one'), lines('other')), { insertions: 50_000, deletions: 50_000 });
  });

  it('ignores the order where thousands of lines were moved', () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at}\n`);
    const { insertions, deletions } = countLines(lines.join(''), [...lines].reverse().join(''));
    assert.equal(insertions, deletions);
  });
});
