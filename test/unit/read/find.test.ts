import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FindQuery } from '../../../src/shared/conversation';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { assistant, call, prompt, reply, result, transcript } from '../../support/transcriptBuilder';
import { allItems, CHAIN, FILE, withConversation } from './readView';

function query(text: string, more: Partial<FindQuery> = {}): FindQuery {
  return { text, isRegExp: false, isCaseSensitive: false, roles: [], tool: null, ...more };
}

const BYTES = transcript([
  prompt('Apple pie', null),
  call('c1', 'Apple pie', 'a'),
  result('apple', 'c1', 'a'),
  prompt('side apple', 'Apple pie'),
  reply('apple, apple', 'apple'),
  { type: 'of-tomorrow', text: 'an apple' },
  reply('last', 'apple, apple'),
]);

function find(query: FindQuery, view = CHAIN) {
  return withConversation(BYTES, (conversation) => conversation.find(view, query));
}

describe('Finding in a conversation', () => {
  it('finds all hits of the view, and counts them', async () => {
    const { items, hits, isCut, problem } = await find(query('APPLE'));
    // The prompt; the call with its result; the reply; the unknown row. Not the branch.
    assert.deepEqual([items, hits, isCut, problem], [[0, 1, 2, 3], 5, false, null]);
    assert.deepEqual((await find(query('apple'), FILE)).items, [0, 2, 3, 4, 5]);
  });

  it('looks at texts as they were written, with the marks of their Markdown', () =>
    withConversation(
      transcript([reply('x', null), assistant('r', 'x', [{ type: 'text', text: 'foo **bar**, `baz`\nqux' }])]),
      async (conversation) => {
        const found = async (text: string, isRegExp = false): Promise<number> =>
          (await conversation.find(CHAIN, query(text, { isRegExp }))).hits;
        assert.equal(await found('foo bar'), 0);
        assert.equal(await found('foo **bar**, `b'), 1);
        assert.equal(await found('foo\\W+bar\\W+baz', true), 1);
        // Line breaks are part of the text, too.
        assert.equal(await found('baz`\nqux'), 1);
        assert.equal(await found('baz` qux'), 0);
      },
    ));

  it('can tell upper from lower case', async () => {
    assert.deepEqual((await find(query('Apple', { isCaseSensitive: true }))).items, [0]);
  });

  it('takes a regular expression, and says when it is none', async () => {
    assert.equal((await find(query('apple(?=,)', { isRegExp: true }))).hits, 1);
    assert.equal((await find(query('a.p', { isRegExp: false }))).hits, 0);
    const { items, problem } = await find(query('(', { isRegExp: true }));
    assert.deepEqual(items, []);
    assert.match(problem ?? '', /no regular expression/);
  });

  it('looks at what some roles say alone', async () => {
    assert.deepEqual((await find(query('apple', { roles: ['user'] }))).items, [0]);
    assert.deepEqual((await find(query('apple', { roles: ['assistant'] }))).items, [1, 2]);
    assert.deepEqual((await find(query('apple', { roles: ['unknown'] }))).items, [3]);
  });

  it('looks at the calls and results of one tool alone', async () => {
    assert.deepEqual((await find(query('apple', { tool: 'Bash' }))).items, [1]);
    assert.deepEqual((await find(query('apple', { tool: 'Read' }))).items, []);
  });

  it('finds what a slow look at every row finds, in all recordings', async () => {
    for (const file of listRecordings()) {
      await withConversation(readFileSync(join(FIXTURES, file)), async (conversation) => {
        const items = await allItems(conversation, CHAIN);
        for (const text of ['turn two', 'alpha', 'created']) {
          const { items: found } = await conversation.find(CHAIN, query(text));
          const seen = items.flatMap((item, at) => (JSON.stringify(item).toLowerCase().includes(text) ? [at] : []));
          for (const index of found) assert.ok(seen.includes(index), `${file} ${text} ${index}`);
        }
      });
    }
  });

  it('gives up an expression that never ends', async function () {
    this.timeout(30_000);
    const evil = Array.from({ length: 30 }, (_, at) =>
      assistant(`r${at}`, at === 0 ? null : `r${at - 1}`, 'a'.repeat(40)),
    );
    await withConversation(transcript(evil), async (conversation) => {
      const { isCut, items } = await conversation.find(CHAIN, query('(a+)+$b', { isRegExp: true }));
      assert.equal(isCut, true);
      assert.deepEqual(items, []);
    });
  });

  it('lets a newer search take the place of the one that runs', () =>
    withConversation(BYTES, async (conversation) => {
      const [older, newer] = await Promise.all([
        conversation.find(CHAIN, query('apple')),
        conversation.find(CHAIN, query('last')),
      ]);
      assert.ok(older.isCut || older.items.length === 0);
      assert.deepEqual(newer.items, [4]);
    }));

  it('ends at its bound', async function () {
    this.timeout(30_000);
    const rows = Array.from({ length: 10_500 }, (_, at) => prompt(`p${at}`, at === 0 ? null : `p${at - 1}`));
    await withConversation(transcript(rows), async (conversation) => {
      const { items, isCut } = await conversation.find(CHAIN, query('prompt'));
      assert.equal(items.length, 10_000);
      assert.equal(isCut, true);
    });
  });
});

describe('The outline', () => {
  it('lists the prompts, with what of them is loaded', () => {
    const rows = [
      prompt('first', null),
      reply('r1', 'first'),
      prompt('note', 'r1', { isMeta: true }),
      prompt('second', 'lost', { message: { content: `  many\n\nwords ${'x'.repeat(500)}` } }),
      call('c1', 'second', 'a'),
      result('t1', 'c1', 'a'),
    ];
    return withConversation(transcript(rows), async (conversation) => {
      const outline = await conversation.outline(CHAIN);
      assert.deepEqual(
        outline.map(({ index, line, isLoaded }) => ({ index, line, isLoaded })),
        [
          { index: 0, line: 1, isLoaded: false },
          { index: 4, line: 4, isLoaded: true },
        ],
      );
      assert.equal(outline[0]?.label, 'prompt first');
      assert.match(outline[1]?.label ?? '', /^many words x+…$/);
      assert.ok((outline[1]?.label.length ?? 0) <= 121);
    });
  });
});

describe('The item of a line', () => {
  it('is that of its row, or of the call that it is shown with', () =>
    withConversation(BYTES, async (conversation) => {
      const indexes = await Promise.all(
        [1, 2, 3, 4, 5, 6, 7, 8, 0].map((line) => conversation.indexOfLine(CHAIN, line)),
      );
      assert.deepEqual(indexes, [0, 1, 1, null, 2, 3, 4, null, null]);
    }));
});
