import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationView, MemoryCounts } from '../../../src/protocol/conversation';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import {
  assistant,
  boundary,
  chainRow,
  prompt,
  reply,
  result,
  call,
  type RowFields,
  transcript,
  uuidOf,
} from '../../support/transcriptBuilder';
import { CHAIN, FILE, itemsOf, rowsOf, withConversation } from './readView';

const THINKING = [{ type: 'thinking', thinking: 'It is so.', signature: 'x' }];

/** A message of three rows, of which only the last two count, and a note of the client. */
const turn = (name: string, parent: string | null): RowFields[] => [
  prompt(`p${name}`, parent),
  assistant(`t${name}`, `p${name}`, THINKING, {}, `msg_${name}`),
  call(`c${name}`, `t${name}`, `call_${name}`, { message: `msg_${name}` }),
  result(`x${name}`, `c${name}`, `call_${name}`),
  chainRow('system', `n${name}`, `x${name}`, { subtype: 'local_command', content: 'x' }),
  reply(`r${name}`, `n${name}`),
];

const COMPACTED = [
  ...turn('1', null),
  boundary('b', null),
  prompt('s', 'b', { isCompactSummary: true }),
  ...turn('2', 's'),
];

async function marks(rows: readonly RowFields[], view: ConversationView = CHAIN): Promise<string[]> {
  return rowsOf(await itemsOf(transcript(rows), view)).map(({ line, forgottenAs }) => `${line} ${forgottenAs ?? '-'}`);
}

function memory(bytes: Buffer): Promise<MemoryCounts | undefined> {
  return withConversation(bytes, async (conversation) => (await conversation.head(CHAIN)).memory);
}

describe('What Claude has forgotten of a conversation', () => {
  it('is marked as a whole before a compaction, with thinking and notes', async () => {
    const marked = await marks(COMPACTED);
    assert.deepEqual(marked.slice(0, 5), [
      '1 summarised',
      '2 summarised',
      '3 summarised',
      '5 summarised',
      '6 summarised',
    ]);
    assert.ok(
      marked.slice(5).every((mark) => mark.endsWith(' -')),
      marked.join(),
    );
  });

  it('is marked as lost above a break, and as summarised before a compaction above it', async () => {
    const marked = await marks([...COMPACTED, ...turn('3', 'gone')]);
    assert.deepEqual(
      [marked[0], marked.find((mark) => mark.startsWith('10 ')), marked.find((mark) => mark.startsWith('13 '))],
      ['1 summarised', '10 lost', '13 lost'],
    );
    assert.ok(
      marked.slice(-5).every((mark) => mark.endsWith(' -')),
      marked.join(),
    );
  });

  it('leaves out what a compaction keeps, with its thinking', async () => {
    const uuids = ['p2', 't2', 'c2', 'x2', 'n2', 'r2'].map(uuidOf);
    const rows = [
      ...turn('1', null),
      ...turn('2', 'r1'),
      boundary('b', null, { preservedMessages: { anchorUuid: uuidOf('s'), uuids } }),
      prompt('s', 'b', { isCompactSummary: true }),
      prompt('p3', 's'),
    ];
    const marked = await marks(rows);
    assert.ok(marked.includes('6 summarised') && marked.includes('8 -') && marked.includes('12 -'), marked.join());
    assert.deepEqual(await memory(transcript(rows)), { remembered: 4, messages: 7, hasSummary: true });
  });

  it('is called another branch where the conversation went on without it', async () => {
    const rows = [
      prompt('p1', null),
      reply('r1', 'p1'),
      prompt('old way', 'r1'),
      reply('old reply', 'old way'),
      prompt('p2', 'r1'),
      reply('r2', 'p2'),
    ];
    const marked = ['1 -', '2 -', '3 otherBranch', '4 otherBranch'];
    assert.deepEqual(await marks(rows, FILE), [...marked, '5 -', '6 -']);
    assert.deepEqual(await marks(rows, { kind: 'branch', leafLine: 4 }), marked);
  });

  it('is counted in messages, which are prompts and replies with all of their rows', async () => {
    assert.deepEqual(await memory(transcript(turn('1', null))), { remembered: 3, messages: 3, hasSummary: false });
    assert.deepEqual(await memory(transcript(COMPACTED)), { remembered: 3, messages: 6, hasSummary: true });
    assert.deepEqual(await memory(transcript([...COMPACTED, ...turn('3', 'gone')])), {
      remembered: 3,
      messages: 9,
      hasSummary: false,
    });
  });

  it('is counted in steps in a very long conversation, until every prompt was read', async () => {
    const rows = Array.from({ length: 1000 }, (_, at) => {
      const content = at % 10 === 9 ? '[Request interrupted by user]' : `prompt ${at}`;
      const parent = at === 0 ? null : `p${at - 1}`;
      return prompt(`p${at}`, parent, { message: { role: 'user', content } });
    });
    await withConversation(transcript(rows), async (conversation) => {
      const counts: (number | undefined)[] = [];
      do {
        counts.push((await conversation.head(CHAIN)).memory?.messages);
      } while (!conversation.isCounted);
      assert.deepEqual(counts, [960, 920, 900]);
    });
  });

  it('is counted alike whether rows are appended or read at once', () =>
    withConversation(transcript(COMPACTED), async (conversation, filePath) => {
      await conversation.refresh();
      await conversation.head(CHAIN);
      const more = transcript([...COMPACTED, ...turn('3', 'r2')]);
      appendFileSync(filePath, more.subarray(transcript(COMPACTED).length));
      await conversation.refresh();
      assert.deepEqual((await conversation.head(CHAIN)).memory, await memory(more));
    }));

  it('never includes a row that is loaded, in any recorded session', async () => {
    for (const file of listRecordings()) {
      for (const { line, isLoaded, forgottenAs } of rowsOf(await itemsOf(readFileSync(join(FIXTURES, file)), FILE))) {
        assert.ok(isLoaded !== true || forgottenAs === undefined, `${file}, line ${line}`);
        assert.ok(isLoaded !== false || forgottenAs !== undefined, `${file}, line ${line}`);
      }
    }
  });

  it('is told apart from what is on other branches', async () => {
    const head = (rows: readonly RowFields[]): Promise<boolean | undefined> =>
      withConversation(transcript(rows), async (conversation) => (await conversation.head(CHAIN)).losesMessages);
    const branched = [prompt('p1', null), reply('old', 'p1'), prompt('p2', 'p1'), reply('r2', 'p2')];
    assert.equal(await head(branched), undefined);
    const withoutCall = [prompt('p1', null), reply('r1', 'p1'), result('x1', 'r1', 'gone'), reply('r2', 'x1')];
    assert.equal(await head(withoutCall), true);
    assert.equal(await head(COMPACTED), undefined);
  });

  it('counts messages that share a line, which Claude does not remember, and those of several lines, which it does', async () => {
    const [first = '', second = '', third = ''] = transcript([
      prompt('p1', null),
      reply('r1', 'p1'),
      prompt('p2', 'r1'),
    ])
      .toString('utf8')
      .split('\n');
    const glued = await memory(Buffer.from(`${first}\n${second}${third}\n`));
    assert.deepEqual(glued, { remembered: 2, messages: 3, hasSummary: false });
    const spread = [first, second, third].map((row) => JSON.stringify(JSON.parse(row), null, 2)).join('\n');
    assert.deepEqual(await memory(Buffer.from(`${spread}\n`)), { remembered: 3, messages: 3, hasSummary: false });
  });

  it('is not a row that is in the transcript twice', async () => {
    const rows = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r1'), reply('r2', 'p2')];
    const lines = transcript(rows).toString('utf8').trimEnd().split('\n');
    const whole = { remembered: 4, messages: 4, hasSummary: false };
    for (const copied of [1, 2]) {
      const twice = [...lines.slice(0, copied + 1), ...lines.slice(copied)];
      assert.deepEqual(await memory(Buffer.from(`${twice.join('\n')}\n`)), whole);
      const inOtherForm = twice.map((line, at) => (at > copied ? `${line.replace('"type"', ' "type"')} ` : line));
      assert.deepEqual(await memory(Buffer.from(`${inOtherForm.join('\n')}\n`)), whole);
    }
  });
});
