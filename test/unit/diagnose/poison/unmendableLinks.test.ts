import assert from 'node:assert/strict';
import { type Row, useStored, withMessages } from './addedMessages';

/** The last row repeats the uuid of an earlier one with another content, and its call has an input that the API refuses. */
function rowsWithTwins(): Row[] {
  const call = { type: 'tool_use', id: 'toolu_twin', name: 'Bash' };
  const rows = withMessages([
    ['user', 'run it'],
    ['assistant', [{ ...call, input: {} }]],
    ['user', [{ type: 'tool_result', tool_use_id: 'toolu_twin', content: 'done' }]],
    ['assistant', [{ type: 'text', text: 'Done.' }]],
    ['assistant', [{ ...call, input: 'ls' }]],
  ]);
  const twin = rows.at(-4);
  assert.ok(twin !== undefined);
  return rows.map((row, at) =>
    at === rows.length - 1 ? { ...row, uuid: twin.uuid, parentUuid: twin.parentUuid } : row,
  );
}

describe('A content in a session whose links cannot be mended', () => {
  for (const code of [null, 'tool-input']) {
    it(`is mended alone, and that is undone byte for byte: ${code ?? 'a plain repair'}`, async () => {
      await useStored(rowsWithTwins(), async ({ engine, filePath, read }) => {
        const before = await read();
        const { result, problem } = await engine.repair(filePath, { code });
        assert.equal(problem, null);
        assert.deepEqual(
          result.edits.map(({ field }) => field),
          ['message.content.0.input'],
        );
        const undone = await engine.undoRepair(filePath);
        assert.equal(undone.problem, null);
        assert.equal(await read(), before);
      });
    });
  }
});
