import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addDemoHistory, HISTORY_PROMPTS } from '../../scripts/demoHistory.mjs';
import { ConversationWindow } from './conversationWindow';
import { eventually } from './eventually';
import { installStandIn, preferStandIn } from './standInClient';
import type { Workbench } from './workbench';

const [, DRAW] = HISTORY_PROMPTS;
const FILES = ['docs/notes.md', 'src/format.ts', 'src/oldGauge.ts', 'src/rain.ts', 'src/rainChart.ts'] as const;
/** As requested by the desktop. */
const THEMES = [
  { name: 'light', wanted: { colorScheme: 'light' }, mark: 'vs' },
  { name: 'high-contrast', wanted: { colorScheme: 'dark', forcedColors: 'active' }, mark: 'hc-black' },
  { name: 'dark', wanted: { colorScheme: 'dark', forcedColors: 'none' }, mark: 'vs-dark' },
] as const;
const SETTINGS = {
  'window.autoDetectColorScheme': true,
  'window.autoDetectHighContrast': true,
  'workbench.preferredLightColorTheme': 'Default Light Modern',
  'workbench.preferredDarkColorTheme': 'Default Dark Modern',
};

describe('Forks and rewinds, in a window', () => {
  let opened: ConversationWindow | undefined;
  let demo: ConversationWindow;
  let window: Workbench;
  let home = '';
  let workspace = '';
  let session: Awaited<ReturnType<typeof addDemoHistory>>;
  /** The files as people left them; null for one that does not exist. */
  let original: readonly (string | null)[] = [];
  const read = (path: string): Promise<string | null> => readFile(join(workspace, path), 'utf8').catch(() => null);
  const readAll = () => Promise.all(FILES.map(read));
  /** The page of the rewind, which is the active editor. */
  const rewindPage = () => window.conversation();
  const box = (file: string) => rewindPage().getByRole('checkbox', { name: file });
  const button = (name: string | RegExp) => rewindPage().getByRole('button', { name });

  before(async function () {
    const prepare = async (folder: string, sessions: { configDir: string; workspace: string }) => {
      [home, workspace] = [folder, sessions.workspace];
      session = await addDemoHistory(folder, sessions);
      await installStandIn(folder);
      return {};
    };
    demo = opened = await ConversationWindow.open(this, prepare, SETTINGS);
    window = demo.window;
    await preferStandIn(demo, home);
    await window.page.setViewportSize({ width: 1400, height: 860 });
    original = await readAll();
  });

  afterEach(function () {
    return opened?.shootFailure(this.currentTest);
  });

  after(() => opened?.close());

  it('open a page with the prompts that have checkpoints, and the changes of each', async () => {
    await demo.openFromTree(session.title);
    await window.runCommand('Rethread: Rewind Files…');
    await window.tab(`Rewind: ${session.title}`).waitFor();
    await button(/^Go back to before:/).click();
    const menu = rewindPage().getByRole('menu');
    for (const prompt of HISTORY_PROMPTS) await menu.getByText(prompt).waitFor();
    await demo.shoot('rewind-checkpoints');
    await menu.getByRole('menuitemradio', { name: DRAW }).filter({ hasText: '+7 −18 in 5 files' }).click();
    await button('Rewind 5 Files').waitFor();
    assert.deepEqual(await readAll(), original);
  });

  it('show the diff of each file, and what would not be restored', async () => {
    const notRestored = rewindPage().getByRole('region', { name: 'Not covered by checkpoints' });
    await notRestored.getByRole('button', { name: /^Show all/ }).click();
    await notRestored.getByText('npm run build -- --all').waitFor();
    await notRestored
      .getByText(/was changed after Claude/)
      .first()
      .waitFor();
    await notRestored.getByRole('button', { name: 'Show less' }).click();
    assert.equal(await box('station.conf').isChecked(), false);
    await box('rain.ts').click();
    await rewindPage()
      .getByRole('region', { name: 'What changes in src/rain.ts' })
      .getByText('TIP_MILLIMETRES')
      .first()
      .waitFor();
    for (const { name, wanted, mark } of THEMES) {
      await window.page.emulateMedia(wanted);
      await window.page.locator(`.monaco-workbench.${mark}`).waitFor();
      await window.quiet();
      await demo.shoot(`rewind-preview-${name}`);
    }
    assert.deepEqual(await readAll(), original);
  });

  it('open a diff in VS Code’s own editor, and come back with the same boxes', async () => {
    await box('notes.md').press(' ');
    await button('Rewind 4 Files').waitFor();
    await box('rain.ts').click();
    await button('Open in Diff Editor').click();
    await window.tab('rain.ts: rewind to before').waitFor();
    await window.page.locator('.monaco-diff-editor').first().waitFor();
    await window.tab(`Rewind: ${session.title}`).click();
    await button('Rewind 4 Files').waitFor();
    assert.equal(await box('notes.md').isChecked(), false);
  });

  it('rewind the files that are still checked, without any question', async () => {
    // It cannot be checked.
    await box('latest.md').press(' ');
    assert.equal(await box('latest.md').isChecked(), false);
    await button('Rewind 4 Files').click();
    await rewindPage().getByText('Rewound 4 files to before').waitFor();
    assert.equal(await window.dialog().count(), 0);
    assert.equal(await window.notification('').count(), 0);
    await demo.shoot('rewound');
    const [notes, format, gauge, rain, chart] = await readAll();
    assert.equal(notes, original[0]);
    assert.match(format ?? '', /toFixed\(1\)} mm`/);
    assert.match(gauge ?? '', /funnelCm2/);
    assert.match(rain ?? '', /rainByHour[^]+TIP_MM/);
    assert.equal(chart, null);
    assert.equal(await readFile(session.outside, 'utf8'), 'name = roof\nunits = long\n');
  });

  it('come back to Undo after a reload of the window, and plan again when a prompt is chosen', async () => {
    await window.reload();
    await window.tab(`Rewind: ${session.title}`).waitFor();
    await rewindPage().getByText('The latest rewind was made').waitFor();
    await button('Undo Rewind').waitFor();
    await button(/^Go back to before/).click();
    await rewindPage()
      .getByRole('menu')
      .getByRole('menuitemradio', { name: DRAW })
      .filter({ hasText: 'in 1 file' })
      .click();
    await button('Rewind 1 File').waitFor();
    await box('notes.md').waitFor();
  });

  it('come back to the plan after a reload of the window, and look at the files anew', async () => {
    await window.reload();
    await window.tab(`Rewind: ${session.title}`).waitFor();
    await button('Rewind 1 File').waitFor();
    await box('notes.md').waitFor();
  });

  it('restore every file with Undo Rewind, also in a reloaded window', async () => {
    await window.treeItem(session.title).waitFor();
    await window.quiet();
    await window.treeItem(session.title).click({ button: 'right' });
    await window.page.getByRole('menuitem', { name: 'Undo Rewind' }).waitFor();
    await window.quiet();
    await window.screenshot(join(process.env['RETHREAD_SCREENSHOTS'] ?? 'out/screenshots', 'rewind-menu.png'));
    await window.chooseMenuItem('Undo Rewind');
    await rewindPage().getByText('The latest rewind was made').waitFor();
    await demo.shoot('rewind-undo');
    await button('Undo Rewind').click();
    await rewindPage().getByText('The rewind was undone: 4 files').waitFor();
    assert.equal(await window.dialog().count(), 0);
    assert.deepEqual(await readAll(), original);
  });

  it('undo a rewind right after it, from a prompt of the conversation on', async () => {
    await window.runCommand('View: Close Editor');
    await demo.openFromTree(session.title);
    const prompt = demo.articles().filter({ hasText: DRAW }).first();
    await window.conversation().getByRole('button', { name: 'Prompts' }).click();
    await window
      .conversation()
      .getByRole('option', { name: DRAW })
      .or(window.conversation().getByText(DRAW))
      .first()
      .click();
    await prompt.hover();
    await prompt.getByRole('button', { name: 'More actions' }).click();
    await window.conversation().getByRole('menuitem', { name: 'Rewind to Here' }).click();
    await button('Rewind 5 Files').click();
    await button('Undo').click();
    await rewindPage().getByText('The rewind was undone: 5 files').waitFor();
    assert.deepEqual(await readAll(), original);
    await window.runCommand('View: Close Editor');
  });

  it('offer to fork from the end, and from every prompt', async () => {
    await demo.openFromTree(session.title);
    await window.runCommand('Rethread: Fork Session…');
    for (const prompt of HISTORY_PROMPTS) await window.quickPick(prompt).waitFor();
    await window.quickPick('From the end').waitFor();
    await demo.shoot('fork-session');
    await window.page.keyboard.press('Escape');
    await window.quickInput().waitFor({ state: 'hidden' });
  });

  it('fork a session at a row of its panel, and show what Claude will load', async () => {
    const prompt = demo.articles().filter({ hasText: DRAW });
    await window.conversation().getByRole('button', { name: 'Prompts' }).click();
    await window
      .conversation()
      .getByRole('option', { name: DRAW })
      .or(window.conversation().getByText(DRAW))
      .first()
      .click();
    await prompt.first().hover();
    await prompt.first().getByRole('button', { name: 'More actions' }).click();
    await window.quiet();
    await demo.shoot('fork-row');
    await window.conversation().getByRole('menuitem', { name: 'Fork From Here' }).click();
    await window.quickPick('Before this prompt').waitFor();
    await demo.shoot('fork-before');
    await window.quickPick('Before this prompt').click();
    const message = window.notification('Forked “Draw the rain of a day”: Claude remembers all 3 messages.');
    await message.waitFor();
    await window.treeItem('Draw the rain of a day (fork)').waitFor();
    await demo.shoot('forked');
    await message.getByRole('button', { name: 'Resume in Terminal' }).click();
  });

  it('resume the fork in a terminal in its folder, with its id as the only argument', async () => {
    const called = await eventually(async () => {
      const text = await readFile(join(home, 'called'), 'utf8');
      assert.ok(text.endsWith('\n'));
      return text;
    });
    const [cwd, command, configDir] = called.trim().split('|');
    assert.equal(cwd, workspace);
    assert.match(command ?? '', /^--resume [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(configDir, 'none');
    await access(join(dirname(session.filePath), `${command?.split(' ')[1] ?? ''}.jsonl`));
    await window.quiet();
    await demo.shoot('resumed-in-terminal');
  });

  it('let Claude Code keep checkpoints after the change of the settings was shown', async () => {
    const settings = join(workspace, '.claude/settings.local.json');
    await window.runCommand('Rethread: Enable Checkpoints…');
    const enable = window.notification('Enable checkpoints in “weather-station”?');
    await enable.waitFor();
    await window.screenshot(join(process.env['RETHREAD_SCREENSHOTS'] ?? 'out/screenshots', 'enable-checkpoints.png'));
    await assert.rejects(access(settings));
    await enable.getByRole('button', { name: 'Enable', exact: true }).click();
    await window.notification('Checkpoints are on in “weather-station”').waitFor();
    assert.match(await readFile(settings, 'utf8'), /checkpoint\.sh'? checkpoint --hook/);
    await window.runCommand('Rethread: Disable Checkpoints…');
    const disable = window.notification('Disable checkpoints in “weather-station”?');
    await disable.getByRole('button', { name: 'Disable', exact: true }).click();
    await window.notification('Checkpoints are off in “weather-station”').waitFor();
    await assert.rejects(access(settings));
  });
});
