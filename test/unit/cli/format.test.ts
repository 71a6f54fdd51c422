import assert from 'node:assert/strict';
import {
  clipPath,
  formatAge,
  formatBytes,
  formatLines,
  formatValue,
  shareOf,
  sharePhrase,
  shortenHome,
  wrap,
} from '../../../src/cli/report/text';
import { fitWidths, textWidth } from '../../../src/cli/report/page';

describe('Report formats', () => {
  it('write sizes in decimal units', () => {
    assert.deepEqual([0, 999, 1000, 1234, 56_789, 5_400_000, 2_000_000_000, 3e15].map(formatBytes), [
      '0 B',
      '999 B',
      '1 kB',
      '1.2 kB',
      '57 kB',
      '5.4 MB',
      '2 GB',
      '3,000 TB',
    ]);
  });

  it('call no part of a conversation nothing or all of it', () => {
    const shares = [0, 1, 320, 999, 1000].map((loads) => shareOf({ loads, of: 1000 }));
    assert.deepEqual(shares, ['none', 'part', 'part', 'part', 'all']);
    assert.equal(shareOf({ loads: 0, of: 0 }), '');
    assert.equal(sharePhrase({ loads: 0, of: 0 }), 'nothing of this conversation');
    assert.equal(sharePhrase({ loads: 1, of: 2 }), 'a part of this conversation');
  });

  it('write ages in the largest unit that fits, and a time in the future as now', () => {
    const ages = [-5, 0, 59_999, 60_000, 3_600_000, 86_400_000, 40 * 86_400_000, 800 * 86_400_000];
    assert.deepEqual(
      ages.map((age) => formatAge(1e12 - age, 1e12)),
      ['now', 'now', 'now', '1m ago', '1h ago', '1d ago', '1mo ago', '2y ago'],
    );
  });

  it('group consecutive lines, and state how many they leave out', () => {
    assert.equal(formatLines([4]), 'line 4');
    assert.equal(formatLines([4, 5, 7, 8, 9, 12]), 'lines 4, 5, 7–9, 12');
    assert.equal(formatLines([1, 3, 5, 7, 9, 11, 13, 15, 16], 3), 'lines 1, 3, 5 and 6 more');
  });

  it('write the home folder, and no other, as ~', () => {
    assert.equal(shortenHome('/home/a/x', '/home/a'), '~/x');
    assert.equal(shortenHome('/home/ab/x', '/home/a'), '/home/ab/x');
    assert.equal(shortenHome('/x', ''), '/x');
  });

  it('keep the end of a long path', () => {
    assert.equal(clipPath('/srv/deep/deeper/app', 12), '…/deeper/app');
    assert.equal(clipPath('/srv/deep/deeper/app', 11), '…/app');
    assert.equal(clipPath('/srv/averylongname', 6), '…gname');
    assert.equal(clipPath('/srv', 6), '/srv');
  });

  it('shorten ids and long values', () => {
    assert.equal(formatValue('11111111-1111-4111-8111-111111111111'), '11111111…');
    assert.equal(formatValue(null), 'null');
    assert.equal(formatValue(undefined), 'nothing');
    assert.equal(formatValue('x'.repeat(99)).length, 40);
  });

  it('break text at spaces within the width', () => {
    assert.equal(wrap('one two three', 10, '  '), '  one two\n  three');
  });

  it('measure text in terminal columns', () => {
    assert.equal(textWidth(['abc', 'a']), 3);
    assert.equal(textWidth(['日本']), 4);
    assert.equal(textWidth(['\u001b[31mred\u001b[39m']), 3);
  });

  it('divide the remaining width among the flexible columns', () => {
    assert.deepEqual(fitWidths([10, 5, 5], [1, 2], 80), [10, 5, 5]);
    assert.deepEqual(fitWidths([10, 50, 50], [1, 2], 54), [10, 20, 20]);
    assert.deepEqual(fitWidths([10, 10, 50], [1, 2], 54), [10, 10, 30]);
  });
});
