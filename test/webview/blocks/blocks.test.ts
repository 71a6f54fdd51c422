import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeFaults } from '../axeFaults';
import { THEMES } from '../usePage';
import { cut, markdown } from '../hostile/hostileRow';
import { show } from './show';
import { useBlocksPage } from './useBlocksPage';

const BLOCKS = join(__dirname, '../../../src/webview/blocks');

describe('The blocks of a conversation', () => {
  const openPage = useBlocksPage();

  for (const theme of THEMES) {
    it(`are accessible in the theme ${theme}, collapsed and expanded`, async () => {
      const { page } = await openPage(700, theme);
      await page.evaluate(() => {
        window.blocksPage.showEveryBlock();
      });
      await unfoldEverything();
      await page.locator('.token-string').first().waitFor();
      assert.deepEqual(await axeFaults(page, ['region', 'page-has-heading-one']), []);

      async function unfoldEverything(): Promise<void> {
        for (const what of ['[aria-expanded=false]', 'button:text-matches("^Show all")']) {
          const folded = page.locator(what);
          while ((await folded.count()) > 0) await folded.first().click();
        }
      }
    });
  }

  it('fit a side bar of 250 pixels, where only tables scroll, inside themselves', async () => {
    const { page } = await openPage(250);
    await page.evaluate(() => {
      window.blocksPage.showEveryBlock();
    });
    const widths = await page.evaluate(() => ({
      page: document.documentElement.scrollWidth,
      scrolled: [...document.querySelectorAll('#root *')]
        .filter(
          (element) =>
            element.scrollWidth > element.clientWidth && /auto|scroll/.test(getComputedStyle(element).overflowX),
        )
        .map((element) => element.className),
    }));
    assert.deepEqual(widths, { page: 250, scrolled: ['block-table'] });
  });

  it('take their colours from the theme only, and have no inline styles', async () => {
    for (const file of readdirSync(BLOCKS, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.css'),
    )) {
      const style = readFileSync(join(BLOCKS, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
      assert.doesNotMatch(style, /#[\da-f]{3,8}\b|\b(?:rgba?|hsla?|oklch|url)\(/i, file);
    }
    const { page } = await openPage();
    await page.evaluate(() => {
      window.blocksPage.showEveryBlock();
    });
    assert.equal(await page.locator('#root [style]').count(), 0);
  });

  it('do not animate with reduced motion', async () => {
    const { page } = await openPage();
    await show(page, [{ kind: 'note', title: 'a', path: 'a', body: cut('b') }]);
    const seconds = await page.locator('.block-chevron').evaluate((icon) => getComputedStyle(icon).transitionDuration);
    assert.equal(seconds, '0s');
  });

  it('stay expanded when their elements are removed and created again', async () => {
    const { page } = await openPage();
    const blocks = [{ kind: 'thinking' as const, path: 'a', body: cut('Let me think.'), isRedacted: false }];
    await show(page, blocks);
    const line = page.getByRole('button', { name: /^Thinking/ });
    assert.equal(await line.getAttribute('aria-expanded'), 'false');
    await line.press('Enter');
    await page.locator('p', { hasText: 'Let me think.' }).waitFor();
    await page.evaluate(() => {
      window.blocksPage.remake();
    });
    assert.equal(await line.getAttribute('aria-expanded'), 'true');
  });

  it('expand if a search finds something in their hidden part', async () => {
    const { page } = await openPage();
    const text = Array.from({ length: 40 }, (_, at) => `line ${at}.`).join('\n');
    await show(page, [
      { kind: 'error', path: 'a', body: cut(text) },
      { kind: 'note', title: 'quiet', path: 'b', body: cut('a needle') },
    ]);
    assert.equal(await page.getByText('line 30.').count(), 0);
    await page.evaluate(() => {
      window.blocksPage.find('line 30.');
    });
    await page.getByText('line 30.').waitFor();
    await page.evaluate(() => {
      window.blocksPage.find('needle');
    });
    await page.getByText('a needle').waitFor();
    assert.equal(await page.getByText('line 30.').count(), 0);
  });

  it('show unknown content as it is', async () => {
    const { page } = await openPage();
    // SAFETY: it is none of the known kinds; another version may send it.
    const unknown = { kind: 'hologram', beams: [12345678901234567890n.toString()] } as unknown as ReturnType<
      typeof markdown
    >;
    await show(page, [unknown]);
    assert.match(await page.locator('.block-raw pre').innerText(), /"kind": "hologram"[\s\S]*"12345678901234567890"/);
  });

  it('keep every digit of numbers in JSON', async () => {
    const { page } = await openPage();
    await show(page, [
      { kind: 'raw', title: 'x', path: 'a', body: cut('{"id":12345678901234567890,"a":[],"b":[1,{"c":1e400}]}') },
    ]);
    assert.equal(
      await page.locator('.block-raw pre').innerText(),
      '{\n  "id": 12345678901234567890,\n  "a": [],\n  "b": [\n    1,\n    {\n      "c": 1e400\n    }\n  ]\n}',
    );
  });

  it('describe the effect of a compaction', async () => {
    const { page } = await openPage();
    await show(page, [{ kind: 'compaction', trigger: 'auto', tokensBefore: 155_203, earlierRows: 231 }]);
    const words = (await page.locator('.block-compaction').innerText()).replace(/\s+/g, ' ');
    assert.equal(words, 'Compacted automatically 155,203 tokens before');
  });

  it('name invisible characters in code, and leave emoji and other scripts intact', async () => {
    const { page } = await openPage();
    await show(page, [
      markdown('family 👩‍👩‍👧 می‌خواهم `a\u202eb` \u{e0041}'),
      { kind: 'raw', title: 'x', path: 'a', body: cut('a\u200b\u200bb') },
    ]);
    const labels = await page.locator('.block-control').allInnerTexts();
    assert.deepEqual(labels, ['U+202E', 'U+E0041', 'U+200B ×2']);
    assert.match(await page.locator('p').innerText(), /family 👩‍👩‍👧 می‌خواهم/);
  });
});
