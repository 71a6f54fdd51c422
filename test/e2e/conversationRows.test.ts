import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ConversationWindow, RunningClient } from './conversationWindow';

const TITLE = 'Show the wind on a map';

describe('The content of a conversation, in a window', () => {
  let opened: ConversationWindow | undefined;
  let demo: ConversationWindow;
  /** The text that was copied from a row. */
  let link = '';
  const panel = () => demo.window.conversation();
  /** The card of a call, by the words in its header. */
  const card = (words: string) => panel().locator('.block-card', { hasText: words }).first();
  /** Opens the line of a call, or of several. */
  const openLine = async (words: string | RegExp): Promise<void> => {
    await panel().getByRole('button', { name: words, expanded: false }).first().click();
  };
  const top = async (): Promise<void> => {
    await demo.articles().first().focus();
    await demo.window.page.keyboard.press('Home');
  };

  before(async function () {
    demo = opened = await ConversationWindow.open(this);
  });

  afterEach(function () {
    return opened?.shootFailure(this.currentTest);
  });

  after(() => opened?.close());

  it('opens by its title from the palette', async () => {
    await demo.window.activity('Rethread').click();
    await demo.window.treeItem(TITLE).waitFor();
    await demo.window.choose('Rethread: Open Conversation', TITLE);
    await demo.window.tab(TITLE).waitFor();
    await panel().getByText('Claude remembers all 15 messages').waitFor();
  });

  it('shows a pasted image, to-dos, and search results', async () => {
    await top();
    const picture = panel().getByRole('img', { name: /image\/png/ });
    await picture.waitFor();
    assert.ok((await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)) > 100);
    await openLine('TodoWrite, Grep, Read');
    await openLine(/^TodoWrite\s*0\/3/);
    await panel().getByText('Draw an arrow for each station').last().waitFor();
    await demo.shoot('conversation-tools');
  });

  it('has the actions of a message in the menu of VS Code, too', async () => {
    await top();
    const { page } = demo.window;
    await panel().getByText('Show it as arrows on the map').click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Rewind to Here' }).waitFor();
    await page.getByRole('menuitem', { name: 'Fork From Here' }).waitFor();
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await demo.window.chooseMenuItem('Copy as Markdown');
    assert.match(await demo.window.clipboard(), /^\*\*User\*\*\n\nThe station page lists the wind as numbers\./);
    await page.evaluate(() => navigator.clipboard.writeText(''));
  });

  it('shows the output of a command in terminal colours', async () => {
    const failed = panel().getByText('1 failing').first();
    await failed.scrollIntoViewIfNeeded();
    const colour = await failed.evaluate((text) => getComputedStyle(text).color);
    assert.notEqual(colour, await failed.evaluate(() => getComputedStyle(document.body).color));
    await demo.shoot('conversation-output');
  });

  it('opens an edit in VS Code’s own diff editor, with both sides', async () => {
    await card('windMap.ts').waitFor();
    await card('windMap.ts').scrollIntoViewIfNeeded();
    await panel().getByRole('button', { name: 'Open diff' }).first().click();
    await demo.window.tab('windMap.ts: edit by Claude').waitFor();
    const sides = demo.window.page.locator('.monaco-diff-editor');
    await sides.locator('.original-in-monaco-diff-editor', { hasText: 'describeWind' }).waitFor();
    await sides.locator('.modified-in-monaco-diff-editor', { hasText: 'windArrows' }).waitFor();
    await demo.shoot('conversation-diff');
    await demo.window.runCommand('View: Close Editor');
  });

  it('opens the file of a call in its current state', async () => {
    await card('windMap.ts').getByRole('button', { name: 'Open file' }).click();
    await demo.window.tab('windMap.ts').waitFor();
    await demo.window.page.locator('.monaco-editor .view-lines', { hasText: 'windArrows' }).first().waitFor();
    await demo.window.runCommand('View: Close Editor');
  });

  it('shows the conversation of a subagent under the call that started it', async () => {
    const call = card('Find where directions come from');
    await openLine('Find where directions come from');
    await call.getByRole('button', { name: 'Conversation of the subagent' }).click();
    const nested = panel().getByRole('region', { name: 'Conversation of the subagent' });
    await nested.getByText('Change nothing.').waitFor();
    await nested
      .getByText(/degrees go clockwise/)
      .last()
      .waitFor();
    await nested.scrollIntoViewIfNeeded();
    await demo.shoot('conversation-subagent');
  });

  it('follows the subagent while its conversation is expanded', async () => {
    const { filePath, sessionId, projectFolder } = demo.session(TITLE);
    const agent = join(filePath.replace('.jsonl', ''), 'subagents/agent-a5c0u7d3m0a9e0717.jsonl');
    await new RunningClient({ filePath: agent, sessionId, projectFolder }).say('And below the vane, the cups.');
    await panel().getByText('And below the vane, the cups.').waitFor();
  });

  it('opens the subagent in a separate panel', async () => {
    await card('Find where directions come from').getByRole('button', { name: 'Open in its own panel' }).click();
    await demo.window.tab('Find where directions come from').waitFor();
    await panel().getByText('And below the vane, the cups.').waitFor();
    assert.equal(await panel().getByText('Claude remembers').count(), 0, 'it is never resumed by itself');
    await demo.window.runCommand('View: Close Editor');
    await demo.window.tab('Find where directions come from').waitFor({ state: 'detached' });
  });

  it('copies a link to a row, which opens the conversation there again', async () => {
    // The session's own panel is back once it shows what Claude loads; the subagent's panel never shows that.
    await panel().getByText('Claude remembers').waitFor();
    await demo.articles().first().focus();
    await demo.window.page.keyboard.press('End');
    const row = demo.articles().filter({ hasText: 'Beaufort 10. Below' });
    await row.hover();
    await row.getByRole('button', { name: 'More actions' }).click();
    await panel().getByRole('menuitem', { name: 'Copy Link' }).click();
    link = await demo.window.clipboard();
    assert.match(link, /^[a-z-]+:\/\/rethread\.rethread\/conversation\?file=.+&line=\d+$/);
    await demo.window.runCommand('View: Close All Editors');
    await demo.window.followLink(link);
    await demo.window.tab(TITLE).waitFor();
    await panel().locator('[aria-current="location"]', { hasText: 'Beaufort 10. Below' }).waitFor();
  });

  it('refuses links that name no session, and reports it', async () => {
    await demo.window.runCommand('View: Close All Editors');
    const scheme = link.split(':')[0] ?? '';
    for (const path of [
      '/conversation?file=/etc/passwd',
      '/conversation',
      '/other',
      '/conversation?file=%E0%A4%A&line=x',
    ]) {
      await demo.window.followLink(`${scheme}://rethread.rethread${path}`);
      await demo.window.notification('The link does not name a session of this machine.').waitFor();
      await demo.window.dismissNotifications();
    }
    assert.equal(await demo.window.tab(TITLE).count(), 0);
  });

  it('violates no rule of its content security policy', () => {
    assert.deepEqual(demo.complaints, []);
  });
});
