import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { useTokens } from './useTokens';

const chart = (page: Page, name: string): Locator => page.getByRole('slider', { name, exact: true });
const valueOf = async (slider: Locator): Promise<string> => (await slider.getAttribute('aria-valuetext')) ?? '';
const section = (page: Page, name: string): Locator => page.getByRole('region', { name });

describe('The Tokens view', () => {
  const open = useTokens();

  it('shows the usage of the current session: by kind, the shared part, and the context size', async () => {
    const { page } = await open();
    const session = section(page, 'This session');
    const text = await session.innerText();
    for (const said of ['Import recipes from text files', '$1.33', '1.3M', '84.3K of 200K (42%)', '$0.53']) {
      assert.ok(text.includes(said), `${said} in ${text}`);
    }
    for (const name of ['Subagents', 'In other sessions, too', 'Claude Code’s own tally', 'claude-opus-5-5']) {
      await session.getByRole('rowheader', { name }).waitFor();
    }
    const meter = session.getByRole('meter', { name: 'Context' });
    assert.equal(await meter.getAttribute('aria-valuetext'), '84,312 of 200,000 tokens, 42%');
    await session.getByRole('img', { name: 'running' }).waitFor();
  });

  it('abbreviates figures, and gives the exact ones on hover and to screen readers', async () => {
    const { page } = await open();
    const total = section(page, 'All sessions').locator('.totals .figure').nth(1);
    assert.equal(await total.getAttribute('title'), '191,857,616');
    assert.equal(await total.locator('[aria-hidden]').innerText(), '191.9M');
    assert.equal(await total.locator('.visually-hidden').textContent(), '191,857,616');
  });

  it('shows a time range for each button, with its total', async () => {
    const { page } = await open();
    const live = page.locator('[data-live-text]');
    await page.getByRole('radio', { name: '7 days' }).click();
    assert.equal(await page.locator('.day-hit').count(), 7);
    await live.filter({ hasText: /^50,4\d\d,\d{3} tokens, \$52\.36/ }).waitFor();
    await page.getByRole('radio', { name: 'Today' }).click();
    assert.equal(await page.locator('.day-hit').count(), 0);
    await page.getByRole('radio', { name: 'All' }).click();
    assert.equal(await page.locator('.day-hit').count(), 30);
    await page.getByText('41 more projects').waitFor();
    assert.deepEqual(await page.evaluate(() => window.tokens.kept()), { range: 'all', measure: 'cost', tables: [] });
  });

  it('draws bars by cost or by tokens, as the person chooses', async () => {
    const { page } = await open();
    const figures = page.locator('.chart:has([aria-label="By model"]) .bar-figure');
    assert.match(await figures.first().innerText(), /^\$120\.80/);
    await page.getByRole('radio', { name: 'Tokens' }).click();
    assert.match(await figures.first().innerText(), /^114\.9M/);
  });

  it('never shows an unknown cost as 0 dollars', async () => {
    const { page } = await open({ scenario: 'no-price' });
    const text = await page.locator('.view').innerText();
    assert.doesNotMatch(text, /\$/);
    assert.match(text, /no price/);
    assert.match(text, /How much someone\/else-1 takes is not known\./);
    await page.getByRole('button', { name: 'Show as table: By model' }).click();
    assert.match(
      await page.getByRole('table', { name: 'By model' }).innerText(),
      /someone\/else-1\s+2\.9M\s+2,920,800\s+no price/,
    );
    const mixed = await open();
    await mixed.page.getByText('2.3M tokens have no price, and are not in the cost.').waitFor();
  });

  it('shows what to do without sessions, and reports if nothing was used', async () => {
    const { page } = await open({ scenario: 'no-sessions' });
    await page.getByText('There are no Claude Code sessions yet.').waitFor();
    await page.getByRole('button', { name: 'Choose another folder' }).click();
    assert.deepEqual(await actionsOf(page), ['openFolderSetting']);
    const unused = await open({ scenario: 'unused', range: 'today' });
    await unused.page.getByText('Nothing was used today.').waitFor();
    await unused.page.getByText('Open a conversation, or select a session, to see what it used.').waitFor();
    for (const scenario of ['starting', 'listing']) {
      const none = await open({ scenario });
      assert.equal(await none.page.locator('.quiet', { hasText: 'Counting…' }).count(), 1);
    }
  });

  it('shows the progress of the count, with the figures so far', async () => {
    const { page } = await open({ scenario: 'counting' });
    const progress = page.getByRole('progressbar', { name: 'Counting transcripts' });
    assert.equal(await progress.getAttribute('value'), '3877');
    await page.getByText('3,877 of 10,000 transcripts counted').waitFor();
    await page.getByText('$199.31', { exact: true }).waitFor();
    await page.evaluate(() => {
      const { overview } = window.tokens.snapshot();
      if (overview !== null) window.tokens.change({ overview: { ...overview, files: { total: 10_000, waiting: 0 } } });
    });
    await progress.waitFor({ state: 'detached' });
    await page.locator('[data-live-text]', { hasText: 'tokens' }).waitFor();
  });

  it('reports an error above the last figures, and retries on request', async () => {
    const { page } = await open({ scenario: 'failed' });
    const alert = page.getByRole('alert').filter({ hasText: 'has stopped several times in a row' });
    await page.getByText('$199.31', { exact: true }).waitFor();
    await alert.getByRole('button', { name: 'Try again' }).click();
    assert.deepEqual(await actionsOf(page), ['tryAgain']);
    await page.evaluate(() => {
      window.tokens.change({ problem: null });
    });
    await alert.waitFor({ state: 'detached' });
    const prices = await open({ scenario: 'notices' });
    await prices.page.getByRole('button', { name: 'Open settings' }).click();
    assert.deepEqual(await actionsOf(prices.page), ['openPrices']);
  });

  it('reports an action that is impossible', async () => {
    const { page } = await open();
    await page.evaluate(() => {
      window.tokens.refuse();
    });
    await page.getByRole('button', { name: 'Export as CSV…' }).click();
    await page.getByRole('alert').filter({ hasText: 'That did not work.' }).waitFor();
  });

  it('shows each snapshot, and none that is older than the current one', async () => {
    const { page } = await open();
    await page.evaluate(() => {
      const { session } = window.tokens.snapshot();
      if (session !== null) window.tokens.change({ session: { ...session, title: 'Another session' } });
      if (session !== null) window.tokens.change({ revision: 1, session: { ...session, title: 'An old one' } });
    });
    await page.getByText('Another session').waitFor();
    assert.equal(await page.getByText('An old one').count(), 0);
  });

  it('warns when the context is nearly full', async () => {
    const { page } = await open({ scenario: 'nearly-full' });
    await page.getByText('Nearly full: Claude Code compacts the conversation soon.').waitFor();
  });

  it('has a table behind each chart, with all values of the chart', async () => {
    const { page } = await open();
    for (const name of ['By day', 'By model', 'By project']) {
      const button = page.getByRole('button', { name: `Show as table: ${name}` });
      assert.equal(await button.getAttribute('aria-expanded'), 'false');
      await button.click();
      assert.equal(await button.getAttribute('aria-expanded'), 'true');
      const rows = page.getByRole('table', { name }).getByRole('row');
      const bars = Number(await chart(page, name).getAttribute('aria-valuemax'));
      assert.equal(await rows.count(), bars + 1);
    }
    assert.match(await page.getByRole('table', { name: 'By day' }).getByRole('row').nth(1).innerText(), /^Sun, Nov 22/);
    assert.deepEqual((await page.evaluate(() => window.tokens.kept()))?.tables, ['day', 'model', 'project']);
  });

  it('states for all time that the bars cover the last 30 days, and has the rest in the table', async () => {
    const { page } = await open({ range: 'all' });
    const name = 'By day, the last 30 days';
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.getByRole('button', { name: `Show as table: ${name}` }).click();
    const rows = page.getByRole('table', { name }).getByRole('row');
    assert.equal(await rows.count(), 1 + 30 + 1);
    assert.match(await rows.last().innerText(), /^All other days\s+819\.8M\s+819,771,200\s+\$861\.96/);
    await page.getByRole('radio', { name: '30 days' }).click();
    await page.getByRole('heading', { name: 'By day', exact: true }).waitFor();
  });

  it('shows the value of the hovered bar, and none when the pointer leaves', async () => {
    const { page } = await open();
    const tip = page.locator('.tip');
    await page.locator('.day-hit').nth(24).hover();
    assert.match(await tip.innerText(), /Tue, Nov 17[\s\S]+\$12\.3612[\s\S]+11,756,220 tokens[\s\S]+claude-opus-5-5/);
    await page.locator('.bar-row', { hasText: 'a-library-with' }).hover();
    assert.match(
      await tip.innerText(),
      /\/home\/someone\/src\/a-library-with-a-name-that-is-longer-than-the-side-bar-is-wide/,
    );
    await page.mouse.move(5, 5);
    await tip.waitFor({ state: 'detached' });
  });

  describe('with the keyboard', () => {
    it('has only a few Tab stops, in both directions', async () => {
      const { page } = await open();
      const there = await walk(page, 'Tab');
      assert.deepEqual(there, [
        '30 days',
        'Cost',
        'By day',
        'Show as table: By day',
        'By model',
        'Show as table: By model',
        'By project',
        'Show as table: By project',
        'Export as CSV…',
      ]);
      assert.deepEqual((await walk(page, 'Shift+Tab')).reverse(), there);
    });

    it('reaches every bar with the arrow keys, and announces its value as shown', async () => {
      const { page } = await open();
      for (const [name, back] of [
        ['By day', 'ArrowLeft'],
        ['By model', 'ArrowDown'],
        ['By project', 'ArrowDown'],
      ] as const) {
        const slider = chart(page, name);
        await slider.focus();
        const count = Number(await slider.getAttribute('aria-valuemax'));
        const said = new Set([await valueOf(slider)]);
        for (let step = 1; step < count; step++) {
          await page.keyboard.press(back);
          said.add(await valueOf(slider));
        }
        assert.equal(said.size, count, name);
        const title = (await valueOf(slider)).split(':')[0] ?? '';
        assert.ok((await page.locator('.tip').innerText()).startsWith(title));
      }
      assert.equal(await valueOf(chart(page, 'By model')), 'someone/else-1: 2,297,696 tokens, no price');
    });

    it('stops at the ends of a chart, and hides the value on Escape', async () => {
      const { page } = await open();
      const slider = chart(page, 'By day');
      await slider.focus();
      await page.keyboard.press('ArrowRight');
      assert.match(await valueOf(slider), /^Sun, Nov 22/);
      await page.keyboard.press('Home');
      assert.match(await valueOf(slider), /^Sat, Oct 24/);
      await page.keyboard.press('PageDown');
      assert.match(await valueOf(slider), /^Sat, Oct 31/);
      await page.keyboard.press('Escape');
      await page.locator('.tip').waitFor({ state: 'detached' });
    });

    it('changes the range with the arrow keys, and keeps the focus in it', async () => {
      const { page } = await open();
      await page.getByRole('radio', { name: '30 days' }).focus();
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.getByRole('radio', { name: 'All' }).getAttribute('aria-checked'), 'true');
      await page.keyboard.press('ArrowRight');
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Today');
      assert.equal(await page.getByRole('radio', { name: 'Today' }).getAttribute('aria-checked'), 'true');
    });
  });
});

/** The Tab stops, until the focus leaves the page. */
async function walk(page: Page, key: 'Tab' | 'Shift+Tab'): Promise<string[]> {
  const stops: string[] = [];
  for (let step = 0; step < 30; step++) {
    await page.keyboard.press(key);
    const stop = await page.evaluate(() => {
      const { activeElement: element } = document;
      return element === document.body ? null : (element?.getAttribute('aria-label') ?? element?.textContent ?? '');
    });
    // After the last one, the first comes again.
    if (stop === null || stops.includes(stop)) break;
    stops.push(stop);
  }
  return stops;
}

/** The request that the extension received, once there is one. */
async function actionsOf(page: Page): Promise<readonly unknown[]> {
  await page.waitForFunction(() => window.tokens.actions().length > 0);
  return page.evaluate(() => window.tokens.actions());
}
