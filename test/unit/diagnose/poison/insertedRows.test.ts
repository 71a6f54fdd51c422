import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from '../../../../src/core/engine';
import type { SessionRepairResult } from '../../../../src/protocol/repair';
import { listPoisonCases, withRefusedPrompt } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

interface Row {
  parentUuid: string | null;
  uuid: string;
  type: string;
  message?: { content: unknown };
  attachment?: { type: string };
}

interface Repaired {
  readonly rows: readonly Row[];
  readonly result: SessionRepairResult;
}

function repaired(rows: readonly (Row | string)[], code: string | null): Promise<Repaired> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    const text = textOf(rows);
    await writeFile(filePath, text);
    const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
    const { result, problem } = await engine.repair(filePath, { code });
    assert.equal(problem, null);
    const after = rowsOf(await readFile(filePath, 'utf8'));
    assert.equal((await engine.planRepair(filePath, { code })).result.status, 'already_healthy');
    assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
    assert.equal(await readFile(filePath, 'utf8'), text);
    return { rows: after, result };
  });
}

function textOf(rows: readonly (object | string)[]): string {
  return rows.map((row) => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('');
}

function rowsOf(text: string): Row[] {
  // SAFETY: the rows of the fixtures have these fields.
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

function caseRows(name: string, shown?: string): Row[] {
  const found = listPoisonCases().find((each) => each.name === name);
  assert.ok(found !== undefined);
  return rowsOf(shown === undefined ? found.text : withRefusedPrompt(found.text, shown));
}

const ALTERNATE = 'API Error: 400 messages: roles must alternate between "user" and "assistant"';

describe('A repair that adds a message to a session', () => {
  it('puts it on a line of its own between the two that it links', async () => {
    const { rows, result } = await repaired(caseRows('r2-two-assistants', ALTERNATE), null);
    const at = rows.findIndex(({ message }) => message?.content === '[message lost]');
    assert.ok(at > 0);
    assert.equal(rows[at]?.parentUuid, rows[at - 1]?.uuid);
    assert.equal(rows[at + 1]?.parentUuid, rows[at]?.uuid);
    assert.deepEqual(
      result.edits.map(({ field }) => field),
      ['line', 'parentUuid'],
    );
  });

  it('is not undone once the session was continued from it, because the history above would be lost', () =>
    withTemporaryFolder(async (folder) => {
      const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
      const verdict = 'API Error: 400 messages.1.content.0.thinking: each thinking block must contain thinking';
      await writeFile(filePath, textOf(caseRows('t6b-hollow-must-contain', verdict)));
      const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none') });
      assert.equal((await engine.repair(filePath)).result.status, 'repaired');
      const mark = rowsOf(await readFile(filePath, 'utf8')).at(-1);
      const uuid = '99999999-0000-4000-8000-000000000000';
      await appendFile(filePath, textOf([{ ...caseRows('t6b-hollow-must-contain')[0], uuid, parentUuid: mark?.uuid }]));
      const continued = await readFile(filePath);
      const { result, problem } = await engine.undoRepair(filePath);
      assert.deepEqual([result.status, result.reason], ['failed', 'changed-since-repair']);
      assert.match(problem ?? '', /continued from a message that the repair has inserted/);
      assert.ok(continued.equals(await readFile(filePath)));
    }));

  it('fills a lost beginning and each lost prompt at once, because an API that refuses the one refuses the other', async () => {
    const rows = caseRows('r2-two-assistants', ALTERNATE);
    const first = rows.findIndex(({ type }) => type === 'assistant');
    const rest = rows.slice(first).map((row, at) => (at === 0 ? { ...row, parentUuid: null } : row));
    const after = await repaired(rest, null);
    const added = after.rows.filter(({ message }) => /^\[\w+ lost\]$/.test(String(message?.content)));
    assert.deepEqual(
      added.map(({ message }) => message?.content),
      ['[beginning lost]', '[message lost]'],
    );
    assert.equal(added[0]?.parentUuid, null);
  });

  it('also links a message whose own parent the same repair mends', async () => {
    const rows = caseRows('r2-two-assistants', ALTERNATE);
    const above = rows.find(({ message }) => JSON.stringify(message ?? null).includes('It is ALPHA'));
    const reply = rows.findIndex(({ type, parentUuid }) => type === 'assistant' && parentUuid === above?.uuid);
    assert.ok(reply > 0);
    const broken = rows.map((row, at) =>
      at === reply
        ? { ...row, parentUuid: 'eeeeeeee-0000-4000-8000-000000000001', timestamp: '2026-06-02T10:00:00.000Z' }
        : row,
    );
    const after = await repaired(broken, null);
    const added = after.rows.findIndex(({ message }) => message?.content === '[message lost]');
    assert.ok(added > 0);
    assert.equal(after.rows[added]?.parentUuid, after.rows[added - 1]?.uuid);
    assert.equal(after.rows[added + 1]?.parentUuid, after.rows[added]?.uuid);
    assert.equal(after.result.resumeAfter.loads, after.result.resumeAfter.of - 1);
  });

  it('appends one mark for all thinking whose signature is missing', async () => {
    const { rows } = await repaired(caseRows('t2-signature-missing'), 'thinking');
    assert.equal(rows.filter(({ attachment }) => attachment?.type === 'thinking_stripped').length, 1);
  });

  it('takes out only the thinking without a signature if other thinking has one', async () => {
    const rows = caseRows('h0-healthy').map((row) => structuredClone(row));
    const thinking = rows.filter(({ message }) => JSON.stringify(message ?? null).includes('"thinking":'));
    const [first] = thinking;
    assert.ok(first?.message !== undefined && thinking.length === 3);
    first.message.content = [{ type: 'thinking', thinking: 'unsigned', signature: '' }];
    const after = await repaired(rows, 'thinking');
    assert.equal(after.rows.length, rows.length);
    assert.deepEqual(after.rows.find(({ uuid }) => uuid === first.uuid)?.message?.content, []);
    assert.equal(after.rows.filter(({ message }) => JSON.stringify(message ?? null).includes('"thinking":')).length, 2);
  });

  it('gives no id that the client takes for another name of an id that is there', async () => {
    const { rows } = await repaired(caseRows('u6-id-twice'), 'tool-pairing');
    assert.ok(
      !/_\d+"/.test(
        JSON.stringify(rows)
          .match(/"tool_use_id":"[^"]*"/g)
          ?.join() ?? '',
      ),
    );
  });
});
