import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../support/launchChromium';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import type { OpenPanel, PanelOptions } from './openPanel';
import { openPanel, PanelServer } from './openPanel';

/**
 * Opens panels for the tests of the suite that calls it, in one browser. After each test it checks whether the policy
 * refused something to the page, or the page failed.
 */
export function usePanels(): (options?: PanelOptions) => Promise<OpenPanel> {
  let browser: Browser;
  let server: PanelServer;
  let opened: OpenPanel[] = [];
  before(async function () {
    browser = await skipWhenUnavailable(this, launchChromium);
    server = await PanelServer.start();
  });
  afterEach(async () => {
    const panels = opened;
    opened = [];
    for (const { page } of panels) await page.context().close();
    assert.deepEqual(
      panels.flatMap(({ violations, errors }) => [...violations, ...errors]),
      [],
    );
  });
  after(async () => {
    // Undefined if the browser was unavailable.
    (server as PanelServer | undefined)?.stop();
    await (browser as Browser | undefined)?.close();
  });
  return async (options) => {
    const panel = await openPanel(browser, server, options);
    opened.push(panel);
    return panel;
  };
}
