import assert from 'node:assert/strict';
import type { FrameLocator } from 'playwright-core';
import { ConversationWindow } from './conversationWindow';

const BRANCHED = 'Round the wind speed';
const COMPACTED = 'Keep a year of readings';
const RICH = 'Show the wind on a map';
const THEMES = [
  ['dark', 'Default Dark Modern', 'vscode-dark'],
  ['light', 'Default Light Modern', 'vscode-light'],
  ['hc-dark', 'Default High Contrast', 'vscode-high-contrast'],
  ['hc-light', 'Default High Contrast Light', 'vscode-high-contrast-light'],
] as const;

describe('The shapes of conversations, in a window', () => {
  let opened: ConversationWindow | undefined;
  let demo: ConversationWindow;
  const panel = (): FrameLocator => demo.window.conversation();

  before(async function () {
    demo = opened = await ConversationWindow.open(this);
  });

  afterEach(function () {
    return opened?.shootFailure(this.currentTest);
  });

  after(() => opened?.close());

  it('shows the messages on other branches with one click', async () => {
    await demo.keepFromTree(BRANCHED);
    await panel().getByText('One decimal, and keep the full value').waitFor();
    const chip = panel().getByRole('button', { name: '2 other branches: choose one to read' });
    await chip.click();
    await demo.shoot('conversation-branches');
    await panel()
      .getByRole('menuitem', { name: /Show knots instead/ })
      .click();
    await panel().getByText('14.4 m/s are 28 kn').waitFor();
    await panel().getByText('This is another branch.').waitFor();
    await demo.shoot('conversation-branch');
    await panel().getByRole('button', { name: 'Back to the current thread' }).click();
    await panel().getByText('the table keeps what the sensor measured').waitFor();
  });

  it('shows a compaction with its summary, and the messages before it', async () => {
    await demo.openFromTree(COMPACTED);
    const boundary = panel().getByText('by /compact');
    await boundary.scrollIntoViewIfNeeded();
    await panel().getByText('Summary of the conversation before').waitFor();
    await demo.shoot('conversation-compaction');
    await panel().getByRole('button', { name: 'Show what came before' }).click();
    await panel().getByText('none of them twice').waitFor();
    await demo.articles().first().focus();
    await demo.window.page.keyboard.press('Home');
    await panel().getByText('Can it keep a year of them?').waitFor();
  });

  it('shows two conversations side by side, independently', async () => {
    await demo.window.runCommand('View: Move Editor into Right Group');
    const [left, right] = demo.window.conversations();
    await left.getByText('the table keeps what the sensor measured').waitFor();
    await right.getByText('Now let the page read from the table.').waitFor();
    await demo.shoot('conversation-beside');
  });

  it('restores both of them after the window was reloaded', async () => {
    await demo.window.quiet();
    await demo.window.reload();
    const [left, right] = demo.window.conversations();
    await left.getByText('the table keeps what the sensor measured').waitFor();
    await right.getByText('Now let the page read from the table.').waitFor();
    await demo.window.runCommand('View: Close All Editors');
  });

  it('can be read in an editor of 250 pixels without horizontal scrolling', async () => {
    await demo.openFromTree(RICH);
    await demo.window.runCommand('View: Close Primary Side Bar');
    await demo.window.page.setViewportSize({ width: 304, height: 760 });
    await demo.window.quiet();
    const { inner, content } = await panel()
      .locator('html')
      .evaluate((page) => ({ inner: page.clientWidth, content: page.scrollWidth }));
    assert.ok(inner <= 260, `${String(inner)} px wide`);
    assert.ok(content <= inner, `${String(content)} px of content`);
    await demo.shoot('conversation-narrow');
    await demo.window.page.setViewportSize({ width: 1200, height: 760 });
    await demo.window.runCommand('View: Toggle Primary Side Bar Visibility');
  });

  for (const [name, theme, kind] of THEMES) {
    it(`uses the colours of the window: ${theme}`, async () => {
      await demo.settings({ 'workbench.colorTheme': theme });
      await demo.window.quiet();
      await demo.window.reload();
      await panel().locator(`body[data-vscode-theme-kind="${kind}"]`).waitFor();
      await panel().getByText('1 failing').first().scrollIntoViewIfNeeded();
      await demo.window.quiet();
      await demo.shoot(`conversation-${name}`);
    });
  }

  it('violates no rule of its content security policy', () => {
    assert.deepEqual(demo.complaints, []);
  });
});
