import assert from 'node:assert/strict';
import fc from 'fast-check';
import { requiredLiteral } from '../../../rooms/conversation';
import { jsonl, messageRow, searchBytes } from './searchFiles';

describe('A search by regular expression', () => {
  const rows = jsonl(
    messageRow('user', 'Error 404: page not found'),
    messageRow('user', 'error 500\nat line 7'),
    messageRow('user', 'all is well'),
  );
  const linesOf = async (text: string, isCaseSensitive = false): Promise<number[]> =>
    (await searchBytes(rows, { text, isRegExp: true, isCaseSensitive })).matches.map(({ line }) => line);

  it('finds the matches', async () => {
    assert.deepEqual(await linesOf(String.raw`error \d+`), [1, 2]);
    assert.deepEqual(await linesOf(String.raw`error \d+`, true), [2]);
    assert.deepEqual(await linesOf('^at line'), [2]);
    assert.deepEqual(await linesOf('found$|well$'), [1, 3]);
    assert.deepEqual(await linesOf('is.{1,3}ell'), [3]);
  });

  it('accepts unnecessary escapes', async () => {
    assert.deepEqual(await linesOf(String.raw`4\:\ page`), [1]);
    assert.deepEqual(await linesOf(String.raw`404\: page`), [1]);
  });

  it('finds nothing where the expression matches the empty string', async () => {
    assert.deepEqual(await linesOf('x*'), []);
    assert.deepEqual(await linesOf('(?=e)'), []);
    assert.deepEqual(await linesOf('x*w'), [3]);
  });

  it('gives up on a text that would take forever, continues with the others, and reports it', async () => {
    const trap = messageRow('user', `${'a'.repeat(60)}b`);
    const bytes = jsonl(trap, messageRow('user', 'aaa'), messageRow('user', 'none'));
    const { matches, outcome } = await searchBytes(bytes, { text: '^(a+)+$', isRegExp: true });
    assert.deepEqual(
      matches.map(({ line }) => line),
      [2],
    );
    assert.equal(outcome.isCut, true);
  });

  it('stops when many texts take too long', async () => {
    const trap = messageRow('user', `${'a'.repeat(60)}b`);
    const { outcome } = await searchBytes(jsonl(...Array.from({ length: 500 }, () => trap)), {
      text: '^(a+)+$',
      isRegExp: true,
    });
    assert.deepEqual([outcome.matches, outcome.isCut, outcome.isCancelled], [0, true, false]);
  }).timeout(20_000);

  it('searches the first million UTF-16 units of a text, and reports that there were more', async () => {
    const text = `needle${'x'.repeat(1024 * 1024)}pin`;
    const found = async (needle: string): Promise<[number, boolean]> => {
      const { outcome } = await searchBytes(jsonl(messageRow('user', text)), { text: needle, isRegExp: true });
      return [outcome.matches, outcome.isCut];
    };
    assert.deepEqual(await found('nee+dle'), [1, true]);
    assert.deepEqual(await found('pi+n'), [0, true]);
  });
});

describe('The literal that an expression requires', () => {
  for (const [source, literal] of [
    ['plain text', 'plain text'],
    [String.raw`error \d+ in file`, ' in file'],
    ['(group)text', 'text'],
    ['(?:a|b)long', 'long'],
    ['colou?r', 'colo'],
    ['ab*c', 'a'],
    ['abc+d', 'abc'],
    ['ab{0,3}cd', 'cd'],
    ['one|two', ''],
    [String.raw`a\.b\/c`, 'a.b/c'],
    [String.raw`\bword\b`, 'word'],
    [String.raw`\u0041bc`, ''],
    ['[abc]def', 'def'],
    ['[a\\]b|]def', 'def'],
    ['^start', 'start'],
    ['', ''],
  ] as const) {
    it(`of ${source || 'nothing'} is ${literal || 'none'}`, () => {
      assert.equal(requiredLiteral(source), literal);
    });
  }

  it('is in every match', () => {
    const part = fc.constantFrom(
      'a',
      'bc',
      '\\d',
      '.',
      'x?',
      'y*',
      'z+',
      '(q|r)',
      '[st]',
      'u{2}',
      'v{0,2}',
      '\\.',
      '^',
      '(?:w)?',
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }),
        fc.string({ unit: fc.constantFrom(...'abcxyzqrstuvw1.'.split('')), maxLength: 12 }),
        (parts, text) => {
          const source = parts.join('');
          const match = new RegExp(source, 'u').exec(text);
          if (match !== null) assert.ok(match[0].includes(requiredLiteral(source)), `${source} in ${text}`);
        },
      ),
      { numRuns: 3000 },
    );
  });
});
