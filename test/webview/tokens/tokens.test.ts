import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { TokensTools } from '../../../src/protocol/channels/tokensView';
import { toolUsage } from '../page/fakeUsage';
import type { TokensOptions } from './useTokens';
import { useTokens } from './useTokens';

const chart = (page: Page, name: string): Locator => page.getByRole('slider', { name, exact: true });
const valueOf = async (slider: Locator): Promise<string> => (await slider.getAttribute('aria-valuetext')) ?? '';
const section = (page: Page, name: string): Locator => page.getByRole('region', { name });

describe('The page with the tokens of all sessions', () => {
  const openAny = useTokens();
  const open = (options: TokensOptions = {}) => openAny({ place: 'page', ...options });
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

  it('has a table behind each chart, with all values of the chart', async () => {
    const { page } = await open();
    for (const name of ['The last 53 weeks', 'By day', 'By model', 'By project', 'Tools', 'Prompt cache']) {
      const button = page.getByRole('button', { name: `Show as table: ${name}` });
      assert.equal(await button.getAttribute('aria-expanded'), 'false');
      await button.click();
      assert.equal(await button.getAttribute('aria-expanded'), 'true');
      const rows = page.getByRole('table', { name }).getByRole('row');
      const bars = Number(await chart(page, name).getAttribute('aria-valuemax'));
      // The table of the calendar leaves out the days on which nothing was used.
      const marks =
        name === 'The last 53 weeks' ? await page.locator('.heat-plot .heat-mark:not(.heat-0)').count() : bars;
      assert.equal(await rows.count(), marks + 1);
    }
    assert.match(await page.getByRole('table', { name: 'By day' }).getByRole('row').nth(1).innerText(), /^Sun, Nov 22/);
    assert.deepEqual((await page.evaluate(() => window.tokens.kept()))?.tables, [
      'calendar',
      'day',
      'model',
      'project',
      'tool',
      'cache',
    ]);
  });

  it('keeps the headings of a table that scrolls by itself in sight', async () => {
    const { page } = await open();
    await page.getByRole('button', { name: 'Show as table: Cost of resuming' }).click();
    const region = page.getByRole('region', { name: 'Cost of resuming' });
    const places = await region.evaluate((box) => {
      box.style.maxHeight = '60px';
      box.scrollTop = 40;
      const heading = box.querySelector('thead th')?.getBoundingClientRect();
      return [box.scrollTop, heading === undefined ? null : heading.top - box.getBoundingClientRect().top];
    });
    assert.deepEqual(places, [40, 0]);
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

  it('leaves no gap between the cards of a column, whichever tables are open', async () => {
    const { page } = await open({ range: 'all' });
    await page.getByRole('button', { name: 'Show as table: By model' }).click();
    const stacks = await page
      .locator('.stack')
      .evaluateAll((all) =>
        all.map((stack) =>
          [...stack.children].map((card) => card.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]),
        ),
      );
    assert.equal(stacks.length, 2);
    for (const [one, other] of stacks) assert.ok(Math.abs(other![0]! - one![1]! - 16) < 1, JSON.stringify(stacks));
    const widths = await page.locator('.card.is-wide').evaluateAll((all) => all.map((card) => card.clientWidth));
    assert.equal(new Set(widths).size, 1);
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
        'The last 53 weeks',
        'Show as table: The last 53 weeks',
        'By model',
        'Show as table: By model',
        'Prompt cache',
        'Show as table: Prompt cache',
        'By project',
        'Show as table: By project',
        'Tools',
        'Show as table: Tools',
        'Find out why the barometer of the third station jumps at midnight',
        'Show as table: Cost of resuming',
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
        ['Prompt cache', 'ArrowDown'],
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

  it('never shows an unknown cost as 0 dollars', async () => {
    const { page } = await open({ scenario: 'no-price' });
    const side = await openAny({ scenario: 'no-price' });
    for (const each of [page, side.page]) {
      const text = await each.locator('.view').innerText();
      assert.doesNotMatch(text, /\$/);
      assert.match(text, /no price/);
    }
    await side.page.getByText('How much someone/else-1 takes is not known.').waitFor();
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
    for (const scenario of ['starting', 'listing']) {
      const none = await open({ scenario });
      assert.equal(await none.page.locator('.quiet', { hasText: 'Counting…' }).count(), 1);
    }
  });

  it('says beside a list with a session that nothing was used, not that there are no sessions', async () => {
    const { page } = await open({ scenario: 'uncounted', range: 'today' });
    await page.getByText('Nothing was used today.').waitFor();
    assert.equal(await page.getByText('There are no Claude Code sessions yet.').count(), 0);
    const view = await openAny({ scenario: 'no-sessions' });
    await view.page.getByText('There are no Claude Code sessions yet.').waitFor();
    await view.page.evaluate(() => {
      window.tokens.change({ hasSessions: true });
    });
    await view.page.getByText('All Sessions…').waitFor();
    assert.equal(await view.page.getByText('There are no Claude Code sessions yet.').count(), 0);
  });

  it('keeps the text for screen readers as the page says, and announces only what the person waits for', async () => {
    for (const place of ['page', 'view'] as const) {
      const { page } = await openAny({ place, scenario: 'unused', range: 'today' });
      const live = page.locator('[data-live-text]');
      await live.filter({ hasText: /nothing used$/ }).waitFor();
      assert.notEqual(await live.getAttribute('aria-live'), 'off');
      await page.evaluate(() => {
        const { overview } = window.tokens.snapshot();
        if (overview === null) return;
        const today = { ...overview.today, messages: 2, cost: { usd: null, unpricedTokens: 43_600 } };
        const used = { ...today, counts: { ...today.counts, cacheRead: 43_600 } };
        const ranges = overview.page?.ranges.map((range) => ({ ...range, total: used })) ?? [];
        const changed = { ...overview, today: used, page: overview.page && { ...overview.page, ranges } };
        window.tokens.change({ overview: changed });
      });
      await live.filter({ hasText: /43,600 tokens, no price$/ }).waitFor({ timeout: 5000 });
      assert.equal(await live.getAttribute('aria-live'), 'off');
    }
    const { page } = await open({ scenario: 'counting' });
    const live = page.locator('[data-live-text]', { hasText: 'Transcripts are still being counted.' });
    await live.waitFor();
    await page.evaluate(() => {
      const { overview } = window.tokens.snapshot();
      if (overview !== null) window.tokens.change({ overview: { ...overview, files: { total: 3, waiting: 0 } } });
    });
    await page.locator('[data-live-text]:not([aria-live=off])', { hasText: 'tokens' }).waitFor();
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

  it('shows a year of days: more used is a larger square, told apart without colours', async () => {
    const { page } = await open();
    assert.equal(await page.locator('.heat-hit').count(), 365);
    const sides = await page.evaluate(() =>
      [0, 1, 2, 3, 4].map((level) => document.querySelector(`.heat-plot .heat-${level}`)?.getAttribute('width')),
    );
    assert.deepEqual(sides, ['3', '5', '7', '9', '11']);
    await page.getByRole('radio', { name: 'Today' }).click();
    assert.equal(await page.locator('.heat-hit').count(), 365);
  });

  it('begins the weeks of the calendar on the day that is usual for the language', async () => {
    for (const [locale, first] of [
      ['en-US', 'Sunday, November 23, 2025'],
      ['de', 'Montag, 17. November 2025'],
    ] as const) {
      const { page } = await open({ locale });
      const calendar = chart(page, 'The last 53 weeks');
      await calendar.press('Home');
      assert.ok((await valueOf(calendar)).startsWith(first), await valueOf(calendar));
    }
  });

  it('moves through the calendar by days and weeks, and says what each day cost', async () => {
    const { page } = await open({ viewport: { width: 400, height: 900 } });
    const calendar = chart(page, 'The last 53 weeks');
    await calendar.focus();
    assert.match(await valueOf(calendar), /^Sunday, November 22, 2026: /);
    await page.keyboard.press('ArrowLeft');
    assert.match(await valueOf(calendar), /^Sunday, November 15, 2026: /);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.match(await valueOf(calendar), /^Friday, November 13, 2026: \$[\d.]+, [\d,]+ tokens, \d+ replies$/);
    assert.ok((await page.locator('.tip').innerText()).startsWith('Friday, November 13, 2026'));
    await page.keyboard.press('Home');
    assert.equal(await calendar.evaluate((element) => element.scrollLeft < 60), true);
  });

  it('lists what is expensive to resume, and opens a conversation by the keys', async () => {
    const { page } = await open();
    const list = page.getByRole('list', { name: 'Cost of resuming' });
    const items = list.getByRole('button');
    assert.equal(await items.count(), 4);
    assert.match(await items.nth(0).innerText(), /barometer[\s\S]+\$1\.17[\s\S]+187\.3K of 200K \(94%\)/);
    assert.match(await items.nth(3).innerText(), /no price/);
    await items.nth(1).getByRole('img', { name: 'running' }).waitFor();
    await items.nth(0).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.tokens.opened().length > 0);
    assert.deepEqual(await page.evaluate(() => window.tokens.opened()), [
      '/home/someone/.claude/projects/-home-someone-src-recipe-box/1.jsonl',
    ]);
    await page.getByRole('button', { name: 'Show as table: Cost of resuming' }).click();
    assert.equal(await page.getByRole('table', { name: 'Cost of resuming' }).getByRole('row').count(), 5);
  });

  it('shows how often each tool was called for the chosen days, and says how many calls failed', async () => {
    const { page } = await open();
    const card = page.locator('.card', { hasText: 'Tools' });
    assert.match(
      await card.locator('.bars').innerText(),
      /^Bash\s+37 failed\s*412\s+Read\s+3 failed\s*390\s+Edit\s+12 failed\s*201\s+Grep\s+96\s+almanac · lookup\s+41 failed/,
    );
    assert.equal(await card.locator('.bar-row').count(), 6);
    await page.getByRole('radio', { name: 'Today' }).click();
    assert.equal(await card.locator('.bar-row').count(), 2);
    await page.getByRole('radio', { name: 'All', exact: true }).click();
    await card.getByText('All other tools').waitFor();
  });

  it('goes from tool to tool by the keys, and says about how long the results were', async () => {
    const { page } = await open();
    const tools = chart(page, 'Tools');
    await tools.focus();
    assert.equal(await valueOf(tools), 'Bash: 412 calls, 37 failed, about 301,000 tokens of results');
    await page.keyboard.press('End');
    assert.equal(await valueOf(tools), 'TodoWrite: 22 calls, about 880 tokens of results');
    assert.match(await page.locator('.tip').innerText(), /TodoWrite[\s\S]+An estimate/);
    await page.getByRole('button', { name: 'Show as table: Tools' }).click();
    const row = page.getByRole('table', { name: 'Tools' }).getByRole('row').nth(1);
    assert.match(await row.innerText(), /^Bash\s+412\s+37\s+301K/);
  });

  it('says how many transcripts are left while tools are counted, that none was used, and why they are not counted', async () => {
    const { page } = await open();
    const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Tools' }) });
    const show = (tools: TokensTools): Promise<void> =>
      page.evaluate((shown) => {
        const { overview } = window.tokens.snapshot();
        const figures = overview?.page ?? null;
        if (overview === null || figures === null) return;
        window.tokens.change({ overview: { ...overview, page: { ...figures, tools: shown } } });
      }, tools);
    await show({ kind: 'waiting' });
    await card.getByText('Counting…', { exact: true }).waitFor();
    const counted = toolUsage(240);
    await show({ kind: 'counted', ...counted });
    await card.getByText('Counting… 1,000 of 1,240 transcripts').waitFor();
    assert.equal(await card.locator('.bar-row').count(), 6);
    await show({ kind: 'counted', ...counted, files: { total: 3, waiting: 0, unreadable: 2 } });
    await card.getByText('Transcripts that could not be read: 2').waitFor();
    await show({ kind: 'counted', ranges: [], files: { total: 3, waiting: 0, unreadable: 0 } });
    await card.getByText('No tools were used.').waitFor();
    await show({ kind: 'failed', problem: 'The disk is on fire.' });
    await card.getByText('The disk is on fire.').waitFor();
  });

  it('shows what the prompt cache saved, and what it cost, for the chosen days', async () => {
    const { page } = await open();
    const totals = page.locator('.card', { hasText: 'Prompt cache' }).locator('.totals');
    assert.match(await totals.innerText(), /94%[\s\S]+\$673\.27[\s\S]+\$16\.35/);
    assert.match(
      await valueOf(chart(page, 'Prompt cache')),
      /^claude-opus-5-5: 107,380,000 of 114,247,600 tokens, 94%, \$408\.044 saved, \$9\.912 extra for writing$/,
    );
    await page.getByRole('radio', { name: '7 days' }).click();
    await totals.getByText('$176.88').waitFor();
  });
});

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

  it('shows within its first 120 pixels what today cost, the session’s cost and its context', async () => {
    for (const width of [220, 300]) {
      const { page } = await open({ viewport: { width, height: 120 } });
      for (const part of ['.today', '.totals', '.meter']) {
        const box = await page.locator(part).first().boundingBox();
        assert.ok(box !== null && box.y + box.height <= 120, `${part}: ${JSON.stringify(box)}`);
      }
    }
  });

  it('wraps no line of figures in 220 pixels', async () => {
    for (const scenario of ['full', 'hostile', 'counting', 'no-price']) {
      const { page } = await open({ scenario, viewport: { width: 220, height: 700 } });
      const wrapped = await page.evaluate(() =>
        [...document.querySelectorAll('.today, .session-name, .totals, .context-line, .fact, .is-parts tr')].flatMap(
          (element) => {
            const lines = element.matches('.totals') ? 2 : 1;
            const { height } = element.getBoundingClientRect();
            return height > lines * 1.75 * parseFloat(getComputedStyle(element).fontSize) ? [element.outerHTML] : [];
          },
        ),
      );
      assert.deepEqual(wrapped, [], scenario);
    }
  });

  it('shows at once what today cost, and opens the page of all sessions', async () => {
    const { page } = await open();
    await page.getByText('$7.09', { exact: true }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.deepEqual(await actionsOf(page), ['openPage']);
    const unused = await open({ scenario: 'unused' });
    await unused.page.getByText('Open a conversation, or select a session, to see what it used.').waitFor();
    await unused.page.getByText('$0.00', { exact: true }).waitFor();
  });
});

/** The Tab stops, until the focus leaves the page. */
async function walk(page: Page, key: 'Tab' | 'Shift+Tab'): Promise<string[]> {
  const stops: string[] = [];
  for (let step = 0; step < 30; step++) {
    await page.keyboard.press(key);
    const stop = await page.evaluate(() => {
      const { activeElement: element } = document;
      return element === document.body
        ? null
        : (element?.getAttribute('aria-label') ??
            element?.querySelector('.line')?.textContent ??
            element?.textContent ??
            '');
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
