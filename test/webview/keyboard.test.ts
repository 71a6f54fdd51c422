import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { readingPlace, settled } from './probe';
import { usePanels } from './usePanels';

describe('The conversation panel with the keyboard', () => {
  const open = usePanels();

  it('has only a few Tab stops, one of which is the list, in both directions', async () => {
    const { page } = await open({ count: 60, at: 1, viewport: { width: 1200, height: 700 } });
    await settled(page);
    const there = await walk(page, 'Tab', 14);
    const list = there.filter((stop) => stop.startsWith('row'));
    assert.equal(list.length, 1, there.join('\n'));
    assert.ok(there.includes('View: Current thread') && there.includes('Resume'), there.join('\n'));
    await page.locator('.scroller').focus();
    await page.keyboard.press('Shift+Tab');
    assert.doesNotMatch(await focused(page), /^row/);
    const before = await readingPlace(page);
    await page.locator('.to-end').focus();
    await page.keyboard.press('Shift+Tab');
    assert.match(await focused(page), /^row/);
    await settled(page);
    assert.deepEqual(await readingPlace(page), before);
  });

  it('moves through the messages although nothing in the page has the focus, as after Enter in the tree', async () => {
    const { page } = await open({ count: 60, at: 20 });
    await settled(page);
    const { index } = await readingPlace(page);
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
    await page.keyboard.press('j');
    await page.locator(`.item[data-index="${index + 1}"]:focus`).waitFor();
    await page.keyboard.press('k');
    await page.locator(`.item[data-index="${index}"]:focus`).waitFor();
  });

  it('moves from row to row, into the controls of a row, and back', async () => {
    const { page } = await open({ count: 60, at: 1 });
    await page.locator('.scroller').focus();
    await page.locator('.item:focus').waitFor();
    await page.keyboard.press('Home');
    await page.locator('.item[data-index="0"]:focus').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.locator('.item[data-index="1"]:focus').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    assert.equal(await focused(page), 'Copy Text');
    await page.keyboard.press('ArrowRight');
    assert.equal(await focused(page), 'Fork From Here');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.locator('.item[data-index="0"]:focus').waitFor();
    await page.waitForFunction(() => window.fake.actions()[0]?.kind === 'fork');
  });

  it('moves through thousands of rows, each with the focus while it is rendered', async () => {
    const { page } = await open({ count: 3000, at: 1, delay: 20 });
    await page.locator('.scroller').focus();
    await page.locator('.item:focus').waitFor();
    await page.keyboard.press('Home');
    for (let step = 0; step < 60; step++) await page.keyboard.press(step % 4 === 3 ? 'PageDown' : 'ArrowDown');
    await page.locator('.item:focus').waitFor();
    await settled(page);
    const box = await page.locator('.item:focus').boundingBox();
    assert.ok(box !== null && box.y < 700 && box.y + box.height > 60, JSON.stringify(box));
    const [position, size] = await page.evaluate(() => {
      const row = document.activeElement;
      return [Number(row?.getAttribute('aria-posinset')), Number(row?.getAttribute('aria-setsize'))];
    });
    assert.ok(position > 60);
    assert.equal(size, 3000);
  });

  it('keeps the focus when the focused row is scrolled away', async () => {
    const { page } = await open({ count: 3000, at: 1 });
    await page.locator('.scroller').focus();
    await page.keyboard.press('Home');
    await page.locator('.item[data-index="0"]:focus').waitFor();
    await page.evaluate(() => {
      document.querySelector('.scroller')!.scrollTop = 100_000;
    });
    await settled(page);
    assert.equal(await page.evaluate(() => document.activeElement?.className), 'scroller');
    await page.evaluate(() => {
      document.querySelector('.scroller')!.scrollTop = 0;
    });
    await page.locator('.item[data-index="0"]:focus').waitFor();
  });

  it('forks from a row, and rewinds files to a prompt', async () => {
    const { page } = await open({ count: 60, at: 1 });
    await page.locator('.scroller').focus();
    await page.keyboard.press('Home');
    await page.locator('.item[data-index="0"]:focus').waitFor();
    const menu = page.getByRole('menu', { name: 'More actions' });
    for (const key of ['End', 'ArrowUp'] as const) {
      await page.locator('.item[data-index="0"]').focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await menu.waitFor();
      assert.match(await focused(page), /^Copy Text/);
      await page.keyboard.press('End');
      if (key === 'ArrowUp') await page.keyboard.press(key);
      assert.equal(await focused(page), key === 'End' ? 'Rewind to Here' : 'Fork From Here');
      await page.keyboard.press('Enter');
      await menu.waitFor({ state: 'detached' });
      assert.equal(await focused(page), 'More actions');
    }
    // A page receives a message in a separate task.
    await page.waitForFunction(() => window.fake.actions().length >= 2);
    assert.deepEqual(await page.evaluate(() => window.fake.actions()), [
      { kind: 'rewind', line: 1 },
      { kind: 'fork', line: 1 },
    ]);
  });

  it('explains why a row cannot be forked, and offers a rewind only for prompts', async () => {
    const { page } = await open({ scenario: 'folded', reveal: 34 });
    const row = page.locator('.item[data-index="33"]');
    await row.waitFor();
    await settled(page);
    await row.hover();
    await row.getByRole('button', { name: 'More actions' }).click();
    const menu = page.getByRole('menu', { name: 'More actions' });
    const fork = menu.getByRole('menuitem', { name: 'Fork From Here' });
    assert.match(await fork.innerText(), /Claude never resumes this message/);
    assert.equal(await fork.getAttribute('aria-disabled'), 'true');
    assert.equal(await menu.getByRole('menuitem', { name: 'Rewind to Here' }).count(), 0);
    await fork.click({ force: true });
    await menu.waitFor();
    assert.deepEqual(await page.evaluate(() => window.fake.actions()), []);
  });

  it('switches to another branch and back', async () => {
    const { page } = await open({ scenario: 'broken', at: 20 });
    await page.getByRole('button', { name: '2 other branches: choose one to read' }).press('Enter');
    await page
      .getByRole('menuitem', { name: /^Try it/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    const banner = page.getByRole('status').filter({ hasText: 'This is another branch' });
    await banner.waitFor();
    await page.getByRole('button', { name: 'View: Branch: Stop, look at the log first' }).waitFor();
    await banner.getByRole('button', { name: 'Continue this branch' }).press('Enter');
    await page.waitForFunction(() => window.fake.actions().some(({ kind }) => kind === 'fork'));
    await banner.getByRole('button', { name: 'Back to the current thread' }).press('Enter');
    await page.getByRole('button', { name: 'View: Current thread' }).waitFor();
  });

  it('resumes, forks and rewinds from the header, and finds, exports and copies from its menu', async () => {
    const { page } = await open({ count: 60 });
    const header = page.locator('.header');
    for (const name of ['Resume', 'Fork', 'Rewind…'])
      await header.getByRole('button', { name, exact: true }).press('Enter');
    for (const name of ['Export…', 'Copy Session ID', 'Find in Conversation']) {
      await header.getByRole('button', { name: 'More actions' }).press('Enter');
      await page.getByRole('menuitem', { name }).press('Enter');
    }
    await page.locator('.find-input:focus').waitFor();
    const kinds = await page.evaluate(() => window.fake.actions().map(({ kind }) => kind));
    assert.deepEqual(kinds, ['resume', 'forkSession', 'rewindFiles', 'export', 'copySessionId']);
  });

  it('goes between messages with j and k, and between prompts with [ and ]', async () => {
    const { page } = await open({ count: 60, at: 20 });
    const active = () => page.locator('[data-index]:focus');
    const index = () => active().getAttribute('data-index').then(Number);
    await page.locator('.scroller').focus();
    await active().waitFor();
    const first = await index();
    await page.keyboard.press('j');
    assert.equal(await index(), first + 1);
    await page.keyboard.press('k');
    assert.equal(await index(), first);
    await page.keyboard.press(']');
    await page.locator(`.item.from-user.is-marked:focus`).waitFor();
    const next = await index();
    assert.ok(next > first);
    await page.keyboard.press('[');
    await page.waitForFunction((below) => Number(document.activeElement?.getAttribute('data-index')) < below, next);
    await page.locator(`.item.from-user.is-marked:focus`).waitFor();
  });

  it('goes to the next prompt by command, wherever the focus is, and folds what was opened', async () => {
    const { page } = await open({ count: 60, at: 20 });
    await page.evaluate(() => {
      window.fake.goToPrompt(1);
    });
    await page.locator('.item.from-user.is-marked').waitFor();
    const call = page
      .locator('.block-card-line[aria-expanded="false"], .block-disclosure-line[aria-expanded="false"]')
      .first();
    await call.waitFor();
    const before = await page.locator('.scroller [aria-expanded="true"]').count();
    await call.click();
    await page.waitForFunction(
      (count) => document.querySelectorAll('.scroller [aria-expanded="true"]').length > count,
      before,
    );
    await page.evaluate(() => {
      window.fake.foldAll();
    });
    await page.waitForFunction(
      (count) => document.querySelectorAll('.scroller [aria-expanded="true"]').length === count,
      before,
    );
  });

  it('tells VS Code which message its own menu is about, and copies that message for its commands', async () => {
    const { page } = await open({ count: 60, left: '' });
    const contexts = await page
      .locator('[data-vscode-context]')
      .evaluateAll((elements) =>
        elements.map(
          (element) => JSON.parse(element.getAttribute('data-vscode-context') ?? '') as Record<string, unknown>,
        ),
      );
    const prompt = contexts.find(({ rethreadCanRewind }) => rethreadCanRewind === true);
    assert.equal(prompt?.['webviewSection'], 'message');
    assert.equal(prompt['rethreadCanFork'], true);
    const line = Number(prompt['line']);
    await page.evaluate((at) => {
      window.fake.copyMessage(at, 'text');
      window.fake.copyMessage(at, 'markdown');
    }, line);
    await page.waitForFunction(() => window.fake.actions().length === 2);
    const [plain, markdown] = await page.evaluate(() =>
      window.fake.actions().map((action) => (action.kind === 'copy' ? action.text : '')),
    );
    assert.ok(plain !== undefined && plain.length > 0);
    assert.equal(markdown, `**User**\n\n${plain}`);
  });

  it('has the menu of a message on the whole width of its row, and in the space around it', async () => {
    const { page } = await open({ scenario: 'turns', at: 1, viewport: { width: 1400, height: 700 } });
    const item = page.locator('.item', { hasText: 'Bash' }).first();
    const at = async (element: Locator): Promise<unknown> => {
      const [outer, box] = [await item.boundingBox(), await element.boundingBox()];
      await page.mouse.click(outer!.x + 4, box!.y + box!.height / 2, { button: 'right' });
      const context = await item.getAttribute('data-vscode-context');
      return (JSON.parse(context ?? '{}') as Record<string, unknown>)['line'];
    };
    // The row of each is the one that its own menu is about.
    for (const step of [item.locator('.step').first(), item.locator('.step', { hasText: 'npm test' })]) {
      const own = JSON.parse((await step.getAttribute('data-vscode-context')) ?? '{}') as Record<string, unknown>;
      assert.equal(typeof own['line'], 'number');
      assert.equal(await at(step), own['line']);
    }
  });

  it('shows the messages before a compaction', async () => {
    const { page } = await open({ scenario: 'broken', left: '' });
    await page.getByRole('button', { name: 'Show what came before' }).press('Enter');
    await page.locator('.item.is-marked[data-index="19"]').waitFor();
  });
});

/** The focused element, by its accessible name. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!(element instanceof HTMLElement)) return 'nothing';
    if (element.dataset['index'] !== undefined) return `row ${element.dataset['index']}`;
    return element.getAttribute('aria-label') ?? element.innerText;
  });
}

async function walk(page: Page, key: string, times: number): Promise<string[]> {
  const stops: string[] = [];
  for (let step = 0; step < times; step++) {
    await page.keyboard.press(key);
    const stop = await focused(page);
    if (stops.includes(stop)) break;
    stops.push(stop);
  }
  return stops;
}
