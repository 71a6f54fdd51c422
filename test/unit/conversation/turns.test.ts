import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import type { PanelItem, RowItem } from '../../../src/protocol/conversation';
import {
  boundary,
  call,
  chainRow,
  prompt,
  reply,
  result,
  type RowFields,
  transcript,
} from '../../support/transcriptBuilder';
import { CHAIN, FILE, panelItems, withConversation } from './readView';

const note = (name: string, parent: string): RowFields =>
  chainRow('attachment', name, parent, { attachment: { type: 'environment', snapshot: { platform: 'linux' } } });

const meta = (name: string, parent: string): RowFields => prompt(name, parent, { isMeta: true });

const replyBy = (model: string, name: string, parent: string): RowFields => {
  const message = { id: `msg_${name}`, role: 'assistant', model, content: [{ type: 'text', text: name }] };
  return chainRow('assistant', name, parent, { message });
};

describe('The turns of a conversation', () => {
  it('have one header of Claude, above what it first wrote after the prompt', async () => {
    const items = await turnsOf([
      prompt('p1', null),
      note('n1', 'p1'),
      reply('r1', 'n1'),
      call('c1', 'r1', 'a'),
      result('t1', 'c1', 'a'),
      meta('m1', 't1'),
      reply('r2', 'm1'),
      prompt('p2', 'r2'),
      reply('r3', 'p2'),
    ]);
    assert.deepEqual(headers(items), [1, 3, 8, 9]);
  });

  it('have a header of Claude again below a result whose call is not there', async () => {
    const items = await turnsOf([
      prompt('p1', null),
      reply('r1', 'p1'),
      result('t1', 'r1', 'gone'),
      reply('r2', 't1'),
      call('c1', 'r2', 'a'),
      result('t2', 'c1', 'a'),
      reply('r3', 't2'),
    ]);
    assert.deepEqual(headers(items), [1, 2, 4]);
  });

  it('name the model where it differs from the one in the header before', async () => {
    const items = await turnsOf([
      prompt('p1', null),
      replyBy('one', 'r1', 'p1'),
      prompt('p2', 'r1'),
      replyBy('one', 'r2', 'p2'),
      prompt('p3', 'r2'),
      replyBy('two', 'r3', 'p3'),
      replyBy('three', 'r4', 'r3'),
    ]);
    const named = items.flatMap((item) => (item.kind === 'row' && item.isModelNew === true ? [item.line] : []));
    assert.deepEqual(named, [2, 6]);
  });

  it('begin again below a compaction', async () => {
    const items = await turnsOf([
      prompt('p1', null),
      reply('r1', 'p1'),
      boundary('b1', 'r1'),
      prompt('s1', 'b1', { isCompactSummary: true }),
      reply('r2', 's1'),
    ]);
    assert.ok(headers(items).includes(5));
  });

  it('show what is between two messages as one item, and each message as one', async () => {
    const items = await turnsOf([
      prompt('p1', null),
      note('n1', 'p1'),
      meta('m1', 'n1'),
      call('c1', 'm1', 'a'),
      result('t1', 'c1', 'a'),
      call('c2', 't1', 'b'),
      result('t2', 'c2', 'b'),
      note('n2', 't2'),
      reply('r1', 'n2'),
    ]);
    // Claude's header begins an item, so that the notes for the prompt are above it.
    assert.deepEqual(lines(items), [[1], [2, 3], [4, 6, 8], [9]]);
  });

  it('divide a long sequence of steps, so that a page of items is bounded', async () => {
    const rows = [prompt('p', null)];
    for (let at = 0; at < 40; at++) rows.push(note(`n${at}`, at === 0 ? 'p' : `n${at - 1}`));
    const sizes = lines(await turnsOf(rows)).map(({ length }) => length);
    assert.deepEqual(sizes, [1, 16, 16, 8]);
  });

  it('are not in the view of the file, which shows each row as an item', async () => {
    const rows = [prompt('p', null), note('n1', 'p'), note('n2', 'n1'), call('c', 'n2', 'a'), result('t', 'c', 'a')];
    await withConversation(transcript(rows), async (conversation) => {
      assert.deepEqual(lines(await panelItems(conversation, FILE)), [[1], [2], [3], [4], [5]]);
    });
  });

  it('are the same whether rows are appended or were there before', async () => {
    const rows = [
      prompt('p1', null),
      call('c1', 'p1', 'a'),
      result('t1', 'c1', 'a'),
      call('c2', 't1', 'b'),
      result('t2', 'c2', 'b'),
      reply('r1', 't2'),
      note('n1', 'r1'),
      prompt('p2', 'n1'),
      reply('r2', 'p2'),
    ];
    const whole = await turnsOf(rows);
    await withConversation(transcript(rows.slice(0, 1)), async (conversation, filePath) => {
      await conversation.head(CHAIN);
      for (const row of rows.slice(1)) {
        appendFileSync(filePath, transcript([row]));
        await conversation.refresh();
        await panelItems(conversation, CHAIN);
      }
      assert.deepEqual(lines(await panelItems(conversation, CHAIN)), lines(whole));
      assert.deepEqual(headers(await panelItems(conversation, CHAIN)), headers(whole));
    });
  });

  it('lead from a line and from a prompt to the item that shows it', () =>
    withConversation(
      transcript([
        prompt('p1', null),
        call('c1', 'p1', 'a'),
        result('t1', 'c1', 'a'),
        call('c2', 't1', 'b'),
        result('t2', 'c2', 'b'),
        prompt('p2', 't2'),
      ]),
      async (conversation) => {
        const indexes = await Promise.all([1, 2, 3, 4, 5, 6].map((line) => conversation.indexOfLine(CHAIN, line)));
        assert.deepEqual(indexes, [0, 1, 1, 1, 1, 2]);
        assert.deepEqual(
          (await conversation.outline(CHAIN)).map(({ index }) => index),
          [0, 2],
        );
      },
    ));
});

function turnsOf(rows: readonly RowFields[]): Promise<PanelItem[]> {
  return withConversation(transcript(rows), (conversation) => panelItems(conversation, CHAIN));
}

function lines(items: readonly PanelItem[]): number[][] {
  return items.map((item) => (item.kind === 'steps' ? item.rows.map(({ line }) => line) : [item.line]));
}

/** Lines of the prompts and replies that have a header. */
function headers(items: readonly PanelItem[]): number[] {
  const rows = items.flatMap((item): readonly RowItem[] =>
    item.kind === 'steps' ? item.rows : item.kind === 'row' ? [item] : [],
  );
  return rows
    .filter(({ role, continues, blocks }) => (role === 'assistant' || blocks[0]?.kind === 'text') && !continues)
    .map(({ line }) => line);
}
