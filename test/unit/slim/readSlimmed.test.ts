import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { filesChangedBy } from '../../rooms/conversation';
import { createPacer } from '../../rooms/util';
import { assistant, prompt, reply, result, type RowFields } from '../../support/transcriptBuilder';
import { allItems, CHAIN, openConversation } from '../conversation/readView';
import { assertDone, type Bench, ID, withSession } from './slimBench';

const LONG = 'a line of a file\n'.repeat(4_000);
const AFTER = LONG.replace('a line', 'THE line');
const INPUT = { file_path: '/work/a.txt', old_string: 'a line', new_string: 'THE line' };
const EDIT = { filePath: '/work/a.txt', oldString: 'a line', newString: 'THE line', originalFile: LONG };

function session(name: string, input: object, toolUseResult: object): readonly RowFields[] {
  const use = [{ type: 'tool_use', id: 'toolu_1', name, input }];
  const rows = [prompt('p1', null), assistant('c1', 'p1', use), result('o1', 'c1', 'toolu_1', { toolUseResult })];
  return [...rows, reply('r1', 'o1')];
}

async function withSlimmed(rows: readonly RowFields[], use: (bench: Bench) => Promise<void>): Promise<void> {
  await withSession(rows, async (bench) => {
    assertDone(await bench.engine.slim(bench.filePath), 'slimmed');
    await use(bench);
  });
}

async function changeOutputs(filePath: string): Promise<void> {
  const folder = join(dirname(filePath), ID, 'removed');
  for (const name of await readdir(folder)) await writeFile(join(folder, name), 'something else');
}

describe('A slimmed session', () => {
  it('still tells what a file was before an edit', async () => {
    await withSlimmed(session('Edit', INPUT, EDIT), async ({ filePath }) => {
      assert.doesNotMatch(await readFile(filePath, 'utf8'), /a line of a file/);
      const { compared } = await filesChangedBy(filePath, createPacer(10));
      assert.deepEqual(compared, [{ path: '/work/a.txt', before: LONG, after: AFTER }]);
    });
  });

  it('does not know that any more if the file of the text holds something else', async () => {
    await withSlimmed(session('Edit', INPUT, EDIT), async ({ filePath }) => {
      await changeOutputs(filePath);
      const { compared, unknown } = await filesChangedBy(filePath, createPacer(10));
      assert.deepEqual([compared, unknown], [[], ['/work/a.txt']]);
    });
  });

  it('shows the whole file in the comparison of an edit', async () => {
    await withSlimmed(session('Edit', INPUT, EDIT), async ({ filePath }) => {
      const conversation = openConversation(filePath);
      try {
        const edit = await conversation.edit(2, 'message.content.0');
        assert.deepEqual(edit, { filePath: '/work/a.txt', before: LONG, after: AFTER });
      } finally {
        conversation.close();
      }
    });
  });

  it('offers what a command printed where its result is shown', async () => {
    const printed = { stdout: LONG, stderr: '' };
    await withSlimmed(session('Bash', { command: 'make' }, printed), async ({ filePath }) => {
      const conversation = openConversation(filePath);
      try {
        const items = await allItems(conversation, CHAIN);
        const [tool] = items
          .flatMap((item) => (item.kind === 'row' ? item.blocks : []))
          .filter((block) => block.kind === 'tool');
        const path = tool?.result?.persisted ?? '';
        assert.match(path, new RegExp(`^${ID}/removed/[0-9a-f]{16}\\.txt$`));
        assert.equal(tool?.result?.text?.text, 'result o1');
        assert.equal(await conversation.persistedOutput(path), LONG);
      } finally {
        conversation.close();
      }
    });
  });
});
