import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readPersistedOutput } from '../../rooms/providers';
import { parseValuePath, valueAt } from '../../rooms/conversation';
import type { ContentBlock, ConversationItem, CutText } from '../../../src/protocol/conversation';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { assistant, call, chainRow, prompt, result, transcript } from '../../support/transcriptBuilder';
import { allItems, CHAIN, FILE, openConversation, withConversation } from './readView';

const LONG = Array.from({ length: 30_000 }, (_, at) => `word ${at}`).join('\n');

/** The parts of a block that may be cut, with the path to the complete value. */
function cutTexts(block: ContentBlock): readonly { readonly path: string; readonly body: CutText }[] {
  switch (block.kind) {
    case 'text':
    case 'thinking':
    case 'summary':
    case 'error':
    case 'raw':
      return [block];
    case 'note':
      return block.body === null ? [] : [{ path: block.path, body: block.body }];
    case 'result':
      return block.result.text === null ? [] : [{ path: block.result.path, body: block.result.text }];
    case 'tool': {
      const { input, path } = block;
      if (input.kind === 'bash') return [{ path: `${path}.input.command`, body: input.command }];
      if (input.kind === 'write') return [{ path: `${path}.input.content`, body: input.content }];
      if (input.kind === 'agent') return [{ path: `${path}.input.prompt`, body: input.prompt }];
      return input.kind === 'json' ? [{ path: `${path}.input`, body: input.json }] : [];
    }
    default:
      return [];
  }
}

describe('A text that was cut', () => {
  it('is returned completely by its path', async () => {
    const rows = [
      prompt('p1', null, { message: { content: LONG } }),
      assistant('r1', 'p1', [
        { type: 'thinking', thinking: LONG },
        { type: 'text', text: LONG },
        { type: 'of_tomorrow', value: LONG },
        { type: 'tool_use', id: 'a', name: 'Bash', input: { command: LONG } },
        { type: 'tool_use', id: 'b', name: 'Write', input: { file_path: '/a', content: LONG } },
        { type: 'tool_use', id: 'c', name: 'mcp__x', input: { deep: [LONG, { LONG }] } },
        { type: 'tool_use', id: 'd', name: 'Task', input: { prompt: LONG } },
      ]),
      chainRow('user', 't1', 'r1', {
        message: {
          content: [
            { type: 'tool_result', tool_use_id: 'x', content: LONG },
            {
              type: 'tool_result',
              tool_use_id: 'y',
              content: [
                { type: 'text', text: LONG },
                { type: 'text', text: 'b' },
              ],
            },
          ],
        },
      }),
      chainRow('system', 's1', 't1', { subtype: 'informational', content: LONG }),
      chainRow('attachment', 'a1', 's1', { attachment: { type: 'file', content: { file: { content: LONG } } } }),
      { type: 'of-tomorrow', value: LONG },
      prompt('p2', 'a1'),
    ];
    await withConversation(transcript(rows), async (conversation) => {
      let cut = 0;
      for (const item of await allItems(conversation, FILE)) {
        for (const { path, body } of item.kind === 'row' ? item.blocks.flatMap(cutTexts) : []) {
          if (body.more === 0) continue;
          cut++;
          const whole = await conversation.text(item.line, path);
          assert.ok(whole?.startsWith(body.text) === true, path);
          assert.equal(whole.length, body.text.length + body.more, path);
        }
      }
      assert.equal(cut, 13);
    });
  });

  it('is returned completely when it is a part of the text of its row', async () => {
    const note = `<ide_selection>${LONG}</ide_selection>`;
    await withConversation(
      transcript([prompt('p1', null, { message: { content: `${note}\n${LONG}` } })]),
      async (it) => {
        const [row] = await allItems(it, CHAIN);
        const parts = row?.kind === 'row' ? row.blocks.flatMap(cutTexts) : [];
        assert.deepEqual(await Promise.all(parts.map(({ path }) => it.text(1, path))), [note, LONG]);
      },
    );
  });

  it('matches what is shown, for every recorded row', async () => {
    for (const file of listRecordings()) {
      await withConversation(readFileSync(join(FIXTURES, file)), async (conversation) => {
        for (const item of await allItems(conversation, FILE)) {
          for (const { path, body } of item.kind === 'row' ? item.blocks.flatMap(cutTexts) : []) {
            const whole = await conversation.text(item.line, path);
            assert.notEqual(whole, null, `${file}:${item.line} ${path}`);
            if (body.more > 0) assert.ok(whole?.startsWith(body.text));
          }
        }
      });
    }
  });

  it('is found in rows that share a line', async () => {
    const [first, second] = [prompt('p1', null), prompt('p2', 'p1')];
    await withConversation(Buffer.from(`${JSON.stringify(first)}${JSON.stringify(second)}\n`), async (conversation) => {
      const items: ConversationItem[] = await allItems(conversation, FILE);
      const paths = items.flatMap((item) => (item.kind === 'row' ? item.blocks.flatMap(cutTexts) : []));
      assert.deepEqual(await Promise.all(paths.map(({ path }) => conversation.text(1, path))), [
        'prompt p1',
        'prompt p2',
      ]);
    });
  });

  it('is missing if a path leads nowhere', () =>
    withConversation(transcript([prompt('p1', null)]), async (conversation) => {
      for (const path of [
        'message.no',
        'message.content.0',
        '__proto__',
        'message.constructor',
        '5:message',
        'message.content.length',
      ]) {
        assert.equal(await conversation.text(1, path), null, path);
      }
      for (const line of [0, -1, 2, 1e9, Number.NaN, 0.5]) assert.equal(await conversation.text(line, 'message'), null);
    }));
});

describe('The path of a value', () => {
  it('follows own keys only', () => {
    const row: unknown = { a: [{ b: 1 }], toString: undefined };
    assert.equal(valueAt(row, ['a', '0', 'b']), 1);
    assert.equal(valueAt(row, ['a', 'length']), undefined);
    assert.equal(valueAt(row, ['a', '00']), undefined);
    assert.equal(valueAt(row, ['hasOwnProperty']), undefined);
    assert.equal(valueAt('text', ['length']), undefined);
  });

  it('is rejected when it is too long', () => {
    assert.equal(parseValuePath('a.'.repeat(1000)), null);
    assert.deepEqual(parseValuePath('2:a.b'), { object: 2, keys: ['a', 'b'] });
    assert.deepEqual(parseValuePath(''), { object: 0, keys: [] });
  });
});

describe('An image', () => {
  const row = (source: unknown) => [prompt('p1', null, { message: { content: [{ type: 'image', source }] } })];

  it('is returned as a data URL', () =>
    withConversation(
      transcript(row({ type: 'base64', media_type: 'image/png', data: 'AA\nAA' })),
      async (conversation) => {
        assert.equal(await conversation.image(1, 'message.content.0.source'), 'data:image/png;base64,AAAA');
      },
    ));

  it('is missing if it is broken, a script, or external', async () => {
    for (const source of [
      { media_type: 'image/png', data: '"><script>' },
      { media_type: 'image/svg+xml', data: 'AAAA' },
      { media_type: 'text/html', data: 'AAAA' },
      { type: 'url', url: 'https://example.invalid/a.png' },
      null,
    ]) {
      await withConversation(transcript(row(source)), async (conversation) => {
        assert.equal(await conversation.image(1, 'message.content.0.source'), null);
      });
    }
  });
});

describe('A line', () => {
  it('is returned as it is in the file', () =>
    withConversation(Buffer.from('{"type":"x"}\n\nno json\n{"a":1}'), async (conversation) => {
      const lines = await Promise.all([1, 2, 3, 4, 5, 0].map((line) => conversation.line(line)));
      assert.deepEqual(lines, ['{"type":"x"}', '', 'no json', '{"a":1}', null, null]);
    }));
});

describe('An edit', () => {
  const edit = (name: string, input: unknown, toolUseResult: unknown) => [
    prompt('p1', null),
    assistant('c1', 'p1', [{ type: 'tool_use', id: 'a', name, input }]),
    result('t1', 'c1', 'a', { toolUseResult }),
  ];
  const read = (rows: ReturnType<typeof edit>) =>
    withConversation(transcript(rows), (conversation) => conversation.edit(2, 'message.content.0'));

  it('is returned with the whole file, if the transcript holds it', async () => {
    const input = { file_path: '/a', old_string: 'b', new_string: '$&c' };
    assert.deepEqual(await read(edit('Edit', input, { originalFile: 'a b b' })), {
      filePath: '/a',
      before: 'a b b',
      after: 'a $&c b',
    });
    assert.equal(
      (await read(edit('Edit', { ...input, replace_all: true }, { originalFile: 'a b b' })))?.after,
      'a $&c $&c',
    );
  });

  it('is returned with the passage otherwise', async () => {
    const input = { file_path: '/a', old_string: 'b', new_string: 'c' };
    const passage = { filePath: '/a', before: 'b', after: 'c' };
    assert.deepEqual(await read(edit('Edit', input, {})), passage);
    assert.deepEqual(await read(edit('Edit', input, { originalFile: 'is another' })), passage);
  });

  it('is returned for a written file', async () => {
    const input = { file_path: '/a', content: 'new' };
    assert.deepEqual(await read(edit('Write', input, { originalFile: 'old' })), {
      filePath: '/a',
      before: 'old',
      after: 'new',
    });
    assert.deepEqual(await read(edit('Write', input, { originalFile: null })), {
      filePath: '/a',
      before: '',
      after: 'new',
    });
  });

  it('is missing for another call', async () => {
    assert.equal(await read(edit('Bash', { command: 'ls' }, {})), null);
  });
});

describe('An output that the client kept in a file', () => {
  it('is read only from the folder of the session', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, 'id.jsonl');
      const output = join(folder, 'id', 'tool-results', 'x.txt');
      mkdirSync(dirname(output), { recursive: true });
      writeFileSync(output, 'all of it');
      writeFileSync(join(folder, 'secret'), 'secret');
      symlinkSync(join(folder, 'secret'), join(dirname(output), 'link'));
      assert.equal(await readPersistedOutput(filePath, output), 'all of it');
      assert.equal(await readPersistedOutput(filePath, '/elsewhere/tool-results/x.txt'), 'all of it');
      assert.equal(await readPersistedOutput(filePath, 'C:\\there\\x.txt'), 'all of it');
      for (const path of [
        join(folder, 'secret'),
        '/etc/passwd',
        '../../secret',
        'link',
        '',
        '..',
        '.',
        'x.txt\0',
        '/',
      ]) {
        assert.equal(await readPersistedOutput(filePath, path), null, path);
      }
    }));

  it('is read from the file to which slimming has moved it', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, 'project', 's.jsonl');
      const output = join(folder, 'project', 's', 'removed', 'x.txt');
      mkdirSync(dirname(output), { recursive: true });
      writeFileSync(output, 'all of it');
      assert.equal(await readPersistedOutput(filePath, 's/removed/x.txt'), 'all of it');
      assert.equal(await readPersistedOutput(filePath, 's/tool-results/x.txt'), null);
    }));

  it('is read in a fork from the folder of the session that it was forked from', () =>
    withTemporaryFolder(async (folder) => {
      const project = join(folder, 'project');
      const fork = join(project, 'fork.jsonl');
      const output = join(project, 'origin', 'tool-results', 'x.txt');
      const outside = join(folder, 'tool-results', 'y.txt');
      for (const path of [output, outside]) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, 'all of it');
      }
      symlinkSync(outside, join(dirname(output), 'link'));
      assert.equal(await readPersistedOutput(fork, output), 'all of it');
      for (const path of [outside, `${project}/../tool-results/y.txt`, `${dirname(output)}/link`]) {
        assert.equal(await readPersistedOutput(fork, path), null, path);
      }
    }));
});

describe('A subagent’s transcript', () => {
  it('is found by the call that started it, and opens like any other', async () => {
    const found: string[] = [];
    for (const file of listRecordings()) {
      const conversation = openConversation(join(FIXTURES, file));
      for (const item of await allItems(conversation, CHAIN)) {
        for (const block of item.kind === 'row' ? item.blocks : []) {
          if (block.kind === 'tool' && block.subagent !== null) found.push(block.subagent);
        }
      }
      conversation.close();
    }
    assert.deepEqual(
      found.map((path) => path.slice(FIXTURES.length + 1).replace(/^recordings\/([^/]*)\/.*\//, '$1 ')).sort(),
      [
        'legacy-2.1.200 agent-a5c3a57d52d7a4e6d.jsonl',
        'legacy-2.1.50-progress agent-a92fed0f2b5c5d759.jsonl',
        'legacy-2.1.50-progress agent-abb9761b76f501f8e.jsonl',
        'tui-edits-rewind-tasks-subagents-compaction-branch agent-a8c7b06b5bf532e06.jsonl',
        'tui-edits-rewind-tasks-subagents-compaction-branch agent-ad744b61d0103cf76.jsonl',
      ],
    );
    for (const path of found) {
      const conversation = openConversation(path);
      const head = await conversation.head(CHAIN);
      assert.ok(head.count > 0);
      assert.ok((await allItems(conversation, CHAIN)).every((item) => item.kind === 'row' && item.isSidechain));
      conversation.close();
    }
  });

  it('is found before its call has a result, and beside the session in the layout of old clients', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, 'id.jsonl');
      const subagents = join(folder, 'id', 'subagents');
      mkdirSync(subagents, { recursive: true });
      writeFileSync(join(subagents, 'agent-1.jsonl'), '');
      writeFileSync(join(subagents, 'agent-1.meta.json'), JSON.stringify({ toolUseId: 'a' }));
      writeFileSync(join(subagents, 'agent-2.meta.json'), '{');
      writeFileSync(join(folder, 'agent-4d7618b2.jsonl'), '');
      const started = (name: string, parent: string, id: string) =>
        assistant(name, parent, [{ type: 'tool_use', id, name: 'Task', input: { prompt: 'x' } }]);
      const rows = [
        prompt('p1', null),
        started('c1', 'p1', 'old'),
        result('t1', 'c1', 'old', { toolUseResult: { agentId: '4d7618b2' } }),
        started('c2', 't1', 'a'),
      ];
      writeFileSync(filePath, transcript(rows));
      const conversation = openConversation(filePath);
      const items = await allItems(conversation, CHAIN);
      assert.deepEqual(
        items.flatMap((item) =>
          item.kind === 'row' && item.blocks[0]?.kind === 'tool' ? [item.blocks[0].subagent] : [],
        ),
        [join(folder, 'agent-4d7618b2.jsonl'), join(subagents, 'agent-1.jsonl')],
      );
    }));

  it('is not looked up by a malformed id', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, 'id.jsonl');
      writeFileSync(join(folder, 'secret.jsonl'), '');
      const rows = [
        prompt('p1', null),
        assistant('c1', 'p1', [{ type: 'tool_use', id: 'a', name: 'Task', input: { prompt: 'x' } }]),
        result('t1', 'c1', 'a', { toolUseResult: { agentId: '/../secret' } }),
        call('c2', 't1', 'b'),
      ];
      writeFileSync(filePath, transcript(rows));
      const conversation = openConversation(filePath);
      const [, item] = await allItems(conversation, CHAIN);
      assert.ok(item?.kind === 'row' && item.blocks[0]?.kind === 'tool');
      assert.equal(item.blocks[0].subagent, null);
    }));
});
