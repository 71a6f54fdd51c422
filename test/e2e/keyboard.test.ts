import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { addDemoHistory, HISTORY_PROMPTS } from '../../scripts/demoHistory.mjs';
import type { DemoSession } from '../../scripts/demoSessions.mjs';
import { ConversationWindow } from './conversationWindow';
import { eventually } from './eventually';
import { installStandIn, preferStandIn } from './standInClient';
import type { Workbench } from './workbench';

const [, DRAW] = HISTORY_PROMPTS;
const FILES = ['docs/notes.md', 'src/format.ts', 'src/oldGauge.ts', 'src/rain.ts', 'src/rainChart.ts'] as const;
/** More than any page has stops. */
const MAX_STOPS = 80;

describe('Everything by keyboard alone, in a window', () => {
  let opened: ConversationWindow | undefined;
  let demo: ConversationWindow;
  let window: Workbench;
  let broken: DemoSession;
  let original: Buffer;
  let history: Awaited<ReturnType<typeof addDemoHistory>>;
  let [home, workspace] = ['', ''];
  const press = (key: string): Promise<void> => window.page.keyboard.press(key);
  const page = () => window.conversation();
  const readAll = () => Promise.all(FILES.map((path) => readFile(join(workspace, path), 'utf8').catch(() => null)));

  before(async function () {
    const prepare = async (folder: string, sessions: { configDir: string; workspace: string }) => {
      [home, workspace] = [folder, sessions.workspace];
      history = await addDemoHistory(folder, sessions);
      await installStandIn(folder);
      return {};
    };
    demo = opened = await ConversationWindow.open(this, prepare);
    window = demo.window;
    await preferStandIn(demo, home);
    [broken] = demo.sessions.filter(({ damage }) => damage !== null) as [DemoSession];
    original = await readFile(broken.filePath);
    // A click anywhere in the window would be counted.
    await window.page.exposeFunction('countPointer', () => pointers++);
    await window.page.evaluate(() => {
      addEventListener('pointerdown', () => (globalThis as { countPointer?: () => void }).countPointer?.(), true);
    });
  });

  let pointers = 0;

  afterEach(function () {
    return opened?.shootFailure(this.currentTest);
  });

  after(async () => {
    await opened?.close();
    assert.equal(pointers, 0);
  });

  /** Moves the focus with Tab until it is on the target. */
  async function tabTo(target: Locator, key = 'Tab'): Promise<void> {
    await target.first().waitFor();
    const isThere = async (): Promise<boolean> =>
      (await target.evaluateAll((all) => all.filter((each) => each === each.ownerDocument.activeElement).length)) > 0;
    for (let stops = 0; stops < MAX_STOPS; stops++) {
      if (await isThere()) return;
      await press(key);
    }
    throw new Error(`Failed to reach ${String(target)} with ${key}`);
  }

  /** Moves through the tree to a session, and opens it with Enter, which takes the focus to its page. */
  async function openFromList(title: string): Promise<void> {
    const list = window.page.locator('.part.sidebar .monaco-list:focus');
    // VS Code has nothing to put the focus on before the list is there.
    for (let times = 0; times < 2 && (await list.count()) === 0; times++) {
      await window.runByKeyboard('Rethread: Focus on Sessions View');
      await window.treeItem(title).first().waitFor();
    }
    await press('Home');
    for (let rows = 0; rows < MAX_STOPS; rows++) {
      if ((await list.locator(`.monaco-list-row.focused[aria-label^="${title}"]`).count()) > 0) break;
      await press('ArrowDown');
    }
    await press('Enter');
    await window.tab(title).waitFor();
    await page().getByRole('article').first().waitFor();
  }

  it('opens a broken session from the list, and reads it', async () => {
    await openFromList(broken.title);
    await page()
      .getByText(/^Reconnect here/)
      .waitFor();
    await eventually(async () => {
      assert.equal(await window.page.evaluate(() => document.activeElement?.tagName), 'IFRAME');
    });
    const focused = page().locator('article:focus, [role=article]:focus');
    await tabTo(page().getByRole('article'));
    await press('j');
    await press('k');
    await focused.first().waitFor();
  });

  it('finds text in it', async () => {
    await press('Control+f');
    await page().getByRole('textbox', { name: /Find/ }).and(page().locator(':focus')).waitFor();
    await window.page.keyboard.type('sensor');
    await press('Enter');
    await page()
      .locator('.find-count', { hasText: /^\d+ of \d+/ })
      .waitFor();
    await press('Escape');
  });

  it('repairs it, and takes that back', async () => {
    await tabTo(page().getByRole('button', { name: 'Repair…' }), 'Shift+Tab');
    await press('Enter');
    await page().getByRole('button', { name: 'Reconnect' }).and(page().locator(':focus')).waitFor();
    await press('Enter');
    const undo = page().locator('.seam-line').getByRole('button', { name: 'Undo' });
    await tabTo(undo);
    assert.ok(!original.equals(await readFile(broken.filePath)));
    await press('Enter');
    await page()
      .getByText(/^Reconnect here/)
      .waitFor();
    assert.ok(original.equals(await readFile(broken.filePath)));
  });

  it('resumes it', async () => {
    await tabTo(page().getByRole('button', { name: 'Resume', exact: true }));
    await press('Enter');
    // Somebody took the repair back, so it is not repeated without a question, which has the focus.
    await tabTo(
      window.notification('As it is, Claude remembers only a part').getByRole('button', { name: 'Resume Anyway' }),
    );
    await press('Enter');
    await eventually(async () => {
      const called = await readFile(join(home, 'called'), 'utf8').catch(() => '');
      assert.match(called, new RegExp(`--resume ${broken.sessionId}`));
    });
  });

  it('rewinds the files of another session, and takes that back', async () => {
    const before = await readAll();
    await openFromList(history.title);
    await tabTo(page().getByRole('button', { name: 'Rewind…' }));
    await press('Enter');
    await window.tab(`Rewind: ${history.title}`).waitFor();
    await tabTo(page().getByRole('button', { name: /^Go back to before:/ }));
    await press('Enter');
    const choice = page().getByRole('menuitemradio', { name: DRAW });
    await tabTo(choice, 'ArrowDown');
    await press('Enter');
    await tabTo(page().getByRole('button', { name: /^Rewind \d+ Files$/ }));
    await press('Enter');
    await page()
      .getByText(/^Rewound \d+ files/)
      .waitFor();
    assert.notDeepEqual(await readAll(), before);
    await tabTo(page().getByRole('button', { name: 'Undo' }));
    await press('Enter');
    await page()
      .getByText(/^The rewind was undone/)
      .waitFor();
    assert.deepEqual(await readAll(), before);
  });
});
