import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../support/launchChromium';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import type { Theme } from '../usePage';
import { bundleBlocksPage, openBlocksPage, type OpenedPage } from './openBlocksPage';

/**
 * Opens pages of blocks for the tests of the suite that calls it. After each test it checks whether something was
 * refused, failed, or left the page.
 */
export function useBlocksPage(): (width?: number, theme?: Theme) => Promise<OpenedPage> {
  let browser: Browser;
  let bundle: Awaited<ReturnType<typeof bundleBlocksPage>>;
  let opened: OpenedPage[] = [];
  before(async function () {
    browser = await skipWhenUnavailable(this, launchChromium);
    bundle = await bundleBlocksPage();
  });
  afterEach(async () => {
    const pages = opened;
    opened = [];
    for (const { page, escapes } of pages) {
      const { violations, errors } = await page.evaluate(() => window.blocksPage);
      await page.context().close();
      assert.deepEqual([...escapes, ...violations, ...errors], []);
    }
  });
  after(async () => {
    // Undefined if the browser was unavailable.
    await (browser as Browser | undefined)?.close();
  });
  return async (width = 700, theme = 'dark') => {
    const page = await openBlocksPage(browser, bundle, width, theme);
    opened.push(page);
    return page;
  };
}
