import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { screenshot } from './usePage';
import { afterFrames, blankSpots, readingPlace, rowsInSight, scrollTop, settled } from './probe';
import { usePanels } from './usePanels';

const MANY = 100_000;
/**
 * A scroll is drawn in the next frame, and the scroll that follows from the heights then measured in the one after it.
 * Frames are counted and not milliseconds, in which a busy machine may draw nothing.
 */
const FRAMES_TO_DRAW = 3;
const MAX_HEAP_GROWTH_BYTES = 60 * 1024 * 1024;

describe('The list of a conversation', () => {
  const open = usePanels();

  it('starts at the end, and loads only the items near it', async () => {
    const { page } = await open({ count: MANY });
    await settled(page);
    assert.equal((await rowsInSight(page)).at(-1)?.index, MANY - 1);
    const calls = await page.evaluate(() => window.fake.itemCalls());
    assert.ok(calls.length <= 3, `${calls.length} pages were asked for`);
    assert.ok(calls.every(({ from }) => from > MANY - 200));
  });

  it('reaches the first and the very last of 100,000 rows with the keyboard', async () => {
    const { page } = await open({ count: MANY });
    await focusList(page);
    await page.keyboard.press('Home');
    await settled(page);
    assert.equal((await rowsInSight(page))[0]?.index, 0);
    await page.keyboard.press('End');
    await settled(page);
    const last = (await rowsInSight(page)).at(-1);
    assert.equal(last?.index, MANY - 1);
    assert.match(last.label, /marble-fold/);
  });

  it('reaches both ends of 100,000 rows with the scrollbar', async () => {
    const { page } = await open({ count: MANY });
    await scrollTop(page, 0);
    await settled(page);
    assert.equal((await rowsInSight(page))[0]?.index, 0);
    await scrollTop(page, 'end');
    await settled(page);
    assert.equal((await rowsInSight(page)).at(-1)?.index, MANY - 1);
  });

  it('scrolls precisely to a row, even if nothing above it was ever measured', async () => {
    const { page } = await open({ count: MANY });
    for (const line of [50_001, 3, 99_990, 12_347]) {
      await page.evaluate((to) => {
        window.fake.reveal(to);
      }, line);
      await page.locator(`.item[data-index="${line - 1}"].is-marked`).waitFor();
      await settled(page);
      const row = (await rowsInSight(page)).find(({ index }) => index === line - 1);
      assert.ok(row !== undefined, `line ${line} is in sight`);
      if (line > 3 && line < 99_000) assert.equal(row.top, 96);
    }
  });

  it('is never blank, wherever the scrollbar is dragged', async () => {
    const { page } = await open({ count: MANY, delay: 60 });
    const height = await page.evaluate(() => document.querySelector('.scroller')!.scrollHeight);
    for (let step = 0; step <= 60; step++) {
      await scrollTop(page, Math.abs(Math.sin(step * 1.7)) * height);
      await afterFrames(page, FRAMES_TO_DRAW);
      assert.deepEqual(await blankSpots(page), [], `step ${step}`);
      if (step === 30) await screenshot(page, 'fast-scroll');
    }
  });

  it('is never blank while a wheel is turned continuously', async () => {
    const { page } = await open({ count: MANY, delay: 60, at: 40_000 });
    await page.mouse.move(500, 400);
    for (let turn = 0; turn < 80; turn++) {
      await page.mouse.wheel(0, turn < 40 ? 900 : -900);
      await afterFrames(page, FRAMES_TO_DRAW);
      assert.deepEqual(await blankSpots(page), [], `turn ${turn}`);
    }
  });

  it('scrolls by the wheel’s distance, even if the list is higher than a browser can render', async () => {
    const { page } = await open({ count: MANY, at: 50_000 });
    await settled(page);
    const height = await page.evaluate(() => document.querySelector('.sizer')!.getBoundingClientRect().height);
    assert.ok(height <= 8_000_000, `the element is ${height} pixels high`);
    const before = (await rowsInSight(page)).at(-1)!;
    await page.mouse.move(500, 400);
    await page.mouse.wheel(0, 200);
    await page.waitForFunction((index) => {
      const view = document.querySelector('.scroller')!.getBoundingClientRect();
      const row = document.querySelector(`[data-index="${index}"]`);
      return row !== null && row.getBoundingClientRect().top < view.bottom - 150;
    }, before.index);
    await settled(page);
    const after = (await rowsInSight(page)).find(({ index }) => index === before.index);
    assert.ok(
      after !== undefined && Math.abs(before.top - 200 - after.top) <= 1,
      `${before.top} → ${after?.top ?? 'gone'}`,
    );
  });

  it('takes no more memory after thousands of rows were viewed', async () => {
    const { page } = await open({ count: MANY });
    const session = await page.context().newCDPSession(page);
    const heap = async (): Promise<number> => {
      await session.send('HeapProfiler.collectGarbage');
      // SAFETY: the shape that the protocol defines.
      return ((await session.send('Runtime.getHeapUsage')) as { usedSize: number }).usedSize;
    };
    await settled(page);
    const before = await heap();
    const height = await page.evaluate(() => document.querySelector('.scroller')!.scrollHeight);
    for (let step = 0; step <= 150; step++) {
      await scrollTop(page, (height * step) / 150);
      await page.waitForFunction(() => document.querySelector('.item') !== null);
    }
    await settled(page);
    const grown = (await heap()) - before;
    console.log(`      ${(grown / 1024 / 1024).toFixed(1)} MB more than with the first screen`);
    assert.ok(grown <= MAX_HEAP_GROWTH_BYTES, `${grown} bytes`);
    assert.ok((await page.locator('.item').count()) < 80);
  });

  it('keeps the reading position when the panel gets narrower', async () => {
    const { page } = await open({ count: 500, at: 200 });
    await settled(page);
    const before = await readingPlace(page);
    await page.setViewportSize({ width: 420, height: 700 });
    await settled(page);
    assert.equal((await readingPlace(page)).index, before.index);
  });

  it('opens where it was left', async () => {
    const { page } = await open({ count: 500, at: 200 });
    await settled(page);
    const { index, top } = await readingPlace(page);
    assert.deepEqual([index, top], [199, -10]);
    await page.mouse.move(500, 400);
    await page.mouse.wheel(0, 600);
    await page.waitForFunction(() => (window.fake.navigation()?.at?.line ?? 0) > 200);
  });

  it('shows what came before a compaction, also if everything since fits on the screen', async () => {
    const { page } = await open({ scenario: 'compacted', count: 30 });
    await settled(page);
    const band = (): Promise<number | undefined> =>
      rowsInSight(page).then((rows) => rows.find(({ index }) => index === 30)?.top);
    const before = await band();
    await page.getByRole('button', { name: 'Show what came before' }).click();
    await page.locator('.item.is-marked[data-index="29"]').waitFor();
    await settled(page);
    const after = await band();
    assert.ok(before !== undefined && after !== undefined && after > before + 200, `${before} → ${after}`);
    await screenshot(page, 'came-before');
  });

  it('says that nothing came before a compaction with which the transcript begins', async () => {
    const { page } = await open({ scenario: 'compacted', count: 0 });
    await settled(page);
    await page.getByText('Nothing came before').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Show what came before' }).count(), 0);
  });

  for (const width of [220, 500, 1000]) {
    it(`never has the way to the end above a button that copies: ${width} pixels`, async () => {
      const { page } = await open({ count: 100, at: 30, viewport: { width, height: 700 } });
      await settled(page);
      const covered: string[] = [];
      let seen = 0;
      for (let step = 0; step < 40; step++) {
        await page.mouse.move(width / 2, 400);
        await page.mouse.wheel(0, 37);
        await afterFrames(page, 3);
        const [copies, under] = await page.evaluate(() => {
          const end = document.querySelector('.to-end')!.getBoundingClientRect();
          const buttons = [...document.querySelectorAll<HTMLElement>('.item .block-code-head button')];
          return [
            buttons.length,
            buttons
              .map((button) => [button, button.getBoundingClientRect()] as const)
              .filter(
                ([, box]) =>
                  box.left < end.right && box.right > end.left && box.top < end.bottom && box.bottom > end.top,
              )
              .map(([button]) => button.outerHTML.slice(0, 100)),
          ];
        });
        seen += copies;
        covered.push(...under);
      }
      assert.ok(seen > 0, 'there are such buttons');
      assert.deepEqual(covered, []);
    });
  }

  it('has the signs of the results of its calls in one column', async () => {
    const { page } = await open({ count: 60, at: 3, viewport: { width: 1000, height: 1400 } });
    await settled(page);
    const lefts = await page
      .locator('.block-card .block-status > svg')
      .evaluateAll((signs) => signs.map((sign) => Math.round(sign.getBoundingClientRect().left)));
    assert.ok(lefts.length > 3);
    assert.equal(new Set(lefts).size, 1, lefts.join());
  });
});

async function focusList(page: Page): Promise<void> {
  await page.locator('.scroller').focus();
  await page.locator('.item:focus').waitFor();
}
