import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoSession } from '../../../scripts/demoSessions.mjs';
import { ConversationWindow } from '../conversationWindow';
import type { Workbench } from '../workbench';

const PROJECTS = 20;
const SESSIONS_OF_PROJECT = 30;
const DAY_MS = 86_400_000;
/** The window has drawn what follows from a click. */
const SETTLED_MS = 500;

/** Projects beside those of the demo, so that the list is long. */
async function writeManySessions(configDir: string): Promise<void> {
  for (let p = 0; p < PROJECTS; p++) {
    const cwd = `/work/harbour-${p}`;
    const folder = join(configDir, 'projects', cwd.replaceAll('/', '-'));
    await mkdir(folder, { recursive: true });
    for (let s = 0; s < SESSIONS_OF_PROJECT; s++) {
      const sessionId = `00000000-0000-4000-8${String(p).padStart(3, '0')}-${String(s).padStart(12, '0')}`;
      const timestamp = new Date(Date.now() - (p + s) * DAY_MS).toISOString();
      const row = {
        ...{ type: 'user', uuid: crypto.randomUUID(), parentUuid: null, isSidechain: false, sessionId, timestamp, cwd },
        ...{
          version: '2.1.330',
          message: { role: 'user', content: s === 0 ? `Light the pier of harbour ${p}` : `Dredge berth ${s}` },
        },
      };
      await writeFile(join(folder, `${sessionId}.jsonl`), `${JSON.stringify(row)}\n`);
    }
  }
}

const FORK_TITLE = 'Plan it another way';

/** A fork of a session, as the client writes one, and what the client remembers of its project. */
async function writeForkAndMemory({ filePath, sessionId }: DemoSession): Promise<void> {
  const forkId = 'f0f0f0f0-0000-4000-8000-000000000000';
  const rows = (await readFile(filePath, 'utf8')).trimEnd().split('\n');
  const copies = rows.flatMap((line) => {
    // SAFETY: rows of a transcript are objects.
    const row = JSON.parse(line) as Record<string, unknown>;
    if (typeof row['uuid'] !== 'string') return [];
    return [{ ...row, sessionId: forkId, forkedFrom: { sessionId, messageUuid: row['uuid'] } }];
  });
  const title = { type: 'custom-title', customTitle: FORK_TITLE, sessionId: forkId };
  const text = [...copies, title].map((row) => `${JSON.stringify(row)}\n`).join('');
  await writeFile(join(dirname(filePath), `${forkId}.jsonl`), text);
  await mkdir(join(dirname(filePath), 'memory'));
  await writeFile(join(dirname(filePath), 'memory/MEMORY.md'), '# What the station measures\n');
}

describe('The list of sessions, in a window', () => {
  let opened: ConversationWindow | undefined;
  let demo: ConversationWindow;
  let window: Workbench;
  const message = () => window.page.locator('.sidebar .tree-explorer-viewlet-tree-view .message').first();
  const labels = () => window.page.locator('.sidebar .monaco-list-row .label-name').allInnerTexts();
  /** What begins with an age behind a title, as far as VS Code did not cut it off. A selected item also has buttons. */
  const agesShown = () =>
    window.page.locator('.sidebar .monaco-list-row:not(.selected)').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const text = row.querySelector('.label-description')?.firstChild;
        const box = row.querySelector('.monaco-icon-label-container');
        const age = text?.textContent?.split(' · ')[0] ?? '';
        if (!text || !box || !/^(?:now|\d+[mhdwy])$/.test(age)) return [];
        const range = document.createRange();
        range.setStart(text, 0);
        range.setEnd(text, age.length);
        // The mark of what is cut off takes the place of what would still fit.
        const isCut = box.scrollWidth > box.clientWidth;
        const mark = isCut ? Number.parseFloat(getComputedStyle(box).fontSize) : 0;
        return [
          {
            row: row.textContent,
            age,
            isWhole: range.getBoundingClientRect().right + mark <= box.getBoundingClientRect().right + 1,
          },
        ];
      }),
    );
  const expand = async (label: string): Promise<void> => {
    await window.treeItem(label).first().click();
    await window.page.keyboard.press('ArrowRight');
  };
  const until = async (isTrue: () => Promise<boolean>, what: string): Promise<void> => {
    for (let times = 0; !(await isTrue()); times++) {
      if (times > 200) throw new Error(`Failed to see ${what}: ${(await labels()).join(', ')}`);
      await window.page.waitForTimeout(50);
    }
  };

  before(async function () {
    demo = opened = await ConversationWindow.open(this, async (_home, { configDir, sessions }) => {
      await writeManySessions(configDir);
      const planned = sessions.find(({ title }) => title === 'Plan the next release');
      if (planned !== undefined) await writeForkAndMemory(planned);
      return {};
    });
    window = demo.window;
    await window.activity('Rethread').click();
    await window.treeItem('Add a rain sensor').waitFor();
  });

  afterEach(function () {
    return opened?.shootFailure(this.currentTest);
  });

  after(() => opened?.close());

  it('is filtered by each letter that is typed, expands what was found, and says what is shown', async () => {
    await window.runCommand('Rethread: Filter Sessions');
    await window.quickInput().fill('pier light');
    await message()
      .getByText(/Filtered: “pier light” · 20 of 6\d\d/)
      .waitFor();
    await window.treeItem(/^Light the pier of harbour 3/).waitFor();
    await window.quickInput().fill('rain sensor');
    await message()
      .getByText(/Filtered: “rain sensor” · 1 of 6\d\d/)
      .waitFor();
    await until(
      async () => (await labels()).filter((label) => label !== '').join() === 'weather-station,Add a rain sensor',
      'one hit',
    );
    await window.page.keyboard.press('Enter');
  });

  it('keeps the filter over a reload, and shows everything again without it', async () => {
    await window.quiet();
    await window.reload();
    await message()
      .getByText(/Filtered: “rain sensor” · 1 of 6\d\d/)
      .waitFor();
    assert.equal(await window.treeItem('Plan the next release').count(), 0);
    await window.runCommand('Rethread: Clear Filter');
    await window.treeItem('Plan the next release').waitFor();
  });

  it('is filtered by a text that Enter follows at once, although a project has that name', async () => {
    await window.runCommand('Rethread: Filter Sessions');
    await window.quickInput().waitFor();
    await window.page.keyboard.insertText('weather');
    await window.page.keyboard.press('Enter');
    await message()
      .getByText(/Filtered: “weather” · \d+ of 6\d\d/)
      .waitFor();
    await window.quickInput().waitFor({ state: 'hidden' });
    await window.runCommand('Rethread: Clear Filter');
    await window.treeItem('Plan the next release').waitFor();
  });

  it('is filtered by what sessions are, in the same list', async () => {
    await window.runCommand('Rethread: Filter Sessions');
    await window.quickPick('Broken').first().click();
    await message()
      .getByText(/Filtered: broken · \d of 6\d\d/)
      .waitFor();
    await window.quickPick('This Folder Only').click();
    await message()
      .getByText(/Filtered: broken, this folder only · \d of 6\d\d/)
      .waitFor();
    await demo.shoot('list-filter-marks');
    await window.page.keyboard.press('Escape');
    await window.runCommand('Rethread: Clear Filter');
    await window.treeItem('Plan the next release').waitFor();
  });

  it('is grouped by date and sorted, and goes back to projects', async () => {
    await window.choose('Rethread: Sort and Group Sessions', 'Today, yesterday');
    await window.treeItem(/^Last 7 Days/).waitFor();
    await demo.shoot('list-dates');
    await window.choose('Rethread: Sort and Group Sessions', 'of the transcript');
    await window.choose('Rethread: Sort and Group Sessions', 'The folders of this window');
    await window.treeItem('Plan the next release').waitFor();
    await window.choose('Rethread: Sort and Group Sessions', 'counting them takes a while');
    await window.choose('Rethread: Sort and Group Sessions', 'Last Activity');
    // The list moves once more when the tokens are counted.
    await window.quiet();
  });

  it('shows the age of each session whole in a side bar of 220 pixels, by project and by date', async () => {
    const sideBar = window.page.locator('.part.sidebar');
    const width = async (): Promise<number> => (await sideBar.boundingBox())?.width ?? 0;
    const before = await width();
    await window.widenSideBar(220 - before);
    assert.equal(await width(), 220);
    for (const [order, title] of [
      ['Today, yesterday', /^Last 7 Days/],
      ['The folders of this window', 'Plan the next release'],
    ] as const) {
      await window.choose('Rethread: Sort and Group Sessions', order);
      await window.treeItem(title).waitFor();
      await until(
        async () => /^Plan the n\w*…/.test(await window.treeItem('Plan the next').innerText()),
        'a cut title',
      );
      await window.movePointerAway();
      const ages = await agesShown();
      assert.ok(ages.filter(({ age }) => /^(?:now|\d+[mhdwy])$/.test(age)).length > 5, JSON.stringify(ages));
      assert.deepEqual(
        ages.filter(({ isWhole }) => !isWhole),
        [],
      );
      await demo.shoot(`list-narrow-${order.startsWith('Today') ? 'dates' : 'projects'}`);
    }
    await window.widenSideBar(before - 220);
  });

  it('shows more of the titles in a wider side bar, with the ages whole', async () => {
    const planned = window.treeItem('Plan the next release');
    await until(async () => (await planned.innerText()).startsWith('Plan the next release'), 'a longer title');
    await window.movePointerAway();
    const ages = await agesShown();
    assert.ok(ages.length > 5, JSON.stringify(ages));
    assert.deepEqual(
      ages.filter(({ isWhole }) => !isWhole),
      [],
    );
    await demo.shoot('list-wide');
  });

  it('has pinned sessions on top until they are unpinned', async () => {
    await window.treeItem('Plan the next release').click({ button: 'right' });
    await window.chooseMenuItem('Pin');
    await window.treeItem(/^Pinned/).waitFor();
    await until(async () => (await window.treeItem('Plan the next release').count()) === 2, 'it in both places');
    const below = window.treeItem('Plan the next release').nth(1);
    await until(async () => (await below.innerText()).includes('pinned'), 'that it is pinned, below its project');
    await demo.shoot('list-pinned');
    const item = window.treeItem('Plan the next release').first();
    await item.hover();
    await item.getByRole('button', { name: 'Unpin' }).click();
    await window.treeItem(/^Pinned/).waitFor({ state: 'detached' });
  });

  it('keeps the first session selected when a second one is added, whichever of them is broken', async () => {
    const selected = window.page.locator('.sidebar .monaco-list-row.selected');
    for (const titles of [
      ['Add a rain sensor', 'Explain the radio protocol'],
      ['Explain the radio protocol', 'Add a rain sensor'],
    ]) {
      const [first, second] = titles.map((title) => window.treeItem(title).first());
      await first?.click();
      await until(async () => (await selected.count()) === 1, 'one session');
      await demo.articles().first().waitFor();
      await second?.click({ modifiers: ['ControlOrMeta'] });
      await sleep(SETTLED_MS);
      assert.equal(await selected.count(), 2, titles.join(', then '));
    }
  });

  it('offers the repair of several sessions of which one is broken', async () => {
    await window.treeItem('Explain the radio protocol').first().click();
    const broken = window.treeItem('Add a rain sensor').first();
    await broken.click({ modifiers: ['ControlOrMeta'] });
    await broken.click({ button: 'right' });
    await window.chooseMenuItem('Repair Session…');
    await window.page.getByPlaceholder('Choose the sessions to repair. Each gets a backup first.').waitFor();
    await window.page.keyboard.press('Escape');
  });

  it('shows forks and subagents below their sessions, and the memory of a project below it', async () => {
    await expand('Plan the next release');
    const fork = window.treeItem(FORK_TITLE);
    await until(async () => (await fork.count()) === 2, 'the fork below its session');
    // Its messages are 95 minutes old, and it was made just now.
    assert.match(await fork.first().innerText(), /now|\dm/);
    await expand('Show the wind on a map');
    await until(async () => (await window.page.locator('.sidebar .codicon-hubot').count()) > 0, 'a subagent');
    await expand('Memory, 1 file');
    await demo.shoot('list-children');
    await window.treeItem(/^MEMORY\.md/).click();
    await window.tab('MEMORY.md').waitFor();
    await window.page
      .locator('.sidebar .monaco-list-row', { has: window.page.locator('.codicon-hubot') })
      .first()
      .click();
    await demo.articles().first().waitFor();
  });
});
