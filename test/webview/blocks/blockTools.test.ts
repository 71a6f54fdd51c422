import assert from 'node:assert/strict';
import { cut, result, tool } from '../hostile/hostileRow';
import { actionsOf, show, showOpen } from './show';
import { useBlocksPage } from './useBlocksPage';

const EDIT = tool(
  {
    kind: 'diff',
    filePath: '/a/b.ts',
    hunks: [
      {
        oldStart: 7,
        newStart: 9,
        lines: [
          { kind: 'context', text: 'same' },
          { kind: 'removed', text: 'old' },
          { kind: 'added', text: 'new' },
        ],
      },
    ],
    more: 0,
  },
  { name: 'Edit', title: '/a/b.ts', path: 'content.2', result: result('updated') },
);
const DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

describe('Tool calls in a conversation', () => {
  const openPage = useBlocksPage();

  it('show a change with signs and numbers, and open the diff and the file', async () => {
    const { page } = await openPage();
    await showOpen(page, [EDIT]);
    const rows = await page
      .locator('.block-diff-row')
      .evaluateAll((all) =>
        all.map((row) => [row.querySelector('[data-line]')?.getAttribute('data-line'), row.textContent]),
      );
    assert.deepEqual(rows, [
      ['9', ' same'],
      ['8', '-old'],
      ['10', '+new'],
    ]);
    await page.getByRole('button', { name: 'Open diff' }).click();
    await page.getByRole('button', { name: 'Open file' }).click();
    assert.deepEqual(await actionsOf(page), [
      { kind: 'openDiff', filePath: '/sessions/one.jsonl', line: 1, path: 'content.2' },
      { kind: 'openFile', path: '/a/b.ts' },
    ]);
  });

  it('show the complete input when only its beginning was sent', async () => {
    const { page } = await openPage();
    const [text, agentType, filePath] = [cut('begin', 1000), null, '/a'];
    await showOpen(
      page,
      [
        tool({ kind: 'bash', command: text, description: null }),
        tool({ kind: 'write', filePath, content: text }),
        tool({ kind: 'write', filePath, content: text }, { name: 'NotebookEdit' }),
        tool({ kind: 'agent', agentType, prompt: text }),
        tool({ kind: 'json', json: text }, { result: result('x', { isError: true }) }),
      ],
      { answers: { text: 'begin and end' } },
    );
    const more = page.getByRole('button', { name: /^Show all/ });
    for (let left = 5; left > 0; left--) await more.first().click();
    await page.waitForFunction(() => window.blocksPage.texts.length === 5);
    assert.deepEqual(
      await page.evaluate(() => window.blocksPage.texts),
      ['command', 'content', 'new_source', 'prompt'].map((name) => `content.0.input.${name}`).concat('content.0.input'),
    );
  });

  it('state in words how they ended', async () => {
    const { page } = await openPage();
    const input = { kind: 'search', pattern: 'a', where: null } as const;
    await show(page, [
      tool(input, { name: 'Fine', result: result('x') }),
      tool(input, { name: 'Bad', result: result('x', { isError: true }) }),
      tool(input, { name: 'Lost' }),
    ]);
    const names = await page.locator('.block-card-line').evaluateAll((all) => all.map((line) => line.textContent));
    assert.deepEqual(names, ['FinetitleDone', 'BadtitleError', 'LosttitleNo result']);
  });

  it('are one line if they did not fail, and open if they did', async () => {
    const { page } = await openPage();
    const search = { kind: 'search', pattern: 'a', where: null } as const;
    await show(page, [
      EDIT,
      tool(search, { result: result('x') }),
      tool(search, { result: result('x', { isError: true }) }),
      tool({ kind: 'bash', command: cut('ls'), description: null }, { result: result('x') }),
    ]);
    const open = await page.locator('.block-card-line').evaluateAll((all) => all.map((line) => line.ariaExpanded));
    assert.deepEqual(open, ['false', 'false', 'true', 'false']);
  });

  it('say in their line what they are about, relative to the folder of the session', async () => {
    const { page } = await openPage();
    const filePath = '/home/somebody/projects/shop/src/total.ts';
    const counts = { added: 3, removed: 1 };
    await show(page, [
      tool({ kind: 'diff', filePath, hunks: [], more: 0, counts }, { name: 'Edit', result: result('ok') }),
      tool({ kind: 'read', filePath: '/etc/hosts', offset: null, limit: null }, { name: 'Read', result: result('ok') }),
      tool({ kind: 'bash', command: cut('npm test'), description: 'Run the tests' }, { result: result('ok') }),
      tool({ kind: 'todos', todos: [{ text: 'a', status: 'completed' }] }, { title: '', result: result('ok') }),
    ]);
    const titles = page.locator('.block-call-title');
    assert.deepEqual(await titles.evaluateAll((all) => all.map((title) => title.textContent)), [
      'src/total.ts+3 −1',
      '/etc/hosts',
      'Run the tests',
      '1/1',
    ]);
    assert.equal(await titles.first().getAttribute('title'), filePath);
  });

  it('leave out a result that only confirms the change, unless a search finds something in it', async () => {
    const { page } = await openPage();
    const edit = { ...EDIT, result: result('The file /a/b.ts has been updated. All is well.') };
    const odd = { ...EDIT, path: 'content.3', result: result('A hook changed the file again.') };
    const more = 'The file /a/b.ts has been updated.\nA test fails since.';
    const longer = { ...EDIT, path: 'content.4', result: result(more) };
    const shown = 'The file /a/b.ts has been updated. Here is the result of running `cat -n`:\n1\tall of it';
    const snippet = { ...EDIT, path: 'content.5', result: result(shown) };
    await showOpen(page, [edit, odd, longer, snippet]);
    const texts = await page.locator('.block-result').allInnerTexts();
    assert.deepEqual(texts.slice(0, 1), ['A hook changed the file again.']);
    assert.match(texts[1] ?? '', /^The file/);
    assert.equal(texts.length, 2);
    await page.evaluate(() => {
      window.blocksPage.find('All is well');
    });
    await page.getByText('All is well').waitFor();
  });

  it('show no line numbers of a change whose place is not known', async () => {
    const { page } = await openPage();
    const [hunk] = EDIT.input.kind === 'diff' ? EDIT.input.hunks : [];
    assert.ok(hunk);
    const hunks = [{ ...hunk, oldStart: null, newStart: null }];
    await showOpen(page, [{ ...EDIT, input: { kind: 'diff', filePath: '/a/b.ts', hunks, more: 0 } }]);
    assert.equal(await page.locator('.block-diff-row').count(), 3);
    assert.equal(await page.locator('.block-diff-number').count(), 0);
  });

  it('colour a change in the language of its file, also within a comment of several lines', async () => {
    const { page } = await openPage();
    const lines = ['/* begin', 'const a = 1;', '*/', 'const b = 2;'].map((text) => ({ kind: 'added' as const, text }));
    const hunks = [{ oldStart: 1, newStart: 1, lines }];
    await showOpen(page, [{ ...EDIT, input: { kind: 'diff', filePath: '/a/b.ts', hunks, more: 0 } }]);
    await page.locator('.block-diff-row .token-keyword').waitFor();
    const classes = await page
      .locator('.block-diff-text')
      .evaluateAll((all) => all.map((line) => line.querySelector('span')?.className));
    assert.deepEqual(classes, ['token-comment', 'token-comment', 'token-comment', 'token-keyword']);
  });

  it('of MCP servers name the server and the tool', async () => {
    const { page } = await openPage();
    await show(page, [tool({ kind: 'json', json: cut('{}') }, { name: 'mcp__git_hub__list__all' })]);
    assert.equal(await page.locator('.block-card-name').innerText(), 'git_hub · list__all');
  });

  it('collapse a long output, and state its length', async () => {
    const { page } = await openPage();
    const output = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
    await showOpen(page, [tool({ kind: 'bash', command: cut('x'), description: null }, { result: result(output) })]);
    assert.equal((await page.locator('.block-result pre').innerText()).split('\n').length, 12);
    await page.getByRole('button', { name: 'Show all (100 lines)' }).click();
    await page.getByText('line 99').waitFor();
  });

  it('of subagents nest their conversation, and open it in a separate panel', async () => {
    const { page } = await openPage();
    await showOpen(page, [
      tool(
        { kind: 'agent', agentType: 'Explore', prompt: cut('look') },
        { subagent: '/a/agent.jsonl', result: result('**found**') },
      ),
    ]);
    assert.equal(await page.locator('strong', { hasText: 'found' }).count(), 1);
    await page.getByRole('button', { name: 'Conversation of the subagent' }).click();
    await page.getByText('Rows of /a/agent.jsonl').waitFor();
    await page.getByRole('button', { name: 'Open in its own panel' }).click();
    assert.deepEqual(await actionsOf(page), [{ kind: 'openConversation', filePath: '/a/agent.jsonl' }]);
  });

  it('of subagents nest what the subagent wrote in the transcript of its session', async () => {
    const { page } = await openPage();
    await showOpen(page, [
      tool({ kind: 'agent', agentType: 'Explore', prompt: cut('look') }, { subagent: null, subagentLeaf: 18 }),
    ]);
    await page.getByRole('button', { name: 'Conversation of the subagent' }).click();
    await page.getByText('Rows of /sessions/one.jsonl up to line 18').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Open in its own panel' }).count(), 0);
  });

  it('show a plan with the state of each step in words', async () => {
    const { page } = await openPage();
    const todos = ['completed', 'in_progress', 'pending', 'dreamt of'].map((status) => ({ text: 'step', status }));
    await showOpen(page, [tool({ kind: 'todos', todos })]);
    assert.deepEqual(await page.locator('.block-todos li').evaluateAll((all) => all.map((item) => item.textContent)), [
      'Donestep',
      'In progressstep',
      'Openstep',
      'dreamt ofstep',
    ]);
  });

  it('show an image when it comes near the visible area, and report a broken one', async () => {
    const { page } = await openPage();
    const image = { kind: 'image' as const, path: 'a', mediaType: 'image/png', bytes: 70 };
    await show(page, [image], { answers: { image: DOT } });
    await page.getByRole('img', { name: 'Image (image/png, 70 bytes)' }).waitFor();
    await show(page, [image], { answers: { image: 'data:image/png;base64,AAAA' } });
    await page.getByText('This image cannot be shown (image/png, 70 bytes).').waitFor();
  });

  it('load a large image only on request', async () => {
    const { page } = await openPage();
    const image = { kind: 'image' as const, path: 'a', mediaType: 'image/png', bytes: 20_000_000 };
    await show(page, [image], { answers: { image: DOT } });
    await page.getByRole('button', { name: 'Show image (image/png, 20 MB)' }).click();
    await page.getByRole('img').waitFor();
  });
});
