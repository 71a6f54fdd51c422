import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { screenshot } from './usePage';
import { readingPlace, rowsInSight, settled } from './probe';
import { usePanels } from './usePanels';

describe('Find in a conversation', () => {
  const open = usePanels();

  it('finds in all rows, counts the hits, and steps through them', async () => {
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

  it('highlights hits, also across bold words', async () => {
    const { page } = await open({ count: 60, at: 1 });
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).fill('a blank line inside ends');
    // The engine searches the text as written; highlights use the text as shown.
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

  it('supports regular expressions, case, roles and tools, and reports an invalid expression', async () => {
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
    await count(page, /^1 of \d+$/);
    await page.getByRole('button', { name: 'Filter by role and tool' }).click();
    await page.getByRole('textbox', { name: 'Only this tool' }).fill('Bash');
    await rows(page, ' of 10 messages');
    await page.getByRole('textbox', { name: 'Only this tool' }).fill('');
    await page.getByRole('combobox', { name: 'Said by' }).selectOption('user');
    await rows(page, ' of 5 messages');
  });

  it('returns the focus to where it was when it is closed, and removes its highlights', async () => {
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
    // They are removed after the next paint.
    await page.waitForFunction(() => CSS.highlights.size === 0);
  });
});

describe('Find in collapsed content', () => {
  const open = usePanels();

  it('expands what hides a hit, scrolls to the hit, and collapses it again afterwards', async () => {
    const { page } = await open({ scenario: 'folded', at: 1 });
    await settled(page);
    await page.keyboard.press('Control+f');
    const input = page.getByRole('textbox', { name: 'Find' });
    await input.fill('needle');
    for (let hit = 1; hit <= 9; hit++) {
      await rows(page, `${hit} of 9 messages`);
      await hitInView(page, 'needle');
      const seen = await page.evaluate(() => ({
        current: [...document.querySelectorAll<HTMLElement>('.is-current-hit')].map((row) => row.dataset['index']),
        // None of these kinds is expanded by default.
        unfolded: [...document.querySelectorAll('.item:not(.is-current-hit) [aria-expanded=true]')]
          .filter((button) => !/Bash|Edit|Show the file|c\.ts/.test(button.textContent))
          .map((button) => button.textContent),
        less: [...document.querySelectorAll('.item:not(.is-current-hit) button')].filter(
          (button) => button.textContent === 'Show less',
        ).length,
      }));
      assert.deepEqual(seen, { current: [String(29 + hit)], unfolded: [], less: 0 });
      await screenshot(page, `find-folded-${hit}`);
      await input.press('Enter');
    }
    await rows(page, '1 of 9 messages');
    await input.press('Escape');
    // After the bar is closed, the reader stays at the last hit.
    await page.getByRole('button', { name: 'Thinking', expanded: true }).waitFor();
  });

  it('lets the person collapse what it expanded, and keeps what the person had expanded', async () => {
    const { page } = await open({ scenario: 'folded', at: 25 });
    await settled(page);
    const card = page.locator('[data-index="33"] .block-card-line');
    await page.evaluate(() => {
      window.fake.reveal(34);
    });
    await card.press('Enter');
    assert.equal(await card.getAttribute('aria-expanded'), 'true');
    await card.press('Enter');
    assert.equal(await card.getAttribute('aria-expanded'), 'false');
    await page.keyboard.press('Control+f');
    const input = page.getByRole('textbox', { name: 'Find' });
    await input.fill('needle of line 70');
    await hitInView(page, 'needle of line 70');
    assert.equal(await card.getAttribute('aria-expanded'), 'true');
    await card.press('Enter');
    assert.equal(await card.getAttribute('aria-expanded'), 'false');
    await input.press('Enter');
    await hitInView(page, 'needle of line 70');
  });

  it('does not pull a reader who has scrolled away back to a hit while rows are added', async () => {
    const { page } = await open({ count: 200, at: 1 });
    await page.keyboard.press('Control+f');
    await page.keyboard.type('Windows');
    await count(page, '1 of 10');
    await settled(page);
    await page.mouse.move(500, 400);
    await page.mouse.wheel(0, 300);
    await settled(page);
    // Out of sight, but near enough to be rendered.
    assert.equal(await page.locator('.is-current-hit').count(), 1);
    const before = await readingPlace(page);
    assert.ok(before.index > 0);
    await page.evaluate(() => {
      window.fake.append(40);
    });
    await count(page, '1 of 12');
    await settled(page);
    assert.deepEqual(await readingPlace(page), before);
  });

  it('highlights words that are separated by Markdown marks', async () => {
    const { page } = await open({ scenario: 'folded', at: 25 });
    await page.keyboard.press('Control+f');
    const input = page.getByRole('textbox', { name: 'Find' });
    for (const [query, marked] of [
      ['foo **bar** in', 'foo bar in'],
      ['foo **ba', 'foo ba'],
      ['[the notes](https://example.com/hidden', 'the notes'],
      ['and `code`', 'and code'],
      ['say "needle and', 'say \\"needle and'],
    ] as const) {
      await input.fill(query);
      await rows(page, '1 of 1 message');
      await hitInView(page, marked);
    }
    await screenshot(page, 'find-written');
  });

  it('reports a hit in hidden content, and where it can be read', async () => {
    const { page } = await open({ scenario: 'folded', at: 25 });
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).fill('hidden-address');
    const row = page.locator('.item.is-current-hit[data-index="39"]');
    await row.getByText('What is looked for stands in this message where it is not shown').waitFor();
    await settled(page);
    await screenshot(page, 'find-unseen');
    await row.getByRole('button', { name: 'Line 40' }).click();
    await page.waitForFunction(() => window.fake.actions().some(({ kind }) => kind === 'revealLine'));
    await page.getByRole('textbox', { name: 'Find' }).fill('foo');
    await hitInView(page, 'foo');
    assert.equal(await row.getByText('What is looked for stands').count(), 0);
  });

  it('steps through the hits within a row, and counts hits and rows', async () => {
    const { page } = await open({ scenario: 'folded', at: 1 });
    await page.keyboard.press('Control+f');
    const input = page.getByRole('textbox', { name: 'Find' });
    await input.fill('I think');
    await count(page, '1 of 140');
    await rows(page, '1 of 1 message');
    await hitInView(page, 'i think');
    const first = await currentTop(page);
    for (let hit = 2; hit <= 140; hit++) await input.press('Enter');
    await count(page, '140 of 140');
    await hitInView(page, 'i think');
    assert.notEqual(await currentTop(page), first);
    await input.press('Shift+Enter');
    await count(page, '139 of 140');
    await input.press('Enter');
    await input.press('Enter');
    await count(page, '1 of 140');
    await hitInView(page, 'i think');
    await input.press('Shift+Enter');
    await count(page, '140 of 140');
    await hitInView(page, 'i think');
  });

  it('reaches every hit of a long output, page by page', async () => {
    const { page } = await open({ scenario: 'folded', at: 25 });
    await page.keyboard.press('Control+f');
    const input = page.getByRole('textbox', { name: 'Find' });
    // The first hit of each row is visible at once, the other is not.
    await input.fill('line (0|118)');
    await page.getByRole('button', { name: 'Use regular expression' }).click();
    for (const [at, text] of ['line 0', 'line 118', 'line 0', 'line 118'].entries()) {
      await count(page, `${at + 1} of 4`);
      await hitInView(page, text);
      await input.press('Enter');
    }
    await count(page, '1 of 4');
    await input.press('Shift+Enter');
    await count(page, '4 of 4');
    await hitInView(page, 'line 118');
  });

  it('highlights the matches of a regular expression without running it in the page', async () => {
    const { page } = await open({ scenario: 'folded', at: 25 });
    await page.keyboard.press('Control+f');
    await page.getByRole('button', { name: 'Use regular expression' }).click();
    const input = page.getByRole('textbox', { name: 'Find' });
    await page.evaluate(() => {
      window.fake.answerFind({
        items: [39],
        counts: [2],
        hits: 2,
        matched: {
          texts: [
            { text: 'foo **bar**', before: 'gap', after: 'any' },
            { text: 'code', before: 'any', after: 'any' },
          ],
          ofItems: [[0, 1]],
        },
      });
    });
    // In such a page, it would practically run forever.
    await input.fill('([a-z]+\\s*)+;');
    await count(page, '1 of 2');
    await hitInView(page, 'foo bar');
    await page.evaluate(() => {
      window.fake.answerFind({
        items: [39],
        counts: [1],
        hits: 1,
        matched: { texts: [{ text: 'o', before: 'inside', after: 'gap' }], ofItems: [[0]] },
      });
    });
    await input.fill('(\\w+ ?)+;');
    await count(page, '1 of 1');
    await hitInView(page, 'o');
  });

  it('highlights no words outside the row', async () => {
    const { page } = await open({ scenario: 'folded', at: 25 });
    await page.keyboard.press('Control+f');
    await page.getByRole('button', { name: 'Use regular expression' }).click();
    const input = page.getByRole('textbox', { name: 'Find' });
    await input.fill('nobody knows\\w*');
    await hitInView(page, 'nobody knows');
    await input.fill('nobody knowsDone');
    await count(page, 'No results');
    assert.equal(await page.evaluate(() => CSS.highlights.get('rethread-current-hits')?.size ?? 0), 0);
  });
});

describe('The outline of prompts', () => {
  const open = usePanels();

  it('lists all prompts, marks the current one, and jumps', async () => {
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

  it('stays closed in other conversations once the person has closed it where it had room', async () => {
    const { page } = await open({ count: 200, at: 1, viewport: { width: 1200, height: 700 } });
    const outline = page.getByRole('navigation', { name: 'Prompts' });
    await outline.getByRole('button', { name: 'Hide prompts' }).click();
    assert.equal(await outline.count(), 0);
    assert.equal(await page.evaluate(() => window.fake.shownParts().prompts), false);
    await page.getByRole('button', { name: 'Prompts' }).click();
    await outline.waitFor();
    assert.equal(await page.evaluate(() => window.fake.shownParts().prompts), true);
  });

  it('covers the conversation if the panel is narrow, and closes after a jump', async () => {
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

/** The end of the count's tooltip. */
async function rows(page: Page, text: string): Promise<void> {
  await page.locator(`.find-count[title$="${text}"]`).waitFor({ timeout: 5000 });
}

/** The position of the current hit within its row. */
function currentTop(page: Page): Promise<number> {
  return page.evaluate(() => {
    const [range] = [...(CSS.highlights.get('rethread-current-hits') ?? [])];
    const row = document.querySelector('.is-current-hit')!.getBoundingClientRect();
    return range instanceof Range ? range.getBoundingClientRect().top - row.top : Infinity;
  });
}

/** Waits until the current hit is highlighted, has this text, and is visible. */
async function hitInView(page: Page, text: string): Promise<void> {
  await settled(page);
  await page.waitForFunction((expected) => {
    const view = document.querySelector('.scroller')!.getBoundingClientRect();
    const [range] = [...(CSS.highlights.get('rethread-current-hits') ?? [])];
    if (!(range instanceof Range) || range.toString().toLowerCase() !== expected) return false;
    const box = range.getBoundingClientRect();
    return box.height > 0 && box.top >= view.top && box.bottom <= view.bottom;
  }, text);
  await settled(page);
}
