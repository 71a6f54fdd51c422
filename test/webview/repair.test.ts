import assert from 'node:assert/strict';
import { axeFaults } from './axeFaults';
import { screenshot, THEMES } from './usePage';
import { usePanels } from './usePanels';

describe('The repair in the conversation', () => {
  const open = usePanels();
  const broken = { scenario: 'broken' } as const;

  it('says at the break what it brings, reconnects there, and leaves a seam that undoes it, all by keyboard', async () => {
    const { page } = await open({ ...broken, offersRepair: '' });
    const reconnect = page.getByRole('button', { name: 'Reconnect' });
    await reconnect.and(page.locator(':focus')).waitFor();
    const tear = page.getByRole('article', { name: 'The history is broken here' });
    await tear.getByText('Reconnect here: Claude remembers 21 of 21 messages instead of 14.').waitFor();
    await page.keyboard.press('Enter');
    const seam = page.locator('.seam-line');
    await seam.and(page.locator(':focus')).waitFor();
    await tear.waitFor({ state: 'detached' });
    assert.equal(await seam.innerText().then((text) => text.replace(/\s+/g, ' ').trim()), 'Repaired Undo Resume');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await reconnect.and(page.locator(':focus')).waitFor();
    await seam.waitFor({ state: 'detached' });
    assert.deepEqual(await page.evaluate(() => window.fake.repairs()), ['repair', 'undo']);
    // The change of the file is no news to who has just asked for it.
    assert.equal(await page.getByText('cut or replaced').count(), 0);
  });

  it('is at a damaged line that costs some of the history, and so is its seam', async () => {
    const { page } = await open({ scenario: 'glued', offersRepair: '' });
    const reconnect = page.getByRole('button', { name: 'Reconnect' });
    await reconnect.and(page.locator(':focus')).waitFor();
    const fault = page.getByRole('article', { name: 'Line 20 is damaged' });
    await fault.getByText('Claude remembers 21 of 21 messages instead of 14.').waitFor();
    assert.equal(await page.locator('.repair-banner').count(), 0);
    await screenshot(page, 'repair-damaged-line');
    await page.keyboard.press('Enter');
    await page.locator('.item .seam-line').and(page.locator(':focus')).waitFor();
    assert.deepEqual(await page.evaluate(() => window.fake.repairs()), ['repair']);
  });

  it('leaves no seam inside of a message that Claude does not remember, but above it', async () => {
    const { page } = await open({ ...broken, seam: 7, reveal: 7 });
    await page.locator('.item.is-lost .seam-line').waitFor();
    assert.equal(await page.locator('.seam-line').count(), 1);
    assert.equal(await page.locator('.column .seam-line').count(), 0);
    const bottom = await page.locator('.seam').evaluate((seam) => seam.getBoundingClientRect().bottom);
    const top = await page.locator('.item:has(.seam) > .column').evaluate((item) => item.getBoundingClientRect().top);
    assert.ok(bottom <= top);
  });

  it('resumes from the seam', async () => {
    const { page } = await open({ ...broken, offersRepair: '' });
    await page.getByRole('button', { name: 'Reconnect' }).press('Enter');
    const seam = page.locator('.seam-line');
    await seam.and(page.locator(':focus')).waitFor();
    await seam.getByRole('button', { name: 'Resume' }).press('Enter');
    await page.waitForFunction(() => window.fake.actions().some(({ kind }) => kind === 'resume'));
  });

  it('shows every edit before it is made, below the buttons', async () => {
    const { page } = await open(broken);
    await page.getByRole('button', { name: 'Show the change' }).press('Enter');
    await page.locator('.repair-removed', { hasText: 'parentUuid: "gone"' }).waitFor();
    await page.locator('.repair-added', { hasText: 'parentUuid: "uuid-19"' }).waitFor();
    await page.getByRole('button', { name: 'Hide the change' }).press('Enter');
    await page.locator('.repair-change').waitFor({ state: 'detached' });
  });

  it('asks beside its button while a client may be running the session, and repairs if the person insists', async () => {
    const { page } = await open({ ...broken, offersRepair: '', mayBeLive: '' });
    await page.getByRole('button', { name: 'Reconnect' }).press('Enter');
    const refusal = page.getByRole('alert').filter({ hasText: 'Claude Code may still be running it.' });
    await refusal.getByRole('button', { name: 'Repair anyway' }).press('Enter');
    await page.locator('.seam-line').waitFor();
    await refusal.waitFor({ state: 'detached' });
  });

  it('is planned once while a client adds to the session, and after each change otherwise', async () => {
    for (const [live, planned] of [
      [true, 1],
      [false, 3],
    ] as const) {
      const { page } = await open({ ...broken, offersRepair: '', ...(live ? { live: '' as const } : {}) });
      await page.getByRole('button', { name: 'Reconnect' }).waitFor();
      for (const heads of [2, 3]) {
        await page.evaluate(() => {
          window.fake.append(0);
        });
        await page.waitForFunction((count) => window.fake.proposals() >= count, live ? 1 : heads);
      }
      await page.getByRole('button', { name: 'Show the change' }).click();
      assert.equal(await page.evaluate(() => window.fake.proposals()), planned);
    }
  });

  it('is offered above a conversation that shows no break', async () => {
    const { page } = await open({ count: 60, offersRepair: '' });
    const banner = page.locator('.repair-banner');
    await banner.getByText('Reconnect here').waitFor();
    await banner.getByRole('button', { name: 'Dismiss' }).press('Enter');
    await banner.waitFor({ state: 'detached' });
  });

  it('shows the change of a content before anything is repaired, and leads to what is said about it', async () => {
    const { page } = await open({ count: 60, refused: '' });
    await page.locator('.header').getByText('Claude’s API refuses every prompt').waitFor();
    await page.locator('.header').getByRole('button', { name: 'Repair…' }).press('Enter');
    const banner = page.locator('.repair-banner');
    await banner.getByText('+ message.content.0.input: {"value":"ls -la"}').waitFor();
    await banner.getByRole('button', { name: 'About this repair' }).press('Enter');
    await page.waitForFunction(() => window.fake.actions().length > 0);
    assert.deepEqual(await page.evaluate(() => window.fake.actions()), [{ kind: 'explainRepair', code: 'tool-input' }]);
    await banner.getByRole('button', { name: 'Repair', exact: true }).press('Enter');
    await page.locator('.seam-line').waitFor();
  });

  for (const theme of THEMES) {
    it(`has no problem for axe while it shows the change of a content in ${theme}`, async () => {
      const { page } = await open({ count: 60, refused: '', offersRepair: '', theme });
      await page.locator('.repair-change').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await screenshot(page, `repair-refused-${theme}`);
    });
  }

  it('leads from the header to the break, also from another branch', async () => {
    const { page } = await open(broken);
    await page.locator('.header').getByRole('button', { name: 'Repair…' }).press('Enter');
    await page.getByRole('button', { name: 'Reconnect' }).and(page.locator(':focus')).waitFor();
  });

  for (const theme of THEMES) {
    it(`has no problem for axe, before and after, in ${theme}`, async () => {
      const { page } = await open({ ...broken, offersRepair: '', theme });
      await page.getByRole('button', { name: 'Show the change' }).click();
      assert.deepEqual(await axeFaults(page), []);
      await screenshot(page, `repair-offer-${theme}`);
      await page.getByRole('button', { name: 'Reconnect' }).click();
      await page.locator('.seam-line').waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await screenshot(page, `repair-seam-${theme}`);
    });
  }

  it('fits into 220 px', async () => {
    const { page } = await open({ ...broken, offersRepair: '', viewport: { width: 220, height: 700 } });
    await page.getByRole('button', { name: 'Reconnect' }).waitFor();
    const { scroll, client } = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return { scroll: scrollWidth, client: clientWidth };
    });
    assert.ok(scroll <= client, `${scroll} > ${client}`);
    await screenshot(page, 'repair-offer-220');
    await page.getByRole('button', { name: 'Reconnect' }).click();
    await page.locator('.seam-line').waitFor();
    await screenshot(page, 'repair-seam-220');
  });
});
