import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConversationItem, ToolBlock } from '../../../src/protocol/conversation';
import { FIXTURES, listRecordings } from '../../support/fixtures';
import { assistant, call, prompt, reply, result, type RowFields, transcript } from '../../support/transcriptBuilder';
import { allItems, CHAIN, FILE, itemsOf, outlineOf, rowsOf, withConversation } from './readView';

const SIDE = { isSidechain: true };

function task(name: string, parent: string, callId: string, reported: string): RowFields {
  const input = { description: 'Look', prompt: reported, subagent_type: 'general-purpose' };
  // All calls of a test belong to one message.
  return assistant(name, parent, [{ type: 'tool_use', id: callId, name: 'Task', input }], {}, 'msg_tasks');
}

/** What client 1.0.128 writes for a subagent. */
function lane(name: string, reported: unknown): RowFields[] {
  return [
    prompt(`${name}1`, null, { ...SIDE, message: { role: 'user', content: reported } }),
    call(`${name}2`, `${name}1`, `${name}-call`, SIDE),
    result(`${name}3`, `${name}2`, `${name}-call`, SIDE),
    reply(`${name}4`, `${name}3`, SIDE),
  ];
}

function callsOf(items: readonly ConversationItem[]): ToolBlock[] {
  return rowsOf(items).flatMap(({ blocks }) => blocks.filter((block) => block.kind === 'tool'));
}

function leavesOf(items: readonly ConversationItem[]): Record<string, number | undefined> {
  return Object.fromEntries(callsOf(items).map(({ id, subagentLeaf }) => [id ?? '', subagentLeaf]));
}

describe('A subagent whose rows are in the transcript of its session', () => {
  it('is shown under the call that started it, in the form of client 1.0.128', () => {
    const file = listRecordings().find((name) => name.includes('77777771')) ?? '';
    return withConversation(readFileSync(join(FIXTURES, file)), async (conversation) => {
      const chain = await allItems(conversation, CHAIN);
      const [started] = callsOf(chain).filter(({ subagentLeaf }) => subagentLeaf !== undefined);
      assert.deepEqual([started?.name, started?.subagentLeaf], ['Task', 18]);
      assert.deepEqual(
        rowsOf(chain).filter(({ isSidechain }) => isSidechain),
        [],
      );
      const lines = await allItems(conversation, { kind: 'branch', leafLine: 18 });
      assert.deepEqual(outlineOf(lines), ['15', '16', '18']);
      assert.deepEqual(
        rowsOf(lines).map(({ branches }) => branches.length),
        [0, 0, 0],
      );
    });
  });

  it('is distinguished from parallel subagents by its prompt', async () => {
    const rows = [
      prompt('p', null),
      task('one', 'p', 'a', 'Look left'),
      task('two', 'one', 'b', 'Look right'),
      ...lane('r', 'Look right'),
      ...lane('l', [{ type: 'text', text: 'Look left' }]),
      result('t2', 'two', 'b'),
      result('t1', 'one', 'a'),
      reply('end', 't1'),
    ];
    const items = await itemsOf(transcript(rows));
    assert.deepEqual(leavesOf(items), { a: 11, b: 7 });
  });

  it('belongs to the first of several calls with the same prompt, one subagent per call', async () => {
    const rows = [
      prompt('p', null),
      task('one', 'p', 'a', 'Look'),
      task('two', 'one', 'b', 'Look'),
      ...lane('x', 'Look'),
      ...lane('y', 'Look'),
      result('t1', 'one', 'a'),
      result('t2', 'two', 'b'),
    ];
    assert.deepEqual(leavesOf(await itemsOf(transcript(rows))), { a: 7, b: 11 });
  });

  it('stays in place, marked, if no call has its prompt', async () => {
    const rows = [
      prompt('p', null),
      task('one', 'p', 'a', 'Look'),
      ...lane('x', 'Warm up'),
      result('t1', 'one', 'a'),
      reply('end', 't1'),
    ];
    await withConversation(transcript(rows), async (conversation) => {
      const chain = await allItems(conversation, CHAIN);
      assert.deepEqual(leavesOf(chain), { a: undefined, 'x-call': undefined });
      // Its result is shown with its call, and the call's own result with that.
      assert.deepEqual(outlineOf(chain), ['1', '2', '3', '4', '6', '8']);
      assert.deepEqual(
        rowsOf(chain).map(({ isSidechain, isLoaded }) => [isSidechain, isLoaded]),
        [
          [false, true],
          [false, true],
          [true, null],
          [true, null],
          [true, null],
          [false, true],
        ],
      );
      assert.equal(await conversation.indexOfLine(CHAIN, 5), 3);
      assert.equal((await allItems(conversation, FILE)).length, 8);
    });
  });

  it('does not belong to a call that was answered before it started', async () => {
    const rows = [prompt('p', null), task('one', 'p', 'a', 'Look'), result('t1', 'one', 'a'), ...lane('x', 'Look')];
    assert.deepEqual(leavesOf(await itemsOf(transcript(rows))), { a: undefined, 'x-call': undefined });
  });

  it('is shown under its call while it is working', () =>
    withConversation(
      transcript([prompt('p', null), task('one', 'p', 'a', 'Look'), ...lane('x', 'Look').slice(0, 2)]),
      async (conversation) => {
        assert.deepEqual(leavesOf(await allItems(conversation, CHAIN)), { a: 4 });
      },
    ));
});

describe('Rows of an unknown type', () => {
  it('are all shown, however many there are', async () => {
    const rows = [
      prompt('p', null),
      ...Array.from({ length: 2_500 }, (_, at) => ({ type: at % 2 === 0 ? 'of-tomorrow' : 'beyond', at })),
      { type: 'of-tomorrow', uuid: 'x', at: 'stored' },
      reply('r', 'p'),
    ];
    await withConversation(transcript(rows), async (conversation) => {
      for (const view of [CHAIN, FILE]) {
        const items = await allItems(conversation, view);
        assert.deepEqual(
          items.map(({ line }) => line),
          rows.map((_, at) => at + 1),
        );
        assert.equal(rowsOf(items).filter(({ role }) => role === 'unknown').length, 2_501);
      }
      const [finding] = (await conversation.head()).findings;
      assert.match(finding?.message ?? '', /1,251 lines of the unknown type "of-tomorrow"/);
      assert.equal(finding?.lines.length, 1_000);
    });
  });
});
