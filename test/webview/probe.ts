import type { Page } from 'playwright-core';

/** Waits until the list no longer moves: rows have been loaded, measured and placed. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const list = document.querySelector('.scroller')!;
    let same = 0;
    for (let before = ''; same < 6;) {
      await new Promise((done) => requestAnimationFrame(done));
      const now = [...list.querySelectorAll('.item,.skeleton')]
        .map((row) => `${row.getAttribute('data-index') ?? 'skeleton'} ${row.getBoundingClientRect().top}`)
        .join();
      same = now === before && !now.includes('skeleton') ? same + 1 : 0;
      before = now;
    }
  });
}

/** Waits until the browser has drawn `count` frames. */
export function afterFrames(page: Page, count: number): Promise<void> {
  return page.evaluate(async (frames) => {
    for (let left = frames; left > 0; left--) await new Promise((done) => requestAnimationFrame(done));
  }, count);
}

/** Heights in pixels, from the top of the list, at which there is neither an item nor a skeleton. */
export function blankSpots(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const list = document.querySelector('.scroller')!;
    const view = list.getBoundingClientRect();
    const boxes = [...list.querySelectorAll('.item,.skeleton')].map((row) => row.getBoundingClientRect());
    const blank: number[] = [];
    // The list has some space above its first row and below its last one.
    for (let y = view.top + 48; y < view.bottom - 48; y += 8) {
      if (!boxes.some((box) => box.top <= y + 1 && box.bottom >= y - 1)) blank.push(y - view.top);
    }
    return blank;
  });
}

/**
 * Milliseconds from the start of the page to its first contentful paint. Elements can be in the page before the browser
 * reports the paint that shows them, so this waits for the entry.
 */
export function firstPaintMs(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise((done) => {
        new PerformanceObserver((list) => {
          for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') done(startTime);
        }).observe({ type: 'paint', buffered: true });
      }),
  );
}

export interface SeenRow {
  readonly index: number;
  readonly label: string;
  /** Pixels below the top of the list. */
  readonly top: number;
}

/** The rows that are visible, at least in part. */
export function rowsInSight(page: Page): Promise<SeenRow[]> {
  return page.evaluate(() => {
    const view = document.querySelector('.scroller')!.getBoundingClientRect();
    return [...document.querySelectorAll<HTMLElement>('.item')].flatMap((row) => {
      const box = row.getBoundingClientRect();
      const isSeen = box.bottom > view.top + 1 && box.top < view.bottom - 1;
      const label = row.innerText.slice(0, 60);
      return isSeen ? [{ index: Number(row.dataset['index']), label, top: Math.round(box.top - view.top) }] : [];
    });
  });
}

export function scrollTop(page: Page, to: number | 'end'): Promise<void> {
  return page.evaluate((top) => {
    const list = document.querySelector('.scroller')!;
    list.scrollTop = top === 'end' ? list.scrollHeight : top;
  }, to);
}

/** The position of the top row, to compare it later. */
export async function readingPlace(page: Page): Promise<SeenRow> {
  const [row] = await rowsInSight(page);
  if (row === undefined) throw new Error('No row is in sight');
  return row;
}
