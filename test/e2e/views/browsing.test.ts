import assert from 'node:assert/strict';
import { appendFile, mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DemoSession } from '../../../scripts/demoSessions.mjs';
import { ConversationWindow } from '../conversationWindow';
import { buildEarlierPanels } from './earlierPanels';
import type { Workbench } from '../workbench';

describe('Sessions, browsed in a window', () => {
  let opened: ConversationWindow | undefined;
  let demo: ConversationWindow;
  let window: Workbench;
  let [first, second, third]: readonly DemoSession[] = [];
  const tabs = () => window.page.locator('.editor-group-container .tab');
  const previews = () => window.page.locator('.editor-group-container .tab .monaco-icon-label.italic');
  const titles = async (): Promise<readonly string[]> => {
    const labels = await tabs().allInnerTexts();
    return labels.map((label) => label.trim());
  };
  const isTreeFocused = (): Promise<boolean> =>
    window.page.evaluate(() => document.activeElement?.closest('.sidebar .monaco-list') !== null);

  before(async function () {
    demo = opened = await ConversationWindow.open(this, undefined, {}, async (folder) => [
      await buildEarlierPanels(folder),
    ]);
    window = demo.window;
    [first, second, third] = ['Show the wind on a map', 'Plan the next release', 'Round the wind speed'].map((title) =>
      demo.session(title),
    );
  });

  afterEach(function () {
    return opened?.shootFailure(this.currentTest);
  });

  after(() => opened?.close());

  it('are shown in one preview tab, with the focus left in the tree', async () => {
    for (const session of [first, second, third]) {
      await demo.openFromTree(session?.title ?? '');
      assert.ok(await isTreeFocused());
    }
    assert.deepEqual(await titles(), [third?.title]);
    assert.equal(await previews().count(), 1);
    await demo.shoot('browsing');
  });

  it('keep their tab after a double click, and after Enter, which also takes the focus there', async () => {
    await demo.keepFromTree(first?.title ?? '');
    assert.equal(await previews().count(), 0);
    await demo.openFromTree(second?.title ?? '');
    assert.equal(await previews().count(), 1);
    await window.page.keyboard.press('Enter');
    await previews().waitFor({ state: 'detached' });
    assert.equal(await isTreeFocused(), false);
    assert.deepEqual(await titles(), [first?.title, second?.title]);
  });

  it('keep their tab when the person does something with them', async () => {
    await window.runCommand('View: Close All Editors');
    await demo.openFromTree(third?.title ?? '');
    await window.runCommand('Rethread: Find in Conversation');
    assert.equal(await previews().count(), 1);
    const row = demo.articles().first();
    await row.hover();
    await row.getByRole('button', { name: 'More actions' }).click();
    await window.conversation().getByRole('menuitem', { name: 'Open Line' }).click();
    await window.page.locator('.monaco-editor .view-line').first().waitFor();
    assert.equal(await tabs().count(), 2);
    await window.runCommand('View: Close All Editors');
    for (const session of [first, second]) await demo.keepFromTree(session?.title ?? '');
  });

  it('are selected in the tree when their tab comes to the front', async () => {
    for (const session of [first, second]) {
      await window.tab(session?.title ?? '').click();
      await window.page.locator(`.sidebar .monaco-list-row.selected[aria-label^="${session?.title ?? ''}"]`).waitFor();
    }
  });

  it('have one tab each, also after a new title and a reload of the window', async () => {
    const { filePath = '', sessionId = '' } = first ?? {};
    const row = { type: 'custom-title', customTitle: 'The wind, drawn', sessionId };
    await appendFile(filePath, `${JSON.stringify(row)}\n`);
    for (const place of [window.tab('The wind, drawn'), window.treeItem('The wind, drawn')]) await place.waitFor();
    await demo.openFromTree('The wind, drawn');
    assert.equal(await tabs().count(), 2);
    await window.quiet();
    await window.reload();
    await window.page.locator('.monaco-list-row.selected', { hasText: 'The wind' }).waitFor();
    await demo.openFromTree('The wind, drawn');
    await demo.openFromTree(second?.title ?? '');
    assert.equal(await tabs().count(), 2);
    await window.runCommand('View: Close All Editors');
  });

  it('are shown beside each other after a click with Alt', async () => {
    await demo.keepFromTree(second?.title ?? '');
    await window.treeItem(third?.title ?? '').click({ modifiers: ['Alt'] });
    await window.tab(third?.title ?? '').waitFor();
    assert.equal(await window.page.locator('.editor-group-container').count(), 2);
    await window.runCommand('View: Close All Editors');
  });

  it('are the same editor for a transcript that is opened as a file', async () => {
    await window.choose('Rethread: Reveal Transcript', second?.title ?? '');
    await window.page.locator('.monaco-editor .view-line').first().waitFor();
    await window.choose('View: Reopen Editor With...', 'Claude Code Conversation');
    await demo.articles().first().waitFor();
    assert.equal(await tabs().count(), 1);
    await demo.openFromTree(second?.title ?? '');
    assert.equal(await tabs().count(), 1);
  });

  it('take over the panels of an earlier version after a reload', async () => {
    await window.runCommand('View: Close All Editors');
    const opened = JSON.stringify([third?.title, third?.filePath]);
    await window.page.evaluate((text) => navigator.clipboard.writeText(text), opened);
    await window.runCommand('Open Panel of an Earlier Version');
    await window.conversation().getByText('An earlier version').waitFor();
    await window.quiet();
    await window.reload();
    await demo.articles().first().waitFor();
    assert.deepEqual(await titles(), [third?.title]);
    await window.treeItem(third?.title ?? '').waitFor();
    await demo.openFromTree(third?.title ?? '');
    assert.equal(await tabs().count(), 1);
  });

  it('keep their tab when their transcript was moved to another folder', async () => {
    const { filePath = '', title = '' } = third ?? {};
    const folder = `${dirname(filePath)}-moved`;
    await mkdir(folder);
    await rename(filePath, join(folder, basename(filePath)));
    await window.conversation().getByRole('alert').filter({ hasText: 'is gone' }).waitFor();
    // The list has moved below the pointer when the session is in its new folder.
    await window
      .treeItem(/weather-station/)
      .nth(1)
      .waitFor();
    await window.movePointerAway();
    await window.quiet();
    await window.treeItem(title).click();
    await demo.articles().first().waitFor();
    await tabs().nth(1).waitFor({ state: 'detached' });
    await previews().waitFor({ state: 'detached' });
    assert.deepEqual(await titles(), [title]);
  });
});
