import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axeFaults } from './axeFaults';
import { screenshot, THEMES } from './usePage';
import { firstPaintMs, settled } from './probe';
import { usePanels } from './usePanels';

/** From the start of the page, including on a busy machine. */
const FIRST_PAINT_MS = 2000;

describe('The appearance of the conversation panel', () => {
  const open = usePanels();

  for (const theme of THEMES) {
    it(`passes the axe checks: ${theme}`, async () => {
      const tools = await open({ theme, at: 3, live: '', viewport: { width: 1200, height: 850 } });
      await settled(tools.page);
      await screenshot(tools.page, `tools-${theme}`);
      assert.deepEqual(await axeFaults(tools.page), []);

      const broken = await open({ theme, scenario: 'broken', at: 3, viewport: { width: 1000, height: 1100 } });
      await settled(broken.page);
      await screenshot(broken.page, `broken-${theme}`);
      assert.deepEqual(await axeFaults(broken.page), []);
      await broken.page.locator('.scroller').focus();
      await broken.page.keyboard.press('End');
      await broken.page.locator('.item[data-index="25"]:focus').waitFor();
      await settled(broken.page);
      await screenshot(broken.page, `compaction-${theme}`);
      assert.deepEqual(await axeFaults(broken.page), []);

      const find = await open({ theme, at: 3, count: 100 });
      await find.page.keyboard.press('Control+f');
      await find.page.keyboard.type('test');
      await find.page.locator('.find-count', { hasText: / of / }).waitFor();
      await find.page.getByRole('button', { name: 'Filter by role and tool' }).click();
      await find.page.getByRole('button', { name: 'View: Current thread' }).click();
      await settled(find.page);
      await screenshot(find.page, `find-${theme}`);
      assert.deepEqual(await axeFaults(find.page), []);
    });
  }

  for (const { name, width, height, scale } of [
    { name: 'a side bar of 250 pixels', width: 250, height: 700, scale: 1 },
    { name: 'a zoom of 200 %', width: 500, height: 400, scale: 2 },
  ]) {
    it(`needs no horizontal scrolling: ${name}`, async () => {
      for (const scenario of [undefined, 'broken'] as const) {
        const { page } = await open({
          ...(scenario === undefined ? { count: 60 } : { scenario }),
          at: 2,
          viewport: { width, height },
          deviceScaleFactor: scale,
        });
        await settled(page);
        await page.keyboard.press('Control+f');
        await page.keyboard.type('test');
        await page.locator('.find-count', { hasText: /of/ }).waitFor();
        await settled(page);
        await screenshot(page, `${scenario ?? 'tools'}-${width}`);
        assert.deepEqual(await tooWide(page), []);
      }
    });
  }

  for (const width of [220, 600, 1000, 1400]) {
    it(`has a header of actions that is aligned with the column of the conversation: ${width} pixels`, async () => {
      const { page } = await open({ count: 60, at: 12, viewport: { width, height: 700 } });
      await settled(page);
      const memory = await page.locator('.memory').boundingBox();
      const list = await page.locator('.item .row-header').first().boundingBox();
      assert.ok(memory !== null && list !== null);
      assert.ok(Math.abs(memory.x - list.x) <= 1, `${memory.x} and ${list.x}`);
      const labels = ['Resume', 'Fork', 'Rewind…', 'More actions'];
      for (const name of labels) {
        const box = await page.locator('.header').getByRole('button', { name, exact: true }).boundingBox();
        assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width, `${name} ${JSON.stringify(box)}`);
      }
      await screenshot(page, `header-${width}`);
    });
  }

  it('has messages with more than a word per line in a side bar of 250 pixels', async () => {
    const { page } = await open({ count: 60, branches: 3, branch: 1000, viewport: { width: 250, height: 700 } });
    await settled(page);
    await screenshot(page, 'branch-250');
    const banner = await page.getByRole('status').filter({ hasText: 'another branch' }).boundingBox();
    assert.ok(banner !== null && banner.height <= 120, JSON.stringify(banner));
  });

  it('leaves room for the subject of a call in a side bar of 250 pixels', async () => {
    const { page } = await open({ count: 60, at: 5, viewport: { width: 250, height: 700 } });
    await settled(page);
    const card = page.locator('.block-card', { has: page.getByText('splitSections', { exact: true }) }).first();
    const [title, head] = [await card.locator('.block-card-title').boundingBox(), await card.boundingBox()];
    assert.ok(title !== null && head !== null && title.width >= 0.7 * head.width, JSON.stringify([title, head]));
    // The word is still there for screen readers and on hover.
    assert.equal(await card.locator('.block-status').getAttribute('title'), 'No result');
    assert.match(await card.getByRole('button').first().innerText(), /No result/);
  });

  it('is not animated with reduced motion', async () => {
    const { page } = await open({ count: 60, live: '' });
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  });

  it('keeps borders and marks in forced colours', async () => {
    const { page } = await open({ scenario: 'broken', at: 3, forcedColors: 'active' });
    await settled(page);
    await screenshot(page, 'forced-colors');
    // axe uses the colours of the stylesheet, which are not the painted ones.
    assert.deepEqual(await axeFaults(page, ['color-contrast']), []);
  });

  it('is painted soon after the page starts', async () => {
    const { page } = await open();
    await settled(page);
    const paintMs = await firstPaintMs(page);
    assert.ok(paintMs <= FIRST_PAINT_MS, `${paintMs} ms`);
  });

  it('highlights code after the first screen is shown, and works without colours', async () => {
    const { page } = await open();
    await page.locator('.token-keyword').first().waitFor();
    const other = await open({ without: 'highlight.js' });
    await settled(other.page);
    await other.page.locator('.block-code-text').first().waitFor();
    assert.equal(await other.page.locator('.token-keyword').count(), 0);
    assert.equal(other.faults.splice(0).length, 1, 'the browser says what it could not load');
  });
});

/** Elements that extend over the right edge of the page and are not in a box that scrolls. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide: string[] = [];
    for (const element of document.querySelectorAll('body *')) {
      const box = element.getBoundingClientRect();
      if (box.width === 0 || box.right <= innerWidth + 0.5) continue;
      let scroller = element.parentElement;
      while (scroller !== null && !['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(scroller).overflowX))
        scroller = scroller.parentElement;
      if (scroller === null || scroller.matches('body,html,.scroller,.sizer'))
        wide.push(element.outerHTML.slice(0, 120));
    }
    return wide;
  });
}
