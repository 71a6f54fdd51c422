import assert from 'node:assert/strict';
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DemoSession } from '../../scripts/demoSessions.mjs';
import { ConversationWindow, RunningClient } from './conversationWindow';
import { eventually } from './eventually';
import type { Workbench } from './workbench';

/** Fake, but in the form of real ones. */
const TOKEN = `ghp_${'A1b2C3d4E5'.repeat(4).slice(0, 36)}`;

describe('A conversation, in a window', () => {
  let opened: ConversationWindow | undefined;
  let demo: ConversationWindow;
  let window: Workbench;
  let client: RunningClient;
  let healthy: DemoSession;
  let broken: DemoSession;
  const panel = () => window.conversation();
  const articles = () => demo.articles();
  const find = () => panel().getByRole('search');

  before(async function () {
    demo = opened = await ConversationWindow.open(this);
    window = demo.window;
    healthy = demo.session('Show the wind on a map');
    broken = demo.session('Add a rain sensor');
    client = new RunningClient(healthy);
  });

  afterEach(function () {
    return opened?.shootFailure(this.currentTest);
  });

  after(() => opened?.close());

  it('opens with a click on its session in the tree, and shows its last rows', async () => {
    await demo.openFromTree(healthy.title);
    await articles().filter({ hasText: 'Beaufort 10. Below' }).waitFor();
    assert.ok((await articles().count()) > 1);
  });

  it('finds text in all of its rows', async () => {
    await window.runCommand('Rethread: Find in Conversation');
    await find().getByRole('textbox', { name: 'Find', exact: true }).fill('arrow');
    await find().getByRole('status').filter({ hasText: /\d/ }).waitFor();
    await demo.shoot('conversation-find');
  });

  it('can limit a search to a role or a tool, and accepts a regular expression', async () => {
    const [text, said] = [find().getByRole('textbox', { name: 'Find', exact: true }), find().getByRole('status')];
    const results = async (): Promise<number> => {
      await window.quiet();
      // "3 of 9 rows".
      return Number((await said.innerText()).match(/\d+/g)?.at(-1) ?? 0);
    };
    const all = await results();
    await find().getByRole('button', { name: 'Filter by role and tool' }).click();
    await find().getByRole('combobox', { name: 'Said by' }).selectOption({ label: 'You' });
    const [byYou, tool] = [await results(), find().getByRole('textbox', { name: 'Only this tool' })];
    assert.ok(byYou > 0 && byYou < all, `${String(byYou)} of ${String(all)}`);
    await find().getByRole('combobox', { name: 'Said by' }).selectOption({ label: 'Everybody' });
    await tool.fill('Edit');
    const byEdit = await results();
    assert.ok(byEdit > 0 && byEdit < all, `${String(byEdit)} of ${String(all)}`);
    await tool.fill('');
    await find().getByRole('button', { name: 'Use regular expression' }).click();
    await text.fill('Beaufort \\d+');
    assert.ok((await results()) > 0);
    await text.fill('(');
    await find().getByRole('alert').waitFor();
    await find().getByRole('button', { name: 'Use regular expression' }).click();
    await text.fill('Like this sketch');
    await articles().filter({ hasText: 'Like this sketch' }).waitFor();
    await window.page.keyboard.press('Escape');
    await find().waitFor({ state: 'detached' });
  });

  it('is restored after the window was reloaded, at the row where it was read', async () => {
    await find().waitFor({ state: 'detached' });
    const topRow = (): Promise<string | null> =>
      articles()
        .first()
        .evaluate((row) => {
          const list = row.closest('.scroller') ?? row;
          const { left, top, width } = list.getBoundingClientRect();
          const at = row.ownerDocument.elementFromPoint(left + width / 2, top + 40);
          return at?.closest('[aria-posinset]')?.getAttribute('aria-posinset') ?? null;
        });
    // The panel stores its position when scrolling has stopped.
    await window.quiet();
    const before = await topRow();
    assert.ok(Number(before) > 1, `the top row is ${before}`);
    await window.reload();
    await window.tab(healthy.title).waitFor();
    await eventually(async () => {
      assert.equal(await topRow(), before);
    });
  });

  it('shows a new row within a moment, and announces it to a reader who is elsewhere', async () => {
    await client.say('And what does the barometer read?');
    await panel().getByRole('button', { name: '1 new: go to the end' }).click();
    await articles().filter({ hasText: 'what does the barometer read' }).waitFor();
    await demo.shoot('conversation-live');
    await client.say(`The token of the barometer is ${TOKEN}, and it reads 1013 hPa.`);
    await articles().filter({ hasText: 'it reads 1013 hPa' }).waitFor();
  });

  it('shows where the history of a broken session breaks, and offers to repair it', async () => {
    await demo.openFromTree(broken.title);
    await panel().getByText('Claude remembers 7 of 15 messages').first().waitFor();
    await panel().getByRole('button', { name: 'Findings: 1 error' }).click();
    await panel().getByRole('menuitem').first().click();
    await panel().getByText('The history is broken here').waitFor();
    await panel().getByText('Reconnect here: Claude remembers 15 of 15 messages instead of 7.').waitFor();
    await demo.shoot('conversation-broken');
  });

  /** Answers the dialog for a file, whose extension is that of a format. */
  async function saveAs(name: string, proposed: RegExp): Promise<string> {
    const target = join(demo.folder, name);
    // The dialog fills in its own name after it has read the folder.
    await window.saveAs(target, proposed, 'server');
    await window.notification('Exported').waitFor();
    return readFile(target, 'utf8');
  }

  async function exportAs(name: string): Promise<string> {
    await window.runCommand('Rethread: Export…');
    return saveAs(name, /Show the wind on a map\.md$/);
  }

  it('is exported without its secrets, and says which it replaced', async () => {
    await demo.openFromTree(healthy.title);
    // The reader is elsewhere than at the end from here on.
    await articles().last().hover();
    await window.page.mouse.wheel(0, -3000);
    await panel().getByRole('button', { name: 'Go to the end' }).waitFor();
    const text = await exportAs('wind.md');
    assert.match(text, /it reads 1013 hPa/);
    assert.ok(!text.includes(TOKEN));
    await window.notification('Secrets replaced: 1 × github-token (ghp_…)').waitFor();
    await demo.shoot('export-secrets');
    await window.dismissNotifications();
  });

  it('is exported to HTML and to JSON, with its secrets on request', async () => {
    const json = await exportAs('wind.json');
    assert.ok(typeof JSON.parse(json) === 'object' && !json.includes(TOKEN));
    await window.notification('Exported').getByRole('button', { name: 'Keep Secrets…' }).click();
    const page = await saveAs('wind.html', /wind\.json$/);
    assert.match(page, /^<!DOCTYPE html>/i);
    assert.ok(page.includes(TOKEN));
    await window.notification('It contains secrets').waitFor();
    await window.dismissNotifications();
  });

  it('is not exported when the person chooses no file', async () => {
    await window.runCommand('Rethread: Export…');
    await eventually(async () => {
      assert.match(await window.quickInput().inputValue(), /Show the wind on a map\.md$/);
    });
    await window.page.keyboard.press('Escape');
    await window.quickInput().waitFor({ state: 'hidden' });
    await assert.rejects(access(join(healthy.projectFolder, 'Show the wind on a map.md')));
  });

  it('reports when its transcript is truncated, and when another replaces it', async () => {
    const rows = (await readFile(healthy.filePath, 'utf8')).split('\n');
    const reply = rows.findIndex((row) => row.includes('I will look at how the page gets its readings'));
    await writeFile(healthy.filePath, `${rows.slice(0, reply + 4).join('\n')}\n`);
    const alert = panel().getByRole('alert');
    await alert.filter({ hasText: 'cut or replaced' }).waitFor();
    await articles().filter({ hasText: 'I will look at how the page gets its readings' }).waitFor();
    await demo.shoot('conversation-cut');
    await alert.getByRole('button', { name: 'Dismiss' }).click();
    const other = `${healthy.filePath}.tmp`;
    await writeFile(other, rows.join('\n'));
    await rename(other, healthy.filePath);
    await panel()
      .getByRole('button', { name: /go to the end/i })
      .click();
    await articles().filter({ hasText: 'it reads 1013 hPa' }).waitFor();
  });

  it('reports when its transcript is deleted, and keeps what it shows', async () => {
    const shown = await articles().allTextContents();
    await rm(healthy.filePath);
    const alert = panel().getByRole('alert');
    await alert
      .filter({
        hasText: `${healthy.filePath} is gone: it was deleted or moved. What was already read is still shown.`,
      })
      .waitFor();
    assert.deepEqual(await articles().allTextContents(), shown);
    await demo.shoot('conversation-gone');
  });

  it('violates no rule of its content security policy', () => {
    assert.deepEqual(demo.complaints, []);
  });
});
