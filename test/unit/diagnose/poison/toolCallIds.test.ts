import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../../../src/core/engine';
import { contentFindings } from '../../../support/contentFindings';
import { listPoisonCases } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

/** A healthy session, in which one id of a tool call is replaced, in the call and in its result. */
function withId(json: string): string {
  const healthy = listPoisonCases().find(({ name }) => name === 'h0-healthy')?.text ?? '';
  const id = /"id":"(toolu_\w+)","name":"Bash"/.exec(healthy)?.[1];
  assert.ok(id !== undefined);
  return healthy
    .replaceAll(`"id":"${id}"`, `"id":${json}`)
    .replaceAll(`"tool_use_id":"${id}"`, `"tool_use_id":${json}`);
}

function withSession(
  text: string,
  use: (bench: { readonly engine: Engine; readonly filePath: string }) => Promise<void>,
): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, '44444444-4444-4444-8444-444444444444.jsonl');
    await writeFile(filePath, text);
    await use({ engine: createEngine({ machine: quietMachine(), configDir: join(folder, 'none') }), filePath });
  });
}

describe('The id of a tool call', () => {
  it('is written as text in the call and in its result if it is a number', async () => {
    await withSession(withId('17'), async ({ engine, filePath }) => {
      const { result, problem } = await engine.repair(filePath, {});
      assert.deepEqual([result.status, problem], ['repaired', null]);
      assert.equal(await readFile(filePath, 'utf8'), withId('"17"'));
      const after = await engine.scan(filePath, { isThorough: true });
      assert.deepEqual(contentFindings(after.result), []);
    });
  });

  it('is offered no repair if none changes anything, and a repair does not call the session healthy', async () => {
    await withSession(withId('null'), async ({ engine, filePath }) => {
      const { result } = await engine.scan(filePath, { isThorough: true });
      const found = result.findings.find(({ code }) => code === 'tool-names');
      assert.deepEqual([result.status, found?.action], ['corrupted', 'tell']);
      const repaired = await engine.repair(filePath, {});
      assert.deepEqual([repaired.result.status, repaired.result.reason], ['failed', 'not-repairable']);
    });
  });
});
