import assert from 'node:assert/strict';
import type { DemoSession } from '../../../scripts/demoSessions.mjs';
import { ConversationWindow } from '../conversationWindow';
import type { Workbench } from '../workbench';

describe('The Search view, in a window', () => {
  let opened: ConversationWindow | undefined;
  let demo: ConversationWindow;
  let window: Workbench;
  let wind: DemoSession;
  const view = () => window.search();
  const input = () => view().getByRole('textbox', { name: 'Search' });
  const hits = () => view().locator('.hit');
  const current = () => view().locator('.hit.is-current');
  const status = (text: string | RegExp) => view().locator('.status').filter({ hasText: text });
  /** The number of hits of a search that has ended, once it is as expected: the results of the search before remain until then. */
  const hitsThat = async (what: string, isExpected: (count: number) => boolean | Promise<boolean>) => {
    const end = Date.now() + 15_000;
    for (;;) {
      const count = await hits().count();
      const isDone = (await view().locator('.status.is-done').count()) === 1;
      if (isDone && (await isExpected(count))) return count;
      assert.ok(Date.now() < end, `${what}: ${count} hits`);
      await window.page.waitForTimeout(50);
    }
  };
  /** Where the keys go: the view's page, or an editor's. */
  const focusedFrame = () =>
    window.page.evaluate(() => {
      const focused = document.activeElement;
      if (!(focused instanceof HTMLIFrameElement)) return focused?.className ?? '';
      return focused.src.includes('purpose=webviewView') ? 'view' : 'editor';
    });
  const untilFocused = async (wanted: string) => {
    const end = Date.now() + 15_000;
    while ((await focusedFrame()) !== wanted) {
      assert.ok(Date.now() < end, `The focus is at: ${await focusedFrame()}`);
      await window.page.waitForTimeout(50);
    }
  };

  before(async function () {
    demo = opened = await ConversationWindow.open(this);
    window = demo.window;
    wind = demo.session('Show the wind on a map');
    await window.activity('Rethread').click();
    // The views share the height, and VS Code opens a view as low as it may be.
    await window.page.locator('.pane-header .title', { hasText: 'Sessions' }).click();
  });

  afterEach(function () {
    return opened?.shootFailure(this.currentTest);
  });

  after(() => opened?.close());

  it('is opened by the command, with the focus where the person types, and searches while they do', async () => {
    await window.runCommand('Rethread: Search Conversations…');
    await input().waitFor();
    await untilFocused('view');
    await window.page.keyboard.type('beaufort');
    await status(/^\d+ results in \d+ sessions?$/).waitFor();
    assert.equal(await view().getByRole('treeitem', { name: wind.title }).count(), 1);
  });

  it('uses a regular expression, as VS Code’s own search does', async () => {
    await input().fill('Beaufort \\d+');
    await status('No results in').waitFor();
    await input().press('Alt+r');
    await status(/^\d+ results? in \d+ sessions?$/).waitFor();
    await hits().filter({ hasText: 'Beaufort 10' }).first().waitFor();
    await demo.shoot('search-conversations');
  });

  it('previews a hit with a click, and keeps the focus', async () => {
    await hits().filter({ hasText: '**Beaufort 10**' }).first().click();
    await window.conversation().locator('[aria-current="location"]', { hasText: 'which is Beaufort 10' }).waitFor();
    await window.page.locator('.tab.active .monaco-icon-label.italic').waitFor();
    await window.quiet();
    assert.equal(await focusedFrame(), 'view');
    assert.equal(await current().count(), 1);
  });

  it('goes to the next and the previous hit by F4 and Shift+F4', async () => {
    const at = () => current().getAttribute('id');
    const first = await at();
    const ids = await hits().evaluateAll((all) => all.map(({ id }) => id));
    assert.ok(ids.length > 1);
    await window.page.keyboard.press('F4');
    const next = ids[(ids.indexOf(first ?? '') + 1) % ids.length];
    await view()
      .locator(`.is-current[id="${next ?? ''}"]`)
      .waitFor();
    await window.quiet();
    assert.equal(await focusedFrame(), 'view');
    await window.page.keyboard.press('Shift+F4');
    await view()
      .locator(`.is-current[id="${first ?? ''}"]`)
      .waitFor();
    assert.equal(await window.page.locator('.tabs-container .tab').count(), 1);
  });

  it('opens a hit with Enter, which keeps its tab and gives it the focus, and F4 goes on from there', async () => {
    await view().getByRole('tree').press('Enter');
    await untilFocused('editor');
    await window.page.locator('.tab.active .monaco-icon-label:not(.italic)').waitFor();
    const before = await current().getAttribute('id');
    await window.page.keyboard.press('F4');
    await view()
      .locator(`.is-current:not([id="${before ?? ''}"])`)
      .waitFor();
    await untilFocused('editor');
  });

  it('limits the search by its filters', async () => {
    await input().fill('wind');
    await view().getByRole('button', { name: 'Use Regular Expression (Alt+R)' }).click();
    const marked = () =>
      hits()
        .locator('mark')
        .filter({ hasText: /^wind$/i })
        .count();
    const all = await hitsThat('found', async (count) => count > 0 && (await marked()) === count);
    await view().getByRole('button', { name: 'Filters' }).click();
    await view().getByRole('combobox', { name: 'Said by' }).selectOption({ label: 'You' });
    const byYou = await hitsThat(`of ${all}, by you`, (count) => count > 0 && count < all);
    await demo.shoot('search-filters');
    await view().getByRole('combobox', { name: 'Project' }).selectOption({ label: 'This folder' });
    await window.quiet();
    assert.ok((await hits().count()) <= byYou);
  });

  it('is there again after another view was shown, and after the window was reloaded', async () => {
    const shown = await hits().count();
    await hits().first().click();
    const id = await current().getAttribute('id');
    await window.runCommand('View: Show Explorer');
    await view().locator('main').waitFor({ state: 'detached' });
    await window.activity('Rethread').click();
    const again = view();
    await again.locator(`.is-current[id="${id ?? ''}"]`).waitFor();
    assert.equal(await again.locator('.hit').count(), shown);
    await window.reload();
    await view()
      .locator(`.is-current[id="${id ?? ''}"]`)
      .waitFor({ timeout: 60_000 });
    assert.equal(await input().inputValue(), 'wind');
    assert.equal(await view().getByRole('combobox', { name: 'Said by' }).inputValue(), 'you');
    await status(/results? in/).waitFor();
    assert.equal(await hits().count(), shown);
  });

  it('is cleared when the person asks for it, so that F4 does nothing more', async () => {
    await view().getByRole('button', { name: 'Clear results' }).click();
    await view().getByText('Finds text in the prompts').waitFor();
    assert.equal(await hits().count(), 0);
    assert.deepEqual(demo.complaints, []);
  });
});
