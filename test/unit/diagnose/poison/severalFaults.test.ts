import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../../src/core/engine';
import type { SessionRepairResult } from '../../../../src/protocol/repair';
import { contentFindings } from '../../../support/contentFindings';
import { listPoisonCases } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

type Block = Readonly<Record<string, unknown>>;

interface Row {
  readonly parentUuid: string | null;
  readonly uuid: string;
  readonly type: 'user' | 'assistant';
  readonly message: { readonly id?: string; readonly role: string; readonly content: string | readonly Block[] };
}

type NewMessage = readonly ['user' | 'assistant', string | readonly Block[]];

function healthyRows(): Row[] {
  const found = listPoisonCases().find(({ name }) => name === 'h0-healthy');
  assert.ok(found !== undefined);
  // SAFETY: the messages of the fixture have these fields; no test reads those of its attachments.
  return found.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

/** A healthy session with further messages. */
function withMessages(messages: readonly NewMessage[]): Row[] {
  const rows = healthyRows();
  for (const [at, [type, content]] of messages.entries()) {
    const last = rows.at(-1);
    assert.ok(last !== undefined);
    const uuid = `cccccccc-0000-4000-8000-${String(at).padStart(12, '0')}`;
    const message =
      type === 'user' ? { role: type, content } : { ...last.message, id: `msg_${at}`, role: type, content };
    rows.push({ ...last, parentUuid: last.uuid, uuid, type, message });
  }
  return rows;
}

function call(id: string, input: unknown = {}): Block {
  return { type: 'tool_use', id, name: 'Bash', input };
}

function resultOf(id: string, more: Block = { content: 'done' }): Block {
  return { type: 'tool_result', tool_use_id: id, ...more };
}

interface Repaired {
  readonly result: SessionRepairResult;
  readonly findings: readonly string[];
  /** The blocks of the messages that follow the healthy ones. */
  readonly blocks: readonly (readonly Block[])[];
}

/** Repairs once; a second repair finds nothing to do, and an undo restores every byte. */
function repaired(rows: readonly Row[], code: string | null = null): Promise<Repaired> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    const text = `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
    await writeFile(filePath, text);
    const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
    const { result, problem } = await engine.repair(filePath, { code });
    assert.equal(problem, null);
    const after = (await readFile(filePath, 'utf8')).trimEnd().split('\n').slice(healthyRows().length);
    const findings = contentFindings((await engine.scan(filePath, { isThorough: true })).result).map(
      (each) => each.code,
    );
    assert.equal((await engine.repair(filePath, { code })).result.status, 'already_healthy');
    assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
    assert.equal(await readFile(filePath, 'utf8'), text);
    const blocks = after.map((line) => {
      // SAFETY: the messages of these tests are rows of this kind.
      const { content } = (JSON.parse(line) as Row).message;
      return typeof content === 'string' ? [] : content;
    });
    return { result, findings, blocks };
  });
}

function idsOf(blocks: Repaired['blocks'], key: string): unknown[] {
  return blocks.flat().flatMap((block) => (key in block ? [block[key]] : []));
}

describe('Illegal ids that differ only in illegal characters', () => {
  it('stay different for calls of one message', async () => {
    const { blocks, findings } = await repaired(
      withMessages([
        ['assistant', [call('a:b'), call('a.b')]],
        ['user', [resultOf('a:b'), resultOf('a.b')]],
        ['assistant', [{ type: 'text', text: 'Done.' }]],
      ]),
    );
    assert.deepEqual(idsOf(blocks, 'id'), ['a_b', 'a_b_b2']);
    assert.deepEqual(idsOf(blocks, 'tool_use_id'), ['a_b', 'a_b_b2']);
    assert.deepEqual(findings, []);
  });

  it('stay different for calls of two turns', async () => {
    const { blocks, findings } = await repaired(
      withMessages([
        ['assistant', [call('a:b')]],
        ['user', [resultOf('a:b')]],
        ['assistant', [call('a.b')]],
        ['user', [resultOf('a.b')]],
        ['assistant', [{ type: 'text', text: 'Done.' }]],
      ]),
    );
    assert.deepEqual(idsOf(blocks, 'id'), ['a_b', 'a_b_b2']);
    assert.deepEqual(idsOf(blocks, 'tool_use_id'), ['a_b', 'a_b_b2']);
    assert.deepEqual(findings, []);
  });

  it("stay different for calls of the API's own tools", async () => {
    const search = { type: 'server_tool_use', name: 'web_search', input: {} };
    const found = { type: 'web_search_tool_result', content: [] };
    const { blocks, findings } = await repaired(
      withMessages([
        [
          'assistant',
          [
            { ...search, id: 'call-1' },
            { ...found, tool_use_id: 'call-1' },
            { ...search, id: 'call.1' },
            { ...found, tool_use_id: 'call.1' },
          ],
        ],
      ]),
    );
    assert.deepEqual(idsOf(blocks, 'id'), ['srvtoolu_call_1', 'srvtoolu_call_1_b2']);
    assert.deepEqual(idsOf(blocks, 'tool_use_id'), ['srvtoolu_call_1', 'srvtoolu_call_1_b2']);
    assert.deepEqual(findings, []);
  });

  it("stay different for a tool and one of the API's own", async () => {
    const { blocks } = await repaired(
      withMessages([
        [
          'assistant',
          [
            { type: 'server_tool_use', name: 'web_search', input: {}, id: 'x.1' },
            { type: 'web_search_tool_result', content: [], tool_use_id: 'x.1' },
            call('srvtoolu_x:1'),
          ],
        ],
        ['user', [resultOf('srvtoolu_x:1')]],
      ]),
    );
    assert.deepEqual(idsOf(blocks, 'id'), ['srvtoolu_x_1', 'srvtoolu_x_1_b2']);
    assert.deepEqual(idsOf(blocks, 'tool_use_id'), ['srvtoolu_x_1', 'srvtoolu_x_1_b2']);
  });

  it('become none that the client takes for another name of an id that is there', async () => {
    const { blocks } = await repaired(
      withMessages([
        ['assistant', [call('a'), call('a:1')]],
        ['user', [resultOf('a'), resultOf('a:1')]],
      ]),
    );
    assert.deepEqual(idsOf(blocks, 'id'), ['a', 'a_1_b2']);
  });

  it('stay different where later calls get an id of their own', async () => {
    const turn = (id: string): NewMessage[] => [
      ['assistant', [call(id)]],
      ['user', [resultOf(id)]],
    ];
    const { blocks, findings } = await repaired(withMessages(['a', 'a_b2', 'a', 'a_b2'].flatMap(turn)), 'tool-pairing');
    assert.equal(new Set(idsOf(blocks, 'id')).size, 4);
    assert.deepEqual(idsOf(blocks, 'tool_use_id'), idsOf(blocks, 'id'));
    assert.deepEqual(findings, []);
  });
});

describe('A result behind a text in a message with another fault', () => {
  const note = { type: 'text', text: 'note' };
  const good = resultOf('toolu_x');
  const cases: readonly (readonly [what: string, id: string, content: readonly Block[], after: readonly Block[]])[] = [
    ['the id of the call', 'a:1', [note, resultOf('a:1')], [resultOf('a_1'), note]],
    [
      'an empty text in the result',
      'toolu_x',
      [note, resultOf('toolu_x', { content: [{ type: 'text', text: '' }] })],
      [resultOf('toolu_x', { content: [{ type: 'text', text: '[no output]' }] }), note],
    ],
    [
      'a block of an unknown type',
      'toolu_x',
      [{ type: 'odd' }, note, good],
      [good, { type: 'text', text: '{"type":"odd"}' }, note],
    ],
    [
      'an unknown kind of content in the result',
      'toolu_x',
      [note, resultOf('toolu_x', { content: [{ type: 'odd' }] })],
      [resultOf('toolu_x', { content: [{ type: 'text', text: '{"type":"odd"}' }] }), note],
    ],
    ['a field that the API does not know', 'toolu_x', [{ ...note, odd: 1 }, good], [good, note]],
    [
      'an empty text that Claude leaves out',
      'toolu_x',
      [{ type: 'text', text: '' }, note, good],
      [good, { type: 'text', text: '' }, note],
    ],
  ];
  for (const [what, id, content, after] of cases) {
    it(`is mended by the same repair: ${what}`, async () => {
      const { blocks } = await repaired(
        withMessages([
          ['assistant', [call(id)]],
          ['user', content],
        ]),
      );
      assert.deepEqual(blocks[1], after);
    });
  }
});

describe('A later call with the id of an earlier one', () => {
  it('is sent after a repair that also mends what else is wrong with it', async () => {
    const { blocks, findings } = await repaired(
      withMessages([
        ['assistant', [call('toolu_x')]],
        ['user', [resultOf('toolu_x')]],
        ['assistant', [call('toolu_x', 'ls')]],
        ['user', [resultOf('toolu_x')]],
      ]),
      'tool-pairing',
    );
    assert.deepEqual(blocks[2], [call('toolu_x_b2', { value: 'ls' })]);
    assert.deepEqual(blocks[3], [resultOf('toolu_x_b2')]);
    assert.deepEqual(findings, []);
  });
});
