import assert from 'node:assert/strict';
import { honestLinks } from '../hostile/hostileLinks';
import { bash, cut, markdown, result, tool } from '../hostile/hostileRow';
import { actionsOf, show, showOpen } from './show';
import { useBlocksPage } from './useBlocksPage';

describe('Texts in a conversation', () => {
  const openPage = useBlocksPage();

  it('are Markdown, with tables, tasks and code with its language', async () => {
    const { page } = await openPage();
    await show(page, [
      markdown('# One\n\n- [x] done\n- [ ] open\n\n|a|b|\n|:-|-:|\n|1|2|\n\n```ts\nlet a\n```\n\n~~gone~~ **bold**'),
    ]);
    assert.equal(await page.getByRole('heading', { name: 'One', level: 2 }).count(), 1);
    assert.deepEqual(await page.getByRole('img').evaluateAll((icons) => icons.map((icon) => icon.ariaLabel)), [
      'Done',
      'Open',
    ]);
    assert.equal(await page.getByRole('group', { name: 'Table' }).getByRole('cell').count(), 2);
    assert.equal(await page.locator('.block-code-language').innerText(), 'ts');
    assert.equal(await page.locator('del').innerText(), 'gone');
  });

  it('written by a person keep their lines, while those of Claude flow', async () => {
    const { page } = await openPage();
    await show(page, [markdown('one\ntwo')], { role: 'user' });
    assert.equal(await page.locator('.block-prompt br').count(), 1);
    await show(page, [markdown('one\ntwo')]);
    assert.equal(await page.locator('.block-reply br').count(), 0);
  });

  it('show HTML tags as written', async () => {
    const { page } = await openPage();
    await show(page, [markdown('Use <Button kind="primary">\n\n<div>\n  <b>x</b>\n</div>\n\n<!-- why -->')]);
    const text = await page.locator('.block-reply').innerText();
    assert.match(text, /Use <Button kind="primary">\s+<div>\n {2}<b>x<\/b>\n<\/div>\s+<!-- why -->/);
  });

  for (const [what, { href, opens = { kind: 'openLink', href } }] of Object.entries(honestLinks)) {
    it(`link to ${what} through the extension`, async () => {
      const { page } = await openPage();
      await show(page, [markdown(`[there](<${href}>)`)]);
      const link = page.getByRole('link', { name: 'there' });
      await link.click();
      await link.press('Enter');
      assert.deepEqual(await actionsOf(page), [opens, opens]);
      assert.equal(await link.getAttribute('href'), null);
    });
  }

  it('turn an image into a link', async () => {
    const { page } = await openPage();
    await show(page, [markdown('![a chart](https://example.com/a.png)')]);
    assert.equal(await page.getByRole('link', { name: 'a chart' }).getAttribute('title'), 'https://example.com/a.png');
    assert.equal(await page.locator('img').count(), 0);
  });

  it('copy their code as written', async () => {
    const { page } = await openPage();
    const code = 'if (a < b && c) {\n  "\u202ex";\n}';
    await show(page, [markdown(`- in a list:\n\n  \`\`\`js\n${code.replace(/^/gm, '  ')}\n  \`\`\``)]);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    assert.deepEqual(await actionsOf(page), [{ kind: 'copy', text: code }]);
  });

  it('highlight code only when it comes near the visible area', async () => {
    const { page } = await openPage();
    const block = markdown('```ts\nconst a = "b";\n```');
    await show(page, [block, markdown('a\n\n'.repeat(200)), block]);
    const coloured = page.locator('.row:first-child .token-keyword, .row:last-child .token-keyword');
    await page.locator('.row:first-child .token-keyword').waitFor();
    assert.equal(await coloured.count(), 1);
    await page.locator('.row:last-child').scrollIntoViewIfNeeded();
    await page.locator('.row:last-child .token-keyword').waitFor();
    assert.equal(await page.locator('.row:last-child code').innerText(), 'const a = "b";');
  });

  it('load what was cut off on request, and show it in pages', async () => {
    const { page } = await openPage();
    const whole = Array.from({ length: 1_000_000 / 20 }, (_, at) => `line number ${String(at).padStart(6)}.\n`).join(
      '',
    );
    const text = whole.slice(0, 2000);
    await show(page, [{ kind: 'error', path: 'a', body: { text, more: whole.length - text.length } }], {
      answers: { text: whole },
    });
    await page.getByRole('button', { name: 'Show all (1 MB)' }).click();
    await page.getByRole('button', { name: 'Show more (66 kB of 1 MB)' }).click();
    await page.getByRole('button', { name: 'Show more (131 kB of 1 MB)' }).waitFor();
    const shown = (await page.locator('pre').allTextContents()).join('');
    assert.equal(shown, whole.slice(0, shown.length));
    await page.getByRole('button', { name: 'Show less' }).click();
    await page.getByRole('button', { name: 'Show all (1 MB)' }).waitFor();
  });

  it('report when the rest is no longer available', async () => {
    const { page } = await openPage();
    await show(page, [{ kind: 'error', path: 'a', body: cut('beginning', 1000) }], { answers: { text: null } });
    await page.getByRole('button', { name: /^Show all/ }).click();
    await page.getByText('The rest is not in the transcript any more.').waitFor();
    assert.equal(await page.getByText('beginning').count(), 1);
  });

  it('from a terminal show its colours, and ignore all control sequences', async () => {
    const { page } = await openPage();
    await showOpen(page, [
      bash('\u001b[31mred\u001b[0m \u001b]8;;https://evil.test\u0007link\u001b]8;;\u0007 10%\r20%\r\n\u001b[2Jend'),
    ]);
    assert.equal(await page.locator('.block-result pre').innerText(), '20%\nend');
    await showOpen(page, [
      bash('\u001b[31mred\u001b[0m \u001b]8;;https://evil.test\u0007link\u001b]8;;\u0007\n\u001b[38;2;250;5;5mtrue'),
    ]);
    assert.equal(await page.locator('.block-result pre').innerText(), 'red link\ntrue');
    assert.equal(await page.locator('.ansi-fg-red').innerText(), 'red');
    assert.equal(await page.locator('.ansi-fg-bright-red').innerText(), 'true');
  });

  it('from a terminal keep colours, weight and inversion until they are reset', async () => {
    const { page } = await openPage();
    const sgr = (codes: string): string => `\u001b[${codes}m`;
    await showOpen(page, [
      bash(
        `${sgr('1;32')}a${sgr('22')}b${sgr('39;4')}c${sgr('')}d${sgr('38;5;196;48;5;21')}e${sgr('7')}f${sgr('27;49')}g` +
          `${sgr('0;93;104')}h${sgr('0;7')}i${sgr('38;5')}j`,
      ),
    ]);
    const spans = await page
      .locator('.block-result pre')
      .evaluate((pre) =>
        [...pre.childNodes].map(
          (node) => `${node instanceof Element ? node.className : ''}: ${node.textContent ?? ''}`,
        ),
      );
    assert.deepEqual(spans, [
      'ansi-fg-green ansi-bold: a',
      'ansi-fg-green: b',
      'ansi-underline: c',
      ': d',
      'ansi-fg-bright-red ansi-bg-blue: e',
      'ansi-fg-blue ansi-bg-bright-red: f',
      'ansi-fg-bright-red: g',
      'ansi-fg-bright-yellow ansi-bg-bright-blue: h',
      'ansi-fg-black ansi-bg-white: ij',
    ]);
  });

  it('that are stored in a separate file are read on request', async () => {
    const { page } = await openPage();
    const block = tool(
      { kind: 'search', pattern: 'a', where: null },
      { result: result('too long', { isError: true, persisted: '/x/y.txt' }) },
    );
    await show(page, [block], { answers: { persisted: 'what there was' } });
    assert.equal(await page.getByText('what there was').count(), 0);
    await page.getByRole('button', { name: 'Show the whole output (file)' }).click();
    await page.getByText('what there was').waitFor();
  });

  it('that are too complex are shown as plain text', async () => {
    const { page } = await openPage();
    await show(page, [markdown(`${'> '.repeat(100)}deep **text**`)]);
    assert.match(await page.locator('.block-verbatim').innerText(), /> > > deep \*\*text\*\*$/);
  });
});
