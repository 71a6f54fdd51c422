import assert from 'node:assert/strict';
import type { ConversationItem, ConversationView } from '../../../src/protocol/conversation';
import {
  assistant,
  boundary,
  call,
  chainRow,
  prompt,
  reply,
  result,
  type RowFields,
  transcript,
  uuidOf,
} from '../../support/transcriptBuilder';
import { CHAIN, FILE, itemsOf, outlineOf, rowsOf, withConversation } from './readView';

function shown(rows: readonly RowFields[], view: ConversationView = CHAIN): Promise<ConversationItem[]> {
  return itemsOf(transcript(rows), view);
}

async function outline(rows: readonly RowFields[], view: ConversationView = CHAIN): Promise<string[]> {
  return outlineOf(await shown(rows, view));
}

const BROKEN = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'lost'), reply('r2', 'p2')];

const BRANCHING = [
  prompt('p1', null),
  reply('r1', 'p1'),
  prompt('old way', 'r1'),
  reply('old reply', 'old way'),
  prompt('p2', 'r1'),
  reply('r2', 'p2'),
];

function headOf(
  rows: readonly RowFields[],
  view: ConversationView,
): Promise<{ readonly branches: readonly string[]; readonly more: number }> {
  return withConversation(transcript(rows), async (conversation) => {
    const head = await conversation.head(view);
    assert.deepEqual(head.view, view);
    const branches = head.branches.map(({ leafLine, rows: count, label }) => `${leafLine} (${count}) ${label}`);
    return { branches, more: head.moreBranches };
  });
}

describe('The order of a conversation', () => {
  it('continues above a break, and shows the break in between', async () => {
    const items = await shown(BROKEN);
    assert.deepEqual(outlineOf(items), ['1', '2', 'break 3', '3', '4']);
    assert.deepEqual(
      rowsOf(items).map(({ isLoaded }) => isLoaded),
      [false, false, true, true],
    );
  });

  it('shows the finding with the break, for its line only', async () => {
    const [, , found] = await shown(BROKEN);
    assert.ok(found?.kind === 'break');
    assert.deepEqual(
      found.findings.map(({ code, lines, uuids }) => ({ code, lines, uuids })),
      [{ code: 'dangling-parent', lines: [3], uuids: [uuidOf('p2')] }],
    );
  });

  it('marks a break that the client heals by time as healed, with what it leaves out', async () => {
    const soon = (name: string, parent: string | null, ms: number): RowFields =>
      prompt(name, parent, { timestamp: new Date(Date.UTC(2026, 0, 1) + ms).toISOString() });
    const rows = [soon('p1', null, 0), soon('p2', 'p1', 500), soon('p3', 'lost', 1000), soon('p4', 'p3', 1500)];
    assert.deepEqual(await outline(rows), ['1', '2', 'healed 3', '3', '4']);
  });

  it('breaks a cycle at the row at which the client stops', async () => {
    const rows = [prompt('p1', null), reply('r1', 'p1'), prompt('p2', 'r2'), reply('r2', 'p2')];
    assert.deepEqual(await outline(rows), ['1', '2', 'break 3', '3', '4']);
  });

  it('places a result whose parent is lost under its call', async () => {
    const rows = [
      prompt('p1', null),
      call('c1', 'p1', 'a'),
      prompt('side', 'p1'),
      result('t1', 'lost', 'a'),
      reply('r1', 't1'),
    ];
    const items = await shown(rows);
    assert.deepEqual(outlineOf(items), ['1', '2', 'break 4', '5']);
    const [block] = rowsOf(items)[1]?.blocks ?? [];
    assert.ok(block?.kind === 'tool');
    assert.equal(block.result?.line, 4);
  });

  it('continues above a compaction', async () => {
    const rows = [
      prompt('p1', null),
      reply('r1', 'p1'),
      boundary('b', null),
      prompt('s', 'b', { isCompactSummary: true }),
      prompt('p2', 's'),
    ];
    const items = await shown(rows);
    assert.deepEqual(outlineOf(items), ['1', '2', '3', '4', '5']);
    assert.deepEqual(
      rowsOf(items).map(({ blocks }) => blocks[0]?.kind),
      ['text', 'text', 'compaction', 'summary', 'text'],
    );
  });

  it('counts rows above a compaction, not positions in the list', async () => {
    const rows = [
      prompt('p1', null),
      call('c1', 'p1', 'a'),
      result('t1', 'c1', 'a'),
      { type: 'summary', summary: 'x', leafUuid: uuidOf('p1') },
      boundary('b', 't1'),
      prompt('s', 'b', { isCompactSummary: true }),
    ];
    for (const view of [CHAIN, FILE]) {
      const reported = rowsOf(await itemsOf(transcript(rows), view)).flatMap(({ blocks }) => blocks);
      assert.deepEqual(
        reported.flatMap((block) => (block.kind === 'compaction' ? [block.earlierRows] : [])),
        [3],
        view.kind,
      );
    }
  });

  it('shows rows that a compaction preserves once, where Claude has them', async () => {
    const rows = [
      prompt('p1', null),
      reply('r1', 'p1'),
      prompt('p2', 'r1'),
      reply('r2', 'p2'),
      chainRow('system', 'note', 'r2', { subtype: 'local_command', content: 'x' }),
      boundary('b', null, {
        preservedMessages: { anchorUuid: uuidOf('s'), uuids: [uuidOf('p2'), uuidOf('r2')] },
      }),
      prompt('s', 'b', { isCompactSummary: true }),
      prompt('p3', 's'),
    ];
    assert.deepEqual(await outline(rows), ['1', '2', '5', '6', '7', '3', '4', '8']);
  });

  it('shows only the progress rows between messages', async () => {
    const progress = (name: string, parent: string): RowFields =>
      chainRow('progress', name, parent, { data: { type: 'bash_progress', output: 'x' } });
    const rows = [prompt('p1', null), progress('g1', 'p1'), progress('side', 'p1'), reply('r1', 'g1')];
    assert.deepEqual(await outline(rows), ['1', '2', '4']);
  });

  it('shows results in the blocks of their calls, including parallel ones', async () => {
    const rows = [
      prompt('p1', null),
      call('c1', 'p1', 'a', { message: 'm' }),
      call('c2', 'c1', 'b', { message: 'm' }),
      result('t1', 'c1', 'a'),
      result('t2', 'c2', 'b'),
      reply('r1', 't2'),
    ];
    const items = rowsOf(await shown(rows));
    assert.deepEqual(
      items.map(({ line, continues, blocks: [block] }) => [
        line,
        continues,
        block?.kind === 'tool' ? (block.result?.line ?? null) : null,
      ]),
      [
        [1, false, null],
        [2, false, 4],
        [3, true, 5],
        [6, true, null],
      ],
    );
  });

  it('answers a call once: a second result is shown separately', async () => {
    const rows = [
      prompt('p1', null),
      call('c1', 'p1', 'a'),
      result('t1', 'c1', 'a'),
      result('t2', 't1', 'a'),
      reply('r1', 't2'),
    ];
    assert.deepEqual(await outline(rows), ['1', '2', '4', '5']);
  });

  it('shows a result beside typed text as a row', async () => {
    const content = [
      { type: 'tool_result', tool_use_id: 'a', content: 'x' },
      { type: 'text', text: 'and more' },
    ];
    const rows = [prompt('p1', null), call('c1', 'p1', 'a'), prompt('t1', 'c1', { message: { content } })];
    assert.deepEqual(await outline(rows), ['1', '2', '3']);
  });

  it('lists the other branches of a conversation, and shows each', async () => {
    const rows = [
      prompt('p1', null),
      reply('r1', 'p1'),
      prompt('old way', 'r1'),
      reply('old reply', 'old way'),
      prompt('p2', 'r1'),
      reply('r2', 'p2'),
    ];
    const items = rowsOf(await shown(rows));
    assert.deepEqual(
      items.map(({ line }) => line),
      [1, 2, 5, 6],
    );
    const [branch] = items[1]?.branches ?? [];
    assert.deepEqual(
      { ...branch, timeMs: null },
      { leafLine: 4, rows: 2, messages: 2, label: 'prompt old way', timeMs: null },
    );
    const other = rowsOf(await shown(rows, { kind: 'branch', leafLine: 4 }));
    assert.deepEqual(
      other.map(({ line }) => line),
      [1, 2, 3, 4],
    );
    assert.equal(other[1]?.branches[0]?.leafLine, 6);
  });

  it('names the branches of the chain in the head of every view', async () => {
    const branches = await headOf(BRANCHING, CHAIN);
    assert.deepEqual(branches, { branches: ['4 (2) prompt old way'], more: 0 });
    assert.deepEqual(await headOf(BRANCHING, FILE), branches);
    assert.deepEqual(await headOf(BRANCHING, { kind: 'branch', leafLine: 4 }), branches);
  });

  it('names the branch of a shown branch, and of hundreds only the newest with the number of the others', async () => {
    const nested = [...BRANCHING, prompt('older way', 'old way'), prompt('p3', 'r2'), reply('r3', 'p3')];
    assert.deepEqual(await headOf(nested, { kind: 'branch', leafLine: 4 }), {
      branches: ['7 (3) prompt old way', '4 (2) prompt old way'],
      more: 0,
    });
    const many = Array.from({ length: 300 }, (_, at) => prompt(`way ${at}`, at % 2 === 0 ? 'p1' : 'r1'));
    const reported = await headOf([...BRANCHING.slice(0, 2), ...many, ...BRANCHING.slice(4)], {
      kind: 'branch',
      leafLine: 3,
    });
    assert.equal(reported.branches.length, 21);
    assert.equal(reported.branches[0], '302 (1) prompt way 299');
    assert.equal(reported.branches.at(-1), '3 (1) prompt way 0');
    assert.equal(reported.more, 300 - 21);
  });

  it('lists all branches of a row, and states how many it leaves out of many hundreds', async () => {
    const branchesAt = async (count: number): Promise<[number, number, number]> => {
      const many = Array.from({ length: count }, (_, at) => prompt(`way ${at}`, 'r1'));
      const [, row] = rowsOf(await shown([...BRANCHING.slice(0, 2), ...many, ...BRANCHING.slice(4)]));
      assert.ok(row !== undefined);
      return [row.branches.length, row.moreBranches ?? 0, Math.min(...row.branches.map(({ leafLine }) => leafLine))];
    };
    assert.deepEqual(await branchesAt(60), [60, 0, 3]);
    // The first ones are the oldest.
    assert.deepEqual(await branchesAt(310), [300, 10, 13]);
  });

  it('makes another root of the conversation reachable from the first row', async () => {
    const rows = [prompt('first', null), reply('r1', 'first'), prompt('second', null), reply('r2', 'second')];
    const [top] = rowsOf(await shown(rows));
    assert.equal(top?.line, 3);
    assert.deepEqual(
      top.branches.map(({ leafLine, label }) => [leafLine, label]),
      [[2, 'prompt first']],
    );
  });

  it('puts unknown rows and faulty lines at their position in the file', async () => {
    const bytes = Buffer.concat([
      transcript([prompt('p1', null), { type: 'of-tomorrow', value: 1 }]),
      Buffer.from('{"type":"user","torn\n'),
      transcript([reply('r1', 'p1'), { type: 'of-tomorrow', uuid: 'named', value: 2 }]),
    ]);
    for (const view of [CHAIN, FILE]) {
      const items = await itemsOf(bytes, view);
      assert.deepEqual(outlineOf(items), ['1', '2', 'fault 3', '4', '5']);
      const [, unknown, fault] = items;
      assert.ok(unknown?.kind === 'row' && unknown.role === 'unknown' && unknown.blocks[0]?.kind === 'raw');
      assert.ok(fault?.kind === 'fault' && fault.findings[0]?.code === 'torn-line');
    }
  });

  it('shows consecutive faulty lines as one item', async () => {
    const bytes = Buffer.concat([
      transcript([prompt('p1', null)]),
      Buffer.from('a\nb\nc\n'),
      transcript([reply('r1', 'p1')]),
    ]);
    const items = await itemsOf(bytes);
    assert.deepEqual(outlineOf(items), ['1', 'fault 2', '5']);
    assert.deepEqual(items[1]?.kind === 'fault' ? items[1].findings[0]?.lines : null, [2, 3, 4]);
  });

  it('has every stored row in the file view', async () => {
    const rows = [prompt('p1', null), call('c1', 'p1', 'a'), result('t1', 'c1', 'a'), assistant('x', 'gone', 'text')];
    assert.deepEqual(await outline(rows, FILE), ['1', '2', '3', '4']);
  });

  it("shows a subagent's transcript from its last row", async () => {
    const side = { isSidechain: true };
    const rows = [prompt('p1', null, side), reply('r1', 'p1', side), prompt('p2', 'r1', side)];
    const items = rowsOf(await shown(rows));
    assert.deepEqual(
      items.map(({ line, isLoaded, isSidechain }) => [line, isLoaded, isSidechain]),
      [
        [1, null, true],
        [2, null, true],
        [3, null, true],
      ],
    );
  });

  it('is empty for a branch that does not exist', async () => {
    assert.deepEqual(await outline(BROKEN, { kind: 'branch', leafLine: 99 }), []);
  });
});
