import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { addDemoHistory } from '../../../scripts/demoHistory.mjs';
import type { DemoSession } from '../../../scripts/demoSessions.mjs';
import { ConversationWindow, RunningClient } from '../conversationWindow';
import { eventually } from '../eventually';
import { installStandIn, preferStandIn } from '../standInClient';
import type { Workbench } from '../workbench';

/** Clicks, and keys that are not text, by what the screen shows: a task takes at most so many from the open view. */
const MAX_EVENTS = 3;
/** Fake, but in the form of real ones. */
const TOKEN = `ghp_${'A1b2C3d4E5'.repeat(4).slice(0, 36)}`;

describe('Ten tasks of a newcomer, in a window', () => {
  let opened: ConversationWindow | undefined;
  let demo: ConversationWindow;
  let window: Workbench;
  let broken: DemoSession;
  let wind: DemoSession;
  let history: Awaited<ReturnType<typeof addDemoHistory>>;
  let home = '';
  let events = 0;
  const table: string[] = [];
  const page = () => window.conversation();
  const click = async (target: Locator, options: { button?: 'right' } = {}): Promise<void> => {
    events++;
    await target.click(options);
  };

  before(async function () {
    demo = opened = await ConversationWindow.open(this, async (folder, sessions) => {
      home = folder;
      history = await addDemoHistory(folder, sessions);
      await installStandIn(folder);
      const secretive = sessions.sessions.find(({ title }) => title === 'Show the wind on a map');
      await new RunningClient(secretive!).say(`The token of the barometer is ${TOKEN}.`);
      return {};
    });
    window = demo.window;
    await preferStandIn(demo, home);
    [broken] = demo.sessions.filter(({ damage }) => damage !== null) as [DemoSession];
    wind = demo.session('Show the wind on a map');
    await window.page.setViewportSize({ width: 1400, height: 900 });
    await window.activity('Rethread').click();
    await window.treeItem(broken.title).waitFor();
  });

  beforeEach(() => {
    events = 0;
  });

  afterEach(function () {
    table.push(`      ${String(events)}  ${this.currentTest?.title ?? ''}`);
    return opened?.shootFailure(this.currentTest);
  });

  after(async () => {
    console.log(`${table.join('\n')}\n`);
    await opened?.close();
  });

  it('finding the broken session', async () => {
    await window.treeItem(new RegExp(`^${broken.title}, broken`)).waitFor();
    await window.statusItem('broken').waitFor();
    assert.ok(events <= MAX_EVENTS);
  });

  it('seeing why it is broken', async () => {
    await click(window.treeItem(broken.title));
    await page().getByText('The history is broken here').waitFor();
    await page().getByText('A message points to a message that is missing').waitFor();
    assert.ok(events <= MAX_EVENTS);
  });

  it('repairing it', async () => {
    const original = await readFile(broken.filePath);
    await click(window.treeItem(broken.title));
    await click(page().getByRole('button', { name: 'Reconnect' }));
    await page().locator('.seam-line', { hasText: 'Repaired' }).waitFor();
    assert.ok(!original.equals(await readFile(broken.filePath)));
    assert.ok(events <= MAX_EVENTS);
  });

  it('taking the repair back', async () => {
    await click(window.treeItem(broken.title));
    await click(page().locator('.seam-line').getByRole('button', { name: 'Undo' }));
    await page().getByText('The history is broken here').waitFor();
    assert.ok(events <= MAX_EVENTS);
  });

  it('going back to before a prompt', async () => {
    await click(window.treeItem(history.title));
    await window.tab(history.title).waitFor();
    const prompt = page().getByRole('article', { name: /^You,/ }).last();
    await prompt.hover();
    await click(prompt.getByRole('button', { name: 'Rewind to Here' }));
    const rewind = page().getByRole('button', { name: /^Rewind \d+ Files?$/ });
    await rewind.waitFor();
    await click(rewind);
    await page()
      .getByText(/^Rewound \d+ files?/)
      .waitFor();
    assert.ok(events <= MAX_EVENTS);
  });

  it('forking from a reply', async () => {
    await click(window.treeItem(wind.title));
    await window.tab(wind.title).waitFor();
    const reply = page()
      .getByRole('article', { name: /^Claude,/ })
      .last();
    await reply.hover();
    await click(reply.getByRole('button', { name: 'Fork From Here' }));
    await window.treeItem(`${wind.title} (fork)`).first().waitFor();
    assert.ok(events <= MAX_EVENTS);
  });

  it('resuming a session', async () => {
    const item = window.treeItem(wind.title).first();
    await item.hover();
    await click(item.getByRole('button', { name: 'Resume' }));
    await eventually(async () => {
      assert.match(await readFile(join(home, 'called'), 'utf8'), /--resume/);
    });
    assert.ok(events <= MAX_EVENTS);
  });

  it('exporting it without secrets', async () => {
    // Not its fork, whose name goes on.
    await click(window.treeItem(new RegExp(`^${wind.title}, `)).first(), { button: 'right' });
    events++;
    await window.chooseMenuItem('Export…');
    const target = join(demo.folder, 'wind.md');
    await window.saveAs(target, /\.md$/, 'server');
    events++;
    await window.notification('Exported').waitFor();
    assert.match(await readFile(target, 'utf8'), /The token of the barometer is \[redacted: github-token\]/);
    assert.ok(events <= MAX_EVENTS);
  });

  it('seeing what today cost', async () => {
    await click(window.page.locator('.pane-header', { hasText: 'Tokens' }));
    await window.tokens().locator('.today-cost', { hasText: '$' }).waitFor();
    assert.equal(events, 1);
    await window.page.locator('.pane-header', { hasText: 'Tokens' }).click();
  });

  it('finding a sentence of last week', async () => {
    await window.page.locator('.pane-header', { hasText: 'Sessions' }).hover();
    await click(window.page.getByRole('button', { name: 'Search Conversations…' }).first());
    const input = window.search().getByRole('textbox', { name: 'Search' });
    await input.and(window.search().locator(':focus')).waitFor();
    await window.page.keyboard.type('Beaufort');
    const hit = window.search().locator('.hit').first();
    await click(hit);
    await page().locator('[aria-current="location"]').waitFor();
    assert.ok(events <= MAX_EVENTS);
  });
});
