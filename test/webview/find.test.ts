import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { screenshot } from './openPanel';
import { rowsInSight, settled } from './probe';
import { usePanels } from './usePanels';

describe('Finding in a conversation', () => {
  const open = usePanels();

  it('finds in all rows, counts, and goes from one to the next', async () => {
    const { page } = await open({ count: 5000, at: 1 });
    await page.keyboard.press('Control+f');
    const input = page.getByRole('textbox', { name: 'Find' });
    await input.fill('Windows');
    await count(page, '1 of 250');
    await input.press('Enter');
    await count(page, '2 of 250');
    await page.keyboard.press('F3');
    await page.keyboard.press('F3');
    await count(page, '4 of 250');
    await input.press('Shift+Enter');
    await input.press('Shift+Enter');
    await input.press('Shift+Enter');
    await input.press('Shift+Enter');
    await count(page, '250 of 250');
    await settled(page);
    const rows = await rowsInSight(page);
    assert.ok(rows.some(({ label }) => label.includes('Windows')));
    assert.ok((rows[0]?.index ?? 0) > 4900);
  });

  it('marks what it finds, also where it runs through bold words', async () => {
    const { page } = await open({ count: 60, at: 1 });
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).fill('a blank line inside ends');
    // The engine looks into the text as it is written; marks go by the text as it is shown.
    await page.getByRole('textbox', { name: 'Find' }).fill('blank line');
    await page.waitForFunction(() => (CSS.highlights.get('rethread-current-hits')?.size ?? 0) > 0);
    const marked = await page.evaluate(() =>
      [...(CSS.highlights.get('rethread-current-hits') ?? [])].map((range) =>
        range instanceof Range ? range.toString() : '',
      ),
    );
    assert.ok(
      marked.every((text) => text.toLowerCase() === 'blank line'),
      marked.join(),
    );
    await settled(page);
    await screenshot(page, 'find');
  });

  it('takes regular expressions, case, roles and tools into account, and says when an expression is none', async () => {
    const { page } = await open({ count: 100, at: 1 });
    await page.evaluate(() => {
      window.fake.openFind();
    });
    const input = page.getByRole('textbox', { name: 'Find' });
    await input.fill('windows');
    await count(page, '1 of 5');
    await page.getByRole('button', { name: 'Match case' }).click();
    await count(page, 'No results');
    await page.getByRole('button', { name: 'Match case' }).click();
    await page.getByRole('button', { name: 'Use regular expression' }).click();
    await input.fill('w.n(dows|ner)');
    await count(page, '1 of 5');
    await input.fill('w(');
    await page.locator('.find-problem').waitFor();
    await input.fill('test');
    await count(page, / of \d+ rows$/);
    await page.getByRole('button', { name: 'Filter by role and tool' }).click();
    await page.getByRole('textbox', { name: 'Only this tool' }).fill('Bash');
    await count(page, / of 10 rows$/);
    await page.getByRole('textbox', { name: 'Only this tool' }).fill('');
    await page.getByRole('combobox', { name: 'Said by' }).selectOption('user');
    await count(page, / of 5 rows$/);
  });

  it('gives the focus back to where it was when it is closed, and takes its marks away', async () => {
    const { page } = await open({ count: 60, at: 1 });
    await page.locator('.scroller').focus();
    await page.keyboard.press('ArrowDown');
    const before = await page.evaluate(() => document.activeElement?.getAttribute('data-index'));
    await page.keyboard.press('Control+f');
    await page.keyboard.type('the');
    await page.waitForFunction(() => (CSS.highlights.get('rethread-hits')?.size ?? 0) > 0);
    await page.getByRole('textbox', { name: 'Find' }).fill('');
    await page.keyboard.press('Escape');
    await page.locator('.item:focus').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-index')), before);
    assert.equal(await page.evaluate(() => CSS.highlights.size), 0);
  });
});

describe('The outline of prompts', () => {
  const open = usePanels();

  it('lists them all, marks the one that is read, and jumps', async () => {
    const { page } = await open({ count: 2000, at: 1, viewport: { width: 1200, height: 700 } });
    const outline = page.getByRole('navigation', { name: 'Prompts' });
    await outline.getByText('200', { exact: true }).waitFor();
    await settled(page);
    assert.equal(await outline.locator('[aria-current]').getAttribute('data-entry'), '0');
    await outline.locator('[data-entry="0"]').focus();
    await page.keyboard.press('End');
    await outline.locator('[data-entry="199"]:focus').waitFor();
    await page.keyboard.press('ArrowUp');
    await outline.locator('[data-entry="198"]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.item[data-index="1980"]').waitFor();
    await outline.locator('[data-entry="198"][aria-current]').waitFor();
  });

  it('lies over the conversation where it is narrow, and goes away after a jump', async () => {
    const { page } = await open({ count: 200, at: 1, viewport: { width: 420, height: 700 } });
    const outline = page.getByRole('navigation', { name: 'Prompts' });
    assert.equal(await outline.count(), 0);
    await page.getByRole('button', { name: 'Prompts' }).click();
    await outline.locator('[data-entry="12"]').click();
    await page.locator('.item[data-index="120"]').waitFor();
    assert.equal(await outline.count(), 0);
  });
});

async function count(page: Page, text: string | RegExp): Promise<void> {
  await page.locator('.find-count', { hasText: text }).waitFor({ timeout: 5000 });
}
