import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/launchChromium';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import type { OpenTokens, TokensOptions } from './openTokens';
import { openTokens, TokensServer } from './openTokens';

/**
 * Opens the Tokens view for the tests of the suite that calls it, in one browser. After each test it checks whether the
 * policy refused something to the page, or the page failed.
 */
export function useTokens(): (options?: TokensOptions) => Promise<OpenTokens> {
  let browser: Browser;
  let server: TokensServer;
  let opened: OpenTokens[] = [];
  before(async function () {
    browser = await skipWhenUnavailable(this, launchChromium);
    server = await TokensServer.start();
  });
  afterEach(async () => {
    const views = opened;
    opened = [];
    for (const { page } of views) await page.context().close();
    assert.deepEqual(
      views.flatMap(({ violations, errors }) => [...violations, ...errors]),
      [],
    );
  });
  after(async () => {
    // Undefined if the browser was unavailable.
    (server as TokensServer | undefined)?.stop();
    await (browser as Browser | undefined)?.close();
  });
  return async (options) => {
    const view = await openTokens(browser, server, options);
    opened.push(view);
    return view;
  };
}
