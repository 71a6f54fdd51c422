import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FindQuery } from '../../../src/protocol/conversation';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { assistant, call, chainRow, prompt, reply, result, transcript } from '../../support/transcriptBuilder';
import { CHAIN, FILE, panelItems, withConversation } from './readView';

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

describe('Find in a conversation', () => {
  it('finds all hits of the view, and counts them', async () => {
    const { items, hits, isCut, problem } = await find(query('APPLE'));
    // The prompt; the call with its result; the reply; the unknown row. Not the branch.
    assert.deepEqual([items, hits, isCut, problem], [[0, 1, 2, 3], 5, false, null]);
    assert.deepEqual((await find(query('apple'), FILE)).items, [0, 2, 3, 4, 5]);
  });

  it('searches texts as written, including their Markdown', () =>
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

  it('can match case', async () => {
    assert.deepEqual((await find(query('Apple', { isCaseSensitive: true }))).items, [0]);
  });

  it('accepts a regular expression, and reports an invalid one', async () => {
    assert.equal((await find(query('apple(?=,)', { isRegExp: true }))).hits, 1);
    assert.equal((await find(query('a.p', { isRegExp: false }))).hits, 0);
    const { items, problem } = await find(query('(', { isRegExp: true }));
    assert.deepEqual(items, []);
    assert.match(problem ?? '', /no regular expression/);
  });

  it('can be limited to some roles', async () => {
    assert.deepEqual((await find(query('apple', { roles: ['user'] }))).items, [0]);
    assert.deepEqual((await find(query('apple', { roles: ['assistant'] }))).items, [1, 2]);
    assert.deepEqual((await find(query('apple', { roles: ['unknown'] }))).items, [3]);
  });

  it('can be limited to the calls and results of one tool', async () => {
    assert.deepEqual((await find(query('apple', { tool: 'Bash' }))).items, [1]);
    assert.deepEqual((await find(query('apple', { tool: 'Read' }))).items, []);
  });

  it('finds the same as a slow search of every row, in all recordings', async () => {
    for (const file of listRecordings()) {
      await withConversation(readFileSync(join(FIXTURES, file)), async (conversation) => {
        const items = await panelItems(conversation, CHAIN);
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

  it('stops early with an expression that is slow on every row, and says why', async function () {
    this.timeout(60_000);
    const rows = Array.from({ length: 3000 }, (_, at) =>
      prompt(`p${at}`, at === 0 ? null : `p${at - 1}`, { message: { content: `${'a'.repeat(21)} b` } }),
    );
    await withConversation(transcript(rows), async (conversation) => {
      const { problem, isCut } = await conversation.find(CHAIN, query('(a+)+$', { isRegExp: true }));
      assert.match(problem ?? '', /takes too long/);
      assert.equal(isCut, true);
    });
  });

  it('finds the matches of an expression that can match the empty string, in texts with emoji', async () => {
    const rows = Array.from({ length: 30 }, (_, at) =>
      prompt(`p${at}`, at === 0 ? null : `p${at - 1}`, {
        message: { content: `\u{1f680} Shipped release ${at + 10} of 500 units` },
      }),
    );
    await withConversation(transcript(rows), async (conversation) => {
      for (const [text, expected] of [
        ['(units)?', 30],
        ['\\d*', 60],
      ] as const) {
        const { items, hits, isCut } = await conversation.find(CHAIN, query(text, { isRegExp: true }));
        assert.deepEqual([items.length, hits, isCut], [30, expected, false], text);
      }
    });
  });

  it('reports the number of hits of each item, and the texts that a regular expression matched in it', async () => {
    const { items, counts, matched } = await find(query('apple', { isRegExp: true }));
    assert.deepEqual(
      [items, counts],
      [
        [0, 1, 2, 3],
        [1, 1, 2, 1],
      ],
    );
    const textsOf = (at: number) => matched?.ofItems[at]?.map((text) => matched.texts[text]);
    assert.deepEqual(textsOf(0), [{ text: 'Apple', before: 'gap', after: 'gap' }]);
    assert.deepEqual(textsOf(2), [
      { text: 'apple', before: 'gap', after: 'gap' },
      { text: 'apple', before: 'gap', after: 'line' },
    ]);
    assert.deepEqual((await find(query('ppl', { isRegExp: true }))).matched?.texts[0], {
      text: 'ppl',
      before: 'inside',
      after: 'inside',
    });
    assert.equal((await find(query('apple'))).matched, null);
  });

  it('reports no more matched texts than a panel can highlight', async () => {
    const content = Array.from({ length: 2000 }, (_, at) => `word${at} ${'y'.repeat(300)}`).join('\n');
    await withConversation(transcript([prompt('p', null, { message: { content } })]), async (conversation) => {
      const { counts, matched } = await conversation.find(CHAIN, query('.+', { isRegExp: true }));
      assert.deepEqual(counts, [2000]);
      assert.ok(matched !== null && matched.texts.length <= 100);
      assert.ok(matched.texts.every(({ text, after }) => text.length <= 200 && after === 'any'));
    });
  });

  it('searches what is shown of client rows, including their titles', () =>
    withConversation(
      transcript([
        prompt('p', null, {
          message: {
            content: [
              { type: 'text', text: 'hello' },
              {
                type: 'document',
                title: 'spec.pdf',
                source: { type: 'base64', media_type: 'application/pdf', data: 'Nothing' },
              },
            ],
          },
        }),
        chainRow('system', 's1', 'p', {
          subtype: 'api_error',
          error: { message: 'Overloaded', type: 'overloaded_error' },
        }),
        chainRow('system', 's2', 's1', { subtype: 'stop_hook_summary', hookInfos: [{ command: 'npm run lint' }] }),
        chainRow('system', 's3', 's2', { subtype: 'informational', content: 'all is well' }),
        chainRow('attachment', 'a1', 's3', {
          attachment: { type: 'edited_text_file', filename: '/a/b.txt', snippet: 'x = 1' },
        }),
      ]),
      async (conversation) => {
        for (const [text, expected, hits] of [
          ['Overloaded', [1], 1],
          ['npm run lint', [1], 1],
          ['Stop hook summary', [1], 1],
          ['hook SUMMARY', [1], 1],
          ['informational', [1], 1],
          ['Document: spec.pdf', [0], 1],
          ['document', [0], 1],
          ['spec.pdf', [0], 1],
          ['Edited text file', [1], 1],
          ['file: /a/b', [1], 1],
          ['Edited \\w+ file', [1], 1],
        ] as const) {
          const isRegExp = text.includes('\\w');
          const result = await conversation.find(CHAIN, query(text, { isRegExp }));
          assert.deepEqual([result.items, result.hits], [expected, hits], text);
        }
      },
    ));

  it('ignores colour codes in terminal output', () =>
    withConversation(
      transcript([
        prompt('p', null),
        call('c1', 'p', 'a'),
        result('r1', 'c1', 'a', {
          message: { content: [{ type: 'tool_result', tool_use_id: 'a', content: '\u001b[31mred\u001b[0m ok' }] },
        }),
      ]),
      async (conversation) => {
        assert.deepEqual((await conversation.find(CHAIN, query('red ok'))).items, [1]);
        assert.deepEqual((await conversation.find(CHAIN, query('^red ok$', { isRegExp: true }))).items, [1]);
        assert.deepEqual((await conversation.find(CHAIN, query('31m'))).items, []);
      },
    ));

  it('accepts any part of a tool name, also as displayed', () =>
    withConversation(
      transcript([
        prompt('p', null),
        assistant('c1', 'p', [{ type: 'tool_use', id: 'a', name: 'mcp__srv__do_it', input: { text: 'needle' } }]),
        result('r1', 'c1', 'a'),
        call('c2', 'r1', 'b'),
      ]),
      async (conversation) => {
        const found = async (text: string, tool: string) =>
          (await conversation.find(CHAIN, query(text, { tool }))).items;
        for (const tool of ['srv', 'SRV · do_it', 'do_it', 'mcp__srv__do_it'])
          assert.deepEqual(await found('needle', tool), [1], tool);
        assert.deepEqual(await found('needle', 'bash'), []);
        assert.deepEqual(await found('bash', 'bash'), [1]);
      },
    ));

  it('reports that it skipped a row on which an expression never ends, and searches the others', () =>
    withConversation(
      transcript([
        prompt('p', null, { message: { content: `${'a'.repeat(60)}c` } }),
        prompt('q', 'p', { message: { content: 'aab' } }),
      ]),
      async (conversation) => {
        const { items, isCut, problem } = await conversation.find(CHAIN, query('(a+)+b', { isRegExp: true }));
        assert.deepEqual([items, isCut], [[1], true]);
        assert.match(problem ?? '', /passed over/);
      },
    ));

  it('replaces a running search by a newer one', () =>
    withConversation(BYTES, async (conversation) => {
      const [older, newer] = await Promise.all([
        conversation.find(CHAIN, query('apple')),
        conversation.find(CHAIN, query('last')),
      ]);
      assert.ok(older.isCut || older.items.length === 0);
      assert.deepEqual(newer.items, [4]);
    }));

  it('stops at its limit', async function () {
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
  it('lists the prompts, and states which of them are loaded', () => {
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
  it('is the item of its row, or of the call with which it is shown', () =>
    withConversation(BYTES, async (conversation) => {
      const indexes = await Promise.all(
        [1, 2, 3, 4, 5, 6, 7, 8, 0].map((line) => conversation.indexOfLine(CHAIN, line)),
      );
      assert.deepEqual(indexes, [0, 1, 1, null, 2, 3, 4, null, null]);
    }));
});
