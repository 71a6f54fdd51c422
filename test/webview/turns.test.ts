import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axeFaults } from './axeFaults';
import { screenshot, THEMES } from './usePage';
import { readingPlace, settled } from './probe';
import { usePanels } from './usePanels';

const CALLS = 'Grep, Read ×3';

describe('The turns of a conversation, in the panel', () => {
  const open = usePanels();

  it('have one header each for the person and for Claude, with the model where it changes', async () => {
    const { page } = await open({ scenario: 'turns', at: 1 });
    await settled(page);
    const headers = await page.locator('.row-header').evaluateAll((all) => all.map((each) => each.textContent));
    assert.deepEqual(
      headers.slice(0, 4).map((each) => each.replace(/[\d,]?\d.*$/, '').replace(/\s*$/, '')),
      ['You', 'Claudeclaude-one', 'You', 'Claude'],
    );
  });

  it('fold calls that succeeded and notes, keep a failed call open, and open folds in place', async () => {
    const { page } = await open({ scenario: 'turns', at: 1 });
    await settled(page);
    const folds = page.locator('.block-fold > button');
    assert.deepEqual(await folds.evaluateAll((all) => all.map((each) => each.textContent)), [
      '3 context notes',
      CALLS,
      '1 context note',
    ]);
    assert.equal(await page.getByRole('button', { name: /^Bash/ }).getAttribute('aria-expanded'), 'true');
    assert.equal(await page.getByRole('button', { name: /^Edit/ }).getAttribute('aria-expanded'), 'false');
    const before = await readingPlace(page);
    await page.getByRole('button', { name: CALLS }).click();
    await page.getByRole('button', { name: /^Read\s*src\s*\/three\.ts/ }).waitFor();
    await settled(page);
    assert.deepEqual(await readingPlace(page), before);
    await page.getByRole('button', { name: /^Read\s*src\s*\/three\.ts/ }).click();
    await page.getByText('what src/three.ts gave').waitFor();
  });

  it('show what a command said to the person outside of folds', async () => {
    const { page } = await open({ scenario: 'turns', at: 1 });
    await page.getByRole('button', { name: 'Command output' }).waitFor();
  });

  it('open a fold for a hit in it', async () => {
    const { page } = await open({ scenario: 'turns', at: 1 });
    await page.keyboard.press('Control+f');
    await page.keyboard.type('thimble');
    await page.getByText('a hidden thimble').waitFor();
    await page.getByRole('textbox', { name: 'Find' }).fill('three.ts gave');
    await page.getByText('what src/three.ts gave').waitFor();
  });

  it('open a fold for a line in it, and mark the call there', async () => {
    const { page } = await open({ scenario: 'turns', reveal: 9 });
    await page.locator('.step.is-marked-step', { hasText: 'src/two.ts' }).waitFor();
    assert.equal(await page.locator('.is-marked-step').count(), 1);
  });

  it('are read, opened and acted on with the keyboard alone', async () => {
    const { page } = await open({ scenario: 'turns', at: 1 });
    await page.locator('.scroller').focus();
    await page.keyboard.press('Home');
    await page.locator('.item[data-index="0"]:focus').waitFor();
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowDown');
    await page.locator('.item[data-index="3"]:focus').waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), CALLS);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: CALLS, expanded: true }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Copy Text');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.fake.actions()[0]?.kind === 'copy');
    await page.keyboard.press('Escape');
    await page.locator('.item[data-index="3"]:focus').waitFor();
  });

  for (const theme of THEMES) {
    it(`pass the axe checks, closed and open: ${theme}`, async () => {
      const { page } = await open({ theme, scenario: 'turns', at: 1, viewport: { width: 900, height: 1400 } });
      await settled(page);
      await screenshot(page, `turns-${theme}`);
      assert.deepEqual(await axeFaults(page), []);
      for (const line of await page.locator('[aria-expanded=false]:not([aria-haspopup])').all()) await line.click();
      await settled(page);
      await screenshot(page, `turns-open-${theme}`);
      assert.deepEqual(await axeFaults(page), []);
    });
  }

  for (const width of [220, 300]) {
    it(`fit a side bar of ${width} pixels`, async () => {
      const { page } = await open({ scenario: 'turns', at: 1, viewport: { width, height: 900 } });
      for (const name of [CALLS, '3 context notes']) await page.getByRole('button', { name }).click();
      await settled(page);
      await screenshot(page, `turns-${width}`);
      const wide = await page
        .locator('.scroller .step')
        .evaluateAll((all) => all.filter((each) => each.getBoundingClientRect().right > innerWidth).length);
      assert.equal(wide, 0);
    });
  }
});

describe('The menu that shows or hides parts of messages', () => {
  const open = usePanels();

  it('hides tools, notes and thinking without leaving gaps, and times', async () => {
    const { page } = await open({ scenario: 'turns', at: 1 });
    await settled(page);
    for (const part of ['Tools', 'Notes', 'Thinking', 'Timestamps']) await toggle(page, part);
    await page.keyboard.press('Escape');
    await settled(page);
    for (const gone of ['.block-of-tool', '.fold-of-run', '.fold-of-notes', '.block-of-thinking', '.block-of-note'])
      assert.equal(await page.locator(gone).count(), 0, gone);
    assert.equal(await page.locator('.row-time').first().isVisible(), false);
    const hidden = await page.locator('.item.is-hidden').evaluateAll((all) => all.map((each) => each.clientHeight));
    assert.ok(hidden.length >= 3 && hidden.every((height) => height <= 1), hidden.join());
    // The header of Claude stays with what is left of the turn.
    assert.equal(await page.locator('.row-author', { hasText: 'Claude' }).count(), 2);
    assert.deepEqual(await axeFaults(page), []);
    await screenshot(page, 'turns-hidden');
  });

  it('says what is shown, stays open for the next choice, and tells the extension', async () => {
    const { page } = await open({ scenario: 'turns', at: 1 });
    await toggle(page, 'Tools');
    const item = page.getByRole('menuitemcheckbox', { name: 'Tools' });
    assert.equal(await item.getAttribute('aria-checked'), 'false');
    assert.deepEqual(await axeFaults(page), []);
    await page.waitForFunction(() => !window.fake.shownParts().tools);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => !window.fake.shownParts().notes);
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Show or hide');
  });

  it('keeps the place of the reader', async () => {
    const { page } = await open({ scenario: 'turns', at: 16 });
    await settled(page);
    const before = await readingPlace(page);
    await toggle(page, 'Notes');
    await toggle(page, 'Tools');
    await settled(page);
    assert.deepEqual(await readingPlace(page), before);
  });

  it('lets the arrow keys skip what is hidden', async () => {
    const { page } = await open({ scenario: 'turns', at: 1 });
    await toggle(page, 'Notes');
    await page.keyboard.press('Escape');
    await page.locator('.scroller').focus();
    await page.keyboard.press('Home');
    await page.locator('.item[data-index="0"]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('.item[data-index="2"]:focus').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.locator('.item[data-index="0"]:focus').waitFor();
  });

  it('does not hide a hit of the search, nor a line that was looked for', async () => {
    const { page } = await open({ scenario: 'turns', at: 1 });
    await toggle(page, 'Notes');
    await toggle(page, 'Tools');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+f');
    await page.keyboard.type('thimble');
    await page.getByText('a hidden thimble').waitFor();
    await page.evaluate(() => {
      window.fake.reveal(9);
    });
    await page.locator('.is-marked-step', { hasText: 'src/two.ts' }).waitFor();
  });
});

async function toggle(page: Page, part: string): Promise<void> {
  const item = page.getByRole('menuitemcheckbox', { name: part });
  if ((await item.count()) === 0) await page.getByRole('button', { name: 'Show or hide' }).click();
  await item.click();
}
