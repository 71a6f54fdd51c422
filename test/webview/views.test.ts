import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { screenshot } from './usePage';
import { readingPlace, rowsInSight, scrollTop, settled } from './probe';
import { usePanels } from './usePanels';

describe('The views of a conversation', () => {
  const open = usePanels();

  it('are listed with the branches of the chain, at most as many as a menu holds', async () => {
    const { page } = await open({ count: 60, branches: 300, at: 1 });
    await page.getByRole('button', { name: 'View: Current thread' }).click();
    const items = page.getByRole('menu').getByRole('menuitemradio');
    assert.equal(await items.count(), 2 + 20 + 1);
    assert.match(await items.last().innerText(), /^280 more branches/);
    await settled(page);
    await screenshot(page, 'branches');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    // There is nothing to choose.
    await page.getByRole('menu').waitFor();
    await items.filter({ hasText: 'Another way 3' }).click();
    await page.getByRole('button', { name: 'View: Branch: Another way 3' }).click();
    const chosen = page.locator('[role=menuitemradio][aria-checked=true]');
    assert.match(await chosen.innerText(), /^Another way 3\s+4 messages/);
  });

  it('keep their names after the window was reloaded, even if the branch is not among the newest', async () => {
    for (const [leafLine, name] of [
      [997, 'Another way 3'],
      [866, 'Another way 34'],
    ] as const) {
      const { page } = await open({ count: 60, branches: 300, branch: leafLine });
      await page.getByRole('button', { name: `View: Branch: ${name}`, exact: true }).waitFor();
      assert.equal(await page.locator('.item').first().getAttribute('aria-setsize'), '12');
    }
  });

  it('are stored as soon as they are shown, because a page behind another tab loses all other state', async () => {
    const { page } = await open({ count: 60, branches: 3 });
    await page.getByRole('button', { name: 'View: Current thread' }).click();
    const kept = page.evaluate(
      () =>
        new Promise((done) => {
          const button = document.querySelector('[aria-label^="View:"]')!;
          new MutationObserver(() => {
            if (!button.getAttribute('aria-label')?.includes('Branch')) return;
            setTimeout(() => {
              done(window.fake.navigation()?.view.kind);
            }, 20);
          }).observe(button, { attributes: true });
          document.querySelectorAll<HTMLElement>('[role=menuitemradio]')[2]!.click();
        }),
    );
    assert.equal(await kept, 'branch');
  });

  it('count their own rows when a notification is for another view', async () => {
    const { page } = await open({ count: 60, branches: 3, branch: 1000 });
    await settled(page);
    const before = await words(page);
    assert.ok(before.some((row) => row.startsWith('11 ')));
    await page.evaluate(() => {
      window.fake.changeOf({ kind: 'chain' }, 300);
    });
    await page.getByText('Claude remembers all 360 messages').waitFor();
    await settled(page);
    assert.equal(await setSize(page), 12);
    assert.deepEqual(await words(page), before);
    await page.evaluate(() => {
      window.fake.changeOf({ kind: 'file' }, 1);
    });
    await page.getByText('Claude remembers all 361 messages').waitFor();
    assert.equal(await setSize(page), 12);
  });

  it('show their own rows when the file changes during a switch from one to another', async () => {
    const alone = await open({ count: 409, branches: 3, branch: 1000 });
    await settled(alone.page);
    for (const reported of ['chain', 'branch'] as const) {
      const { page } = await open({ count: 400, branches: 3, at: 300, delay: 150 });
      await settled(page);
      await page.getByRole('button', { name: 'View: Current thread' }).click();
      await page.evaluate((kind) => {
        // For the previous view, while the rows of both are being loaded.
        window.fake.append(3);
        document.querySelectorAll<HTMLElement>('[role=menuitemradio]')[2]!.click();
        setTimeout(() => {
          window.fake.changeOf(kind === 'chain' ? { kind } : { kind, leafLine: 1000 }, 5);
        }, 50);
        setTimeout(() => {
          window.fake.changeOf({ kind: 'chain' }, 1);
        }, 100);
      }, reported);
      await page.getByRole('button', { name: 'View: Branch: Another way 0' }).waitFor();
      await page.getByText('Claude remembers all 409 messages').waitFor();
      await settled(page);
      assert.equal(await setSize(page), 12);
      assert.deepEqual(await words(page), await words(alone.page));
    }
  });

  it('show the whole break after a jump to it, with the row below it', async () => {
    const { page } = await open({ scenario: 'broken', viewport: { width: 900, height: 420 } });
    await page.getByRole('button', { name: 'Findings: 1 error' }).click();
    await page.getByRole('menuitem', { name: /^Row 20 continues/ }).click();
    await page.locator('.item.from-user.is-marked').waitFor();
    await settled(page);
    const box = await page.getByRole('article', { name: 'The history is broken here' }).boundingBox();
    const list = await page.locator('.scroller').boundingBox();
    assert.ok(box !== null && list !== null && box.y >= list.y, JSON.stringify([box, list]));
    assert.ok((await rowsInSight(page)).some(({ label }) => label.includes('Use the second approach')));
    assert.ok((await readingPlace(page)).index <= 9);
    await screenshot(page, 'revealed-break');
  });

  it('open at the break of a broken session, without a bright mark', async () => {
    const { page } = await open({ scenario: 'broken', theme: 'light', viewport: { width: 900, height: 420 } });
    await settled(page);
    assert.ok((await rowsInSight(page)).some(({ label }) => label.includes('The history is broken here')));
    assert.equal(await page.locator('.is-marked').count(), 0);
    await screenshot(page, 'opened-at-break');
  });

  it('open at the last of several breaks, where what Claude remembers begins', async () => {
    const { page } = await open({ scenario: 'broken', breaks: '', viewport: { width: 900, height: 420 } });
    await settled(page);
    assert.ok((await rowsInSight(page)).some(({ label }) => label.includes('The history is broken here')));
  });

  it('open at the end of a broken session that was left there', async () => {
    const { page } = await open({ scenario: 'broken', left: '' });
    await settled(page);
    assert.equal((await rowsInSight(page)).at(-1)?.index, 25);
  });

  it('offer everything where messages span several lines, as in any other session', async () => {
    const { page } = await open({ count: 12, spread: '' });
    await page.getByText('Claude remembers all 12 messages').waitFor();
    for (const name of ['Resume', 'Fork', 'Rewind…']) await page.getByRole('button', { name, exact: true }).waitFor();
  });

  it('say in a sentence what Claude remembers', async () => {
    const { page } = await open({ count: 28 });
    await page.getByText('Claude remembers all 28 messages', { exact: true }).waitFor();
    const compacted = await open({ scenario: 'compacted', count: 30 });
    await compacted.page.getByText('Claude remembers the summary and the last 2 messages', { exact: true }).waitFor();
    const broken = await open({ scenario: 'broken' });
    await broken.page.getByText('Claude remembers 14 of 21 messages', { exact: true }).waitFor();
  });

  it('have one band above all that was summarised, and hatch only what was lost', async () => {
    const { page } = await open({ scenario: 'compacted', count: 100, at: 40 });
    await settled(page);
    const band = page.getByText('Summarised: Claude no longer sees this');
    assert.equal(await band.count(), 1);
    await scrollTop(page, 800);
    await settled(page);
    assert.equal(await band.count(), 1);
    const hatched = (of: Page): Promise<number> =>
      of
        .locator('.item > .column')
        .evaluateAll((columns) => columns.filter((it) => getComputedStyle(it).backgroundImage !== 'none').length);
    assert.equal(await hatched(page), 0);
    await screenshot(page, 'summarised');
    await scrollTop(page, 'end');
    await page.locator('.item[data-index="103"]').waitFor();
    // Short as it is, what Claude remembers fills no screen: what is at the top decides.
    await page.setViewportSize({ width: 1000, height: 300 });
    await settled(page);
    assert.equal(await band.count(), 0);
    const broken = await open({ scenario: 'broken', at: 3 });
    await settled(broken.page);
    assert.ok((await hatched(broken.page)) > 3);
    assert.equal(await broken.page.getByText('Summarised').count(), 0);
  });
});

async function setSize(page: Page): Promise<number> {
  return Number(await page.locator('.item').first().getAttribute('aria-setsize'));
}

/** The first words of the rendered rows. */
function words(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.item')].map(
      (item) => `${item.dataset['index'] ?? ''} ${item.innerText.slice(0, 80)}`,
    ),
  );
}
