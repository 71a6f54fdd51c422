import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../../../src/core/engine';
import { type Check, diagnosticsFor } from '../../../rooms/diagnose';
import { listPoisonCases } from '../../../support/poisonCases';
import { quietMachine } from '../../../support/quietMachine';
import { withTemporaryFolder } from '../../../support/temporaryFolder';

const SESSION = '44444444-4444-4444-8444-444444444444';
/** JSON.parse reads this, but the stack is not enough for walking it. */
const LEVELS = 20_000;
const DEEP = `"input":{"a":${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}}`;
const DEEP_OBJECTS = `"input":${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;

/** A healthy session whose first call has this in the place of its input. */
function withInput(text: string): string {
  const healthy = listPoisonCases().find(({ name }) => name === 'h0-healthy')?.text ?? '';
  const changed = healthy.replace('"input":{"command":"cat a.txt"}', text);
  assert.notEqual(changed, healthy);
  return changed;
}

function withSession(
  text: string,
  use: (bench: { readonly engine: Engine; readonly filePath: string }) => Promise<void>,
): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    const filePath = join(folder, `${SESSION}.jsonl`);
    await writeFile(filePath, text);
    await use({ engine: createEngine({ machine: quietMachine(), configDir: join(folder, 'none') }), filePath });
  });
}

describe('A message with values that are nested very deeply', () => {
  for (const [what, input] of [
    ['lists', DEEP],
    ['objects', DEEP_OBJECTS],
  ] as const) {
    it(`is judged like any other: ${what}`, async () => {
      await withSession(withInput(input), async ({ engine, filePath }) => {
        const { result, problem } = await engine.scan(filePath, { isThorough: true });
        assert.deepEqual([result.status, problem], ['healthy', null]);
        const planned = await engine.planRepair(filePath, {});
        assert.deepEqual([planned.result.status, planned.problem], ['already_healthy', null]);
      });
    });
  }

  it('is repaired, and undone, like any other', async () => {
    const text = withInput(`"text":"x",${DEEP}`);
    await withSession(text, async ({ engine, filePath }) => {
      const { result, problem } = await engine.repair(filePath, {});
      assert.deepEqual([result.status, problem], ['repaired', null]);
      assert.equal(await readFile(filePath, 'utf8'), withInput(DEEP));
      assert.equal((await engine.repair(filePath, {})).result.status, 'already_healthy');
      assert.equal((await engine.undoRepair(filePath)).result.status, 'repaired');
      assert.equal(await readFile(filePath, 'utf8'), text);
    });
  });

  it('keeps the value that is refused as it is written, in an object', async () => {
    const list = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`;
    await withSession(withInput(`"input":${list}`), async ({ engine, filePath }) => {
      const { result, problem } = await engine.repair(filePath, {});
      assert.deepEqual([result.status, problem], ['repaired', null]);
      assert.equal(await readFile(filePath, 'utf8'), withInput(`"input":{"value":${list}}`));
      assert.ok(JSON.stringify(result.edits).length > 0);
    });
  });

  it('is kept in a file as it is written if a text takes its place', async () => {
    const odd = `{"type":"odd","a":${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}}`;
    const text = withInput('"input":{}').replace('"content":"ALPHA"', `"content":[${odd}]`);
    await withSession(text, async ({ engine, filePath }) => {
      const { result, problem } = await engine.repair(filePath, {});
      assert.deepEqual([result.status, problem], ['repaired', null]);
      const name = /removed\/([0-9a-f]{16}\.json)/.exec(await readFile(filePath, 'utf8'))?.[1] ?? '';
      assert.equal(await readFile(join(filePath.replace('.jsonl', ''), 'removed', name), 'utf8'), odd);
    });
  });

  it('does not keep another message from being repaired', async () => {
    const text = withInput(DEEP).replace(/"input":\{"file_path":"[^"]*","content":"alpha[^}]*\}/, '"input":"ls"');
    await withSession(text, async ({ engine, filePath }) => {
      const { result, problem } = await engine.repair(filePath, {});
      assert.deepEqual([result.status, problem], ['repaired', null]);
      assert.ok((await readFile(filePath, 'utf8')).includes(DEEP));
    });
  });
});

describe('A repair that fails for an unexpected reason', () => {
  it('is a failed result with a sentence, so that those of other sessions go on', async () => {
    const check: Check = {
      kind: 'load',
      code: 'added',
      find: () => [],
      byName: () => {
        throw new RangeError('Maximum call stack size exceeded');
      },
    };
    await withTemporaryFolder(async (folder) => {
      const filePath = join(folder, `${SESSION}.jsonl`);
      await writeFile(filePath, withInput(DEEP));
      const diagnostics = { ...diagnosticsFor(), checks: [check] };
      const engine = createEngine({ machine: quietMachine(), configDir: join(folder, 'none'), diagnostics });
      const { result, problem } = await engine.planRepair(filePath, { code: 'added' });
      assert.deepEqual([result.status, result.reason], ['failed', 'unreadable']);
      assert.match(problem ?? '', /could not be read: something in it is too large, or is nested too deeply\.$/);
    });
  });
});
