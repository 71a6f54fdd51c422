import assert from 'node:assert/strict';
import { axeFaults } from './axeFaults';
import { screenshot, THEMES } from './usePage';
import { usePanels } from './usePanels';

describe('The header of a conversation, about what the session used', () => {
  const open = usePanels();

  it('shows how full the context is and what the session cost, with the exact figures in tooltips', async () => {
    const { page } = await open({ count: 60, usage: 'some' });
    const gauge = page.getByRole('meter', { name: 'Context' });
    await gauge.waitFor();
    assert.equal(await gauge.getAttribute('aria-valuenow'), '92800');
    assert.equal(await page.getByTitle('Context: 92,800 of 200,000 tokens').innerText(), '46% of context');
    const cost = page.getByTitle('2,032,200 tokens at list prices');
    assert.equal(await cost.innerText(), '$1.24');
  });

  it('says what resuming means before the button is pressed, with the reason in tooltips', async () => {
    const { page } = await open({ count: 60, usage: 'some' });
    const request = 'Resuming: about 92.8K tokens, all uncached (expired), about $0.58';
    const why = 'The cache is kept for 5 minutes; last use: 11:02 AM.';
    assert.equal(await page.getByText(request).getAttribute('title'), why);
    const button = page.locator('.header-actions').getByRole('button', { name: 'Resume' });
    assert.equal(await button.getAttribute('title'), `${request}\n${why}`);
  });

  it('names what starts again by itself', async () => {
    const { page } = await open({ count: 60, usage: 'rearms' });
    await page.getByText('Starts again by itself: check the build (Every 10 minutes)').waitFor();
    assert.match(
      (await page.getByRole('button', { name: 'Resume' }).getAttribute('title')) ?? '',
      /\nStarts again by itself: check the build/,
    );
  });

  it('says nothing of resuming a file that was replaced, as by a repair, until that is counted', async () => {
    const { page } = await open({ count: 60, usage: 'some' });
    await page.getByText('Resuming:').waitFor();
    const isStale = await page.evaluate(async () => {
      window.fake.replace(50);
      for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
      return document.body.innerText.includes('Resuming:') && window.fake.usageCalls() === 1;
    });
    assert.equal(isStale, false);
    await page.getByText('Resuming:').waitFor();
  });

  it('says nothing of resuming a session that runs', async () => {
    const { page } = await open({ count: 60, usage: 'some', live: '' });
    await page.getByRole('meter').waitFor();
    assert.equal(await page.getByText('Resuming:').count(), 0);
    const button = page.locator('.header-actions').getByRole('button', { name: 'Resume' });
    assert.equal(await button.getAttribute('title'), null);
  });

  it('asks again when a part of the cache has expired', async () => {
    const { page } = await open({ count: 60, usage: 'expiring' });
    await page.getByText('about 4K uncached').waitFor();
    await page.getByText('all uncached').waitFor();
    assert.equal(await page.evaluate(() => window.fake.usageCalls()), 2);
  });

  it('warns when the context is nearly full', async () => {
    const { page } = await open({ count: 60, usage: 'full' });
    await page.locator('.gauge.is-nearly-full').waitFor();
    await page.getByTitle('Claude Code compacts the conversation soon').waitFor();
  });

  it('says that a cost is too low if tokens have no price', async () => {
    const { page } = await open({ count: 60, usage: 'unpriced' });
    await page.getByText('more than $1.24').waitFor();
  });

  it('has neither if nothing was counted', async () => {
    const { page } = await open({ count: 60 });
    await page.waitForFunction(() => window.fake.usageCalls() > 0);
    assert.equal(await page.getByRole('meter').count(), 0);
  });

  it('counts again after the session grew, at most once in a few seconds', async () => {
    const { page } = await open({ count: 60, usage: 'some' });
    await page.getByRole('meter').waitFor();
    for (let times = 0; times < 20; times++) {
      await page.evaluate(() => {
        window.fake.append(1);
      });
    }
    await page.waitForFunction(() => window.fake.usageCalls() === 2);
  });

  it('is accessible and readable in every theme, also in a narrow panel', async () => {
    for (const theme of THEMES) {
      const { page } = await open({ theme, usage: 'full', scenario: 'turns', viewport: { width: 760, height: 420 } });
      await page.getByRole('meter').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await screenshot(page, `usage-${theme}`);
      await page.setViewportSize({ width: 220, height: 420 });
      await screenshot(page, `usage-narrow-${theme}`);
      const isWider = await page.evaluate(() => document.documentElement.scrollWidth > 220);
      assert.equal(isWider, false);
    }
  });
});
