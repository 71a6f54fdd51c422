import assert from 'node:assert/strict';
import { axeFaults } from './axeFaults';
import { screenshot, THEMES } from './usePage';
import { usePanels } from './usePanels';

const KINDS = ['choose-branch', 'fork-newest', 'open-original', 'fork-branch'] as const;
const BUTTONS = {
  'choose-branch': 'Choose how to go on…',
  'fork-newest': 'Fork at the newest messages',
  'open-original': 'Open the original',
  'fork-branch': 'Fork the other conversation',
} as const;

describe('What a finding leaves to the person', () => {
  const open = usePanels();

  for (const kind of KINDS) {
    it(`is offered above the conversation, for the keyboard: ${kind}`, async () => {
      const { page } = await open({ count: 60, offer: kind });
      await page.locator('.banner').getByRole('button', { name: BUTTONS[kind] }).press('Enter');
      await page.waitForFunction(() => window.fake.actions().length > 0);
      assert.deepEqual(await page.evaluate(() => window.fake.actions()), [{ kind: 'takeOffer', offer: kind }]);
    });
  }

  it('is offered below its finding in the list of findings', async () => {
    const { page } = await open({ count: 60, offer: 'fork-branch' });
    await page.getByRole('button', { name: 'Findings: 1 finding' }).press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: BUTTONS['fork-branch'] }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.fake.actions().some(({ kind }) => kind === 'takeOffer'));
  });

  it('shows the switch to the newest messages in place of the offer, makes it, and goes back', async () => {
    const { page } = await open({ count: 60, offer: 'choose-branch' });
    await page.getByRole('button', { name: BUTTONS['choose-branch'] }).waitFor();
    await page.evaluate(() => {
      window.fake.offerRepair('wrong-leaf');
    });
    const change = page.getByRole('button', { name: 'Go on with the newest messages' });
    await change.and(page.locator(':focus')).waitFor();
    await page.getByText('Claude will forget the messages on lines 51, 52').waitFor();
    await page.locator('.repair-added', { hasText: 'leafUuid: "uuid-60"' }).waitFor();
    assert.equal(await page.getByRole('button', { name: BUTTONS['choose-branch'] }).count(), 0);
    await page.getByRole('button', { name: 'About this repair' }).click();
    await page.waitForFunction(() => window.fake.actions().length > 0);
    assert.deepEqual(await page.evaluate(() => window.fake.actions()), [{ kind: 'explainRepair', code: 'wrong-leaf' }]);
    await change.press('Enter');
    // It takes the focus, which a key that is pressed before would lose.
    const seam = page.locator('.seam-line');
    await seam.and(page.locator(':focus')).waitFor();
    await seam.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.waitForFunction(() => window.fake.repairs().length === 2);
    assert.deepEqual(await page.evaluate(() => window.fake.repairs()), ['repair wrong-leaf', 'undo']);
  });

  it('comes back when the person does not want the change', async () => {
    const { page } = await open({ count: 60, offer: 'choose-branch' });
    await page.evaluate(() => {
      window.fake.offerRepair('wrong-leaf');
    });
    // It takes the focus, and a key that is pressed meanwhile would be one on this button.
    await page.getByRole('button', { name: 'Go on with the newest messages' }).and(page.locator(':focus')).waitFor();
    await page.locator('.repair-banner').getByRole('button', { name: 'Dismiss' }).press('Enter');
    await page.getByRole('button', { name: BUTTONS['choose-branch'] }).waitFor();
  });

  for (const theme of THEMES) {
    it(`has no problem for axe and fits in 220 pixels, in ${theme}`, async () => {
      const { page } = await open({ count: 60, offer: KINDS.join(' '), theme });
      await page.locator('.banner').nth(3).waitFor();
      assert.deepEqual(await axeFaults(page), []);
      await screenshot(page, `offers-${theme}`);
      await page.setViewportSize({ width: 220, height: 700 });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 220, `${width} pixels`);
      await screenshot(page, `offers-narrow-${theme}`);
    });
  }
});

describe('A session that would be refused, of which only a close look tells', () => {
  const open = usePanels();

  it('says so in its header and in the tooltip of Resume, once each, and offers the repair', async () => {
    const { page } = await open({ count: 60, close: '', usage: 'some' });
    const header = page.locator('.header');
    await header.getByText('Claude’s API refuses every prompt').waitFor();
    assert.equal(await page.getByText('refuses every prompt').count(), 1);
    const note = await header.getByRole('button', { name: 'Resume' }).getAttribute('title');
    assert.match(note ?? '', /^Claude’s API refuses every prompt in this session\.\nResuming: /);
    await header.getByRole('button', { name: 'Repair…' }).press('Enter');
    await page.locator('.repair-banner').getByRole('button', { name: 'Repair', exact: true }).press('Enter');
    await page.locator('.seam-line').waitFor();
    await header.getByText('Claude’s API refuses every prompt').waitFor({ state: 'detached' });
  });
});
