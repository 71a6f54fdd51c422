import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/launchChromium';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { bundleBlocksPage, openBlocksPage, type OpenedPage } from './blocks/openBlocksPage';
import { hostileRows } from './hostileRows';

const WIDTH_PX = 400;
/** No row takes this long; a row that does hangs. */
const HANG_MS = 60_000;

describe('Hostile rows of a conversation', function () {
  this.timeout(60_000);
  let browser: Browser;
  let opened: OpenedPage;

  before(async function () {
    browser = await skipWhenUnavailable(this, launchChromium);
    opened = await openBlocksPage(browser, await bundleBlocksPage(), WIDTH_PX);
    opened.page.setDefaultTimeout(HANG_MS);
  });
  after(async () => {
    // Undefined if the browser was unavailable.
    await (browser as Browser | undefined)?.close();
  });

  it('are more than a hundred, each with a unique name', () => {
    assert.ok(hostileRows.length >= 100, `${hostileRows.length} rows`);
    assert.equal(new Set(hostileRows.map(({ name }) => name)).size, hostileRows.length);
  });

  it('would be detected: the page reports what is executed, refused, or sent out', async () => {
    const probe = await openBlocksPage(browser, await bundleBlocksPage(), WIDTH_PX);
    await probe.page.evaluate(() => {
      const image = document.createElement('img');
      image.src = 'https://evil.test/x.png';
      const styled = document.createElement('div');
      styled.innerHTML = '<b style="color:red" onclick="pwned()">x</b>';
      document.body.append(image, styled);
      window.pwned();
      window.open('https://evil.test/');
    });
    await probe.page.waitForTimeout(200);
    const seen = await probe.page.evaluate(() => ({
      trapped: window.blocksPage.trapped,
      violations: window.blocksPage.violations,
    }));
    assert.equal(seen.trapped, 1);
    assert.ok(seen.violations.some((violation) => violation.startsWith('img-src')));
    assert.ok(seen.violations.some((violation) => violation.startsWith('style-src-attr')));
    assert.ok(probe.escapes.some((escape) => escape.startsWith('window') || escape.includes('evil.test')));
    await probe.page.context().close();
  });

  hostileRows.forEach(({ name }, at) => {
    it(`${name}: runs nothing, loads nothing, stays in its place`, async () => {
      const { page, escapes } = opened;
      await withinTime(
        page.evaluate((row) => {
          window.blocksPage.showHostile(row);
        }, at),
        name,
      );
      const seen = await withinTime(
        page.evaluate(() => window.blocksPage.tryEverything()),
        name,
      );
      assert.deepEqual(escapes.splice(0), []);
      assert.deepEqual(seen, {
        trapped: 0,
        violations: [],
        errors: [],
        elements: [],
        actions: [],
        sideways: 0,
        moved: [],
        covered: false,
      });
    });
  });
});

async function withinTime<T>(work: Promise<T>, name: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${name} takes more than ${HANG_MS} ms`));
    }, HANG_MS);
  });
  try {
    return await Promise.race([work, hangs]);
  } finally {
    clearTimeout(timer);
  }
}
