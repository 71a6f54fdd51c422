import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { axeFaults } from '../axeFaults';
import { screenshot, THEMES } from '../usePage';
import { firstPaintMs } from '../probe';
import { useTokens } from './useTokens';

/** From the start of the page, including on a busy machine. */
const FIRST_PAINT_MS = 2000;
const SCENARIOS = [
  'full',
  'no-sessions',
  'unused',
  'counting',
  'failed',
  'notices',
  'no-price',
  'nearly-full',
  'hostile',
];

const PLACES = ['view', 'page'] as const;

/** The table of a year of days is the same in all scenarios, and takes the checks most of their time. */
async function openTables(page: Page, scenario: string): Promise<void> {
  const tables = scenario === 'full' ? '.disclosure' : '.disclosure:not(.card:has(.heat) *)';
  for (const button of await page.locator(tables).all()) await button.click();
}

describe('The appearance of the tokens', () => {
  const open = useTokens();

  for (const [theme, place] of THEMES.flatMap((name) => PLACES.map((each) => [name, each] as const))) {
    it(`passes the axe checks: ${theme}, ${place}`, async () => {
      for (const scenario of SCENARIOS) {
        const { page } = await open({ theme, place, scenario });
        await openTables(page, scenario);
        const firstChart = page.getByRole('slider').first();
        if ((await firstChart.count()) > 0) await firstChart.press('ArrowLeft');
        await screenshot(page, `tokens-${place}-${scenario}-${theme}`);
        assert.deepEqual(await axeFaults(page), [], `${place}, ${scenario}`);
        await page.context().close();
      }
    });
  }

  it('fails the axe checks if a button has no name, or text is hardly visible', async () => {
    const { page } = await open({ theme: 'dark', scenario: 'notices' });
    await page.evaluate(() => {
      document
        .querySelector('.view')
        ?.insertAdjacentHTML('beforeend', '<button class="odd"></button><p class="odd">text</p>');
      for (const odd of document.querySelectorAll<HTMLElement>('.odd')) {
        odd.style.color = '#333';
        odd.style.backgroundColor = '#222';
      }
    });
    const rules = (await axeFaults(page)).map((fault) => fault.split(':')[0]);
    assert.deepEqual(rules.sort(), ['button-name', 'color-contrast']);
  });

  for (const { name, width, scale } of [
    { name: 'a side bar of 250 pixels', width: 250, scale: 1 },
    { name: 'a side bar of 400 pixels at a zoom of 200 %', width: 200, scale: 2 },
    { name: 'a column of 220 pixels', width: 220, scale: 1 },
    { name: 'the narrowest side bar', width: 170, scale: 1 },
  ]) {
    it(`needs no horizontal scrolling: ${name}`, async () => {
      for (const [place, scenario] of PLACES.flatMap((each) => SCENARIOS.map((name) => [each, name] as const))) {
        // Figures are longer in other languages.
        for (const locale of scenario === 'full' ? ['en', 'de', 'ja'] : ['en']) {
          const { page } = await open({
            place,
            scenario,
            locale,
            range: 'week',
            viewport: { width, height: 700 },
            deviceScaleFactor: scale,
          });
          await openTables(page, scenario);
          if (locale === 'en') await screenshot(page, `tokens-${place}-${scenario}-${width}`);
          const what = `${place}, ${scenario}, ${locale}`;
          assert.deepEqual(await tooWide(page), [], what);
          assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, what);
          await page.context().close();
        }
      }
    });
  }

  it('keeps the text of a bar within the window', async () => {
    const { page } = await open({ place: 'page', viewport: { width: 250, height: 500 } });
    const days = page.locator('.day-hit');
    for (const at of [0, 14, 29]) {
      await days.nth(at).hover();
      const box = await page.locator('.tip').boundingBox();
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 250 && box.y >= 0 && box.y + box.height <= 500);
    }
  });

  it('keeps bars, marks and borders in forced colours', async () => {
    const { page } = await open({ place: 'page', forcedColors: 'active' });
    await page.getByRole('slider', { name: 'By day' }).press('ArrowLeft');
    await screenshot(page, 'tokens-forced-colors');
    // axe uses the colours of the stylesheet, which are not the painted ones.
    assert.deepEqual(await axeFaults(page, ['color-contrast']), []);
    const fills = await page.evaluate(() =>
      ['.day-part', '.bar-row .bar-track'].map((each) => getComputedStyle(document.querySelector(each)!).fill),
    );
    assert.equal(new Set(fills).size, 2);
  });

  it('is not animated with reduced motion', async () => {
    const { page } = await open({ place: 'page' });
    assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
  });

  it('treats names as text, whatever they look like', async () => {
    const { page } = await open({ place: 'page', scenario: 'hostile' });
    for (const button of await page.locator('.disclosure').all()) await button.click();
    for (const row of await page.locator('.bar-row').all()) await row.hover();
    assert.equal(await page.locator('img, script:not([nonce]), b, [style*=fixed][style*=red]').count(), 0);
    assert.equal(await page.title(), 'Tokens');
    assert.ok((await page.locator('.view').boundingBox())!.height < 6000);
  });

  it('is painted soon after the page starts', async () => {
    const { page } = await open({ place: 'page', scenario: 'full' });
    await page.getByRole('slider').first().waitFor();
    const paintMs = await firstPaintMs(page);
    assert.ok(paintMs <= FIRST_PAINT_MS, `${paintMs} ms`);
  });
});

/** Elements that extend over the right edge of the page and are not in a box that clips or scrolls them. */
function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide: string[] = [];
    for (const element of document.querySelectorAll('body *')) {
      const box = element.getBoundingClientRect();
      if (box.width <= 1 || box.right <= innerWidth + 0.5) continue;
      let around = element.parentElement;
      while (around !== null && !['hidden', 'clip', 'auto'].includes(getComputedStyle(around).overflowX))
        around = around.parentElement;
      if (around === null) wide.push(element.outerHTML.slice(0, 120));
    }
    return wide;
  });
}
