import assert from 'node:assert/strict';
import type { PanelCalls } from '../../src/protocol/channels/panel';
import { markdownOf, textOf } from '../../src/webview/conversation/list/RowActions';
import { assistant, prompt, result, transcript } from '../support/transcriptBuilder';
import { allItems, CHAIN, rowsOf, withConversation } from '../unit/conversation/readView';

const SCRIPT = Array.from({ length: 21 }, (_, at) => `echo step ${at} of a script that is long`).join('\n');
const FILE = 'line\n'.repeat(5000);

/** What copying the row of a call puts on the clipboard. */
function copied(name: string, input: unknown): Promise<string> {
  const rows = [
    prompt('p1', null),
    assistant('c1', 'p1', [{ type: 'tool_use', id: 'a', name, input }]),
    result('t1', 'c1', 'a'),
  ];
  return withConversation(transcript(rows), async (conversation, filePath) => {
    const [, call] = rowsOf(await allItems(conversation, CHAIN));
    const texts: Pick<PanelCalls, 'text'> = { text: (_, line, path) => conversation.text(line, path) };
    assert.ok(call !== undefined);
    return textOf(call, texts, filePath);
  });
}

describe('Copying the text of a call', () => {
  it('copies the complete input of the tool, and its result', async () => {
    assert.equal(
      await copied('Bash', { command: SCRIPT, description: 'Run it' }),
      `Bash\ncommand:\n${SCRIPT}\ndescription: Run it\n\nresult t1`,
    );
    assert.equal(
      await copied('Write', { file_path: '/a.txt', content: FILE }),
      `Write\nfile_path: /a.txt\ncontent:\n${FILE}\n\nresult t1`,
    );
    assert.equal(
      await copied('Edit', { file_path: '/a', old_string: 'x', new_string: 'y' }),
      'Edit\nfile_path: /a\nold_string: x\nnew_string: y\n\nresult t1',
    );
  });

  it('copies inputs of unknown tools, too', async () => {
    assert.equal(await copied('BrandNew', { x: { y: 1 } }), 'BrandNew\nx:\n{\n  "y": 1\n}\n\nresult t1');
    assert.equal(await copied('BrandNew', null), 'BrandNew\nnull\n\nresult t1');
    assert.equal(await copied('BrandNew', 'as text'), 'BrandNew\nas text\n\nresult t1');
  });
});

describe('Copying a message as Markdown', () => {
  it('keeps what was written, and fences everything else, whatever it contains', async () => {
    const script = 'cat <<X\n```\nX';
    const rows = [
      prompt('p1', null, { message: { role: 'user', content: 'Use **bold**.' } }),
      assistant('c1', 'p1', [{ type: 'tool_use', id: 'a', name: 'Bash', input: { command: script } }]),
      result('t1', 'c1', 'a'),
    ];
    await withConversation(transcript(rows), async (conversation, filePath) => {
      const [asked, call] = rowsOf(await allItems(conversation, CHAIN));
      const texts: Pick<PanelCalls, 'text'> = { text: (_, line, path) => conversation.text(line, path) };
      assert.ok(asked !== undefined && call !== undefined);
      assert.equal(await markdownOf(asked, texts, filePath), '**User**\n\nUse **bold**.');
      assert.equal(
        await markdownOf(call, texts, filePath),
        `**Claude**\n\n\`\`\`\`\nBash\ncommand:\n${script}\n\nresult t1\n\`\`\`\``,
      );
    });
  });
});
