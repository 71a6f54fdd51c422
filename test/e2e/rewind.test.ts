import assert from 'node:assert/strict';
import { access, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addDemoHistory, HISTORY_PROMPTS } from '../../scripts/demoHistory.mjs';
import { ConversationWindow } from './conversationWindow';
import type { Workbench } from './workbench';

/** Stands in for Claude Code: prints how it was called. */
const CLAUDE =
  '#!/bin/sh\n[ "$1" = --version ] && echo "2.1.330 (Claude Code)" && exit\necho "$PWD|$*|${CLAUDE_CONFIG_DIR-none}" >> "$HOME/called"\n';
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
  const press = (button: string) => window.dialog().getByRole('button', { name: button, exact: true }).click();
  const accept = () => window.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();

  before(async function () {
    const prepare = async (folder: string, sessions: { configDir: string; workspace: string }) => {
      [home, workspace] = [folder, sessions.workspace];
      session = await addDemoHistory(folder, sessions);
      const bin = join(folder, 'bin');
      await mkdir(bin);
      await writeFile(join(bin, 'claude'), CLAUDE);
      await chmod(join(bin, 'claude'), 0o755);
      // The server takes the PATH of a login shell, which sets its own first.
      for (const name of ['.bash_profile', '.bashrc', '.profile'])
        await writeFile(join(folder, name), `export PATH='${bin}':"$PATH"\n`);
      return {};
    };
    demo = opened = await ConversationWindow.open(this, prepare, SETTINGS);
    window = demo.window;
    const path = `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`;
    await demo.settings({ 'terminal.integrated.env.linux': { PATH: path } });
    await window.page.setViewportSize({ width: 1400, height: 860 });
    original = await readAll();
  });

  afterEach(function () {
    return opened?.shootFailure(this.currentTest);
  });

  after(() => opened?.close());

  it('list the prompts with checkpoints, and the changes of each', async () => {
    await demo.openFromTree(session.title);
    await window.runCommand('Rethread: Rewind Files…');
    await window.quickPick(DRAW).filter({ hasText: '+7 −18 in 5 files' }).waitFor();
    await demo.shoot('rewind-checkpoints');
  });

  it('show a diff of each file, and what would not be restored, before the files are chosen', async () => {
    await window.quickPick(DRAW).click();
    await window.quickPick('rainChart.ts').filter({ hasText: 'is deleted' }).waitFor();
    await window.tab('Rewind to before').first().waitFor();
    const report = window.page.locator('.monaco-editor', { hasText: 'What this does not bring back' });
    await report.getByText('npm run build -- --all').waitFor();
    await report.getByText('was changed after Claude').waitFor();
    for (const { name, wanted, mark } of THEMES) {
      await window.page.emulateMedia(wanted);
      await window.page.locator(`.monaco-workbench.${mark}`).waitFor();
      await window.quiet();
      await demo.shoot(`rewind-preview-${name}`);
    }
    assert.deepEqual(await readAll(), original);
  });

  it('rewind the files that are still checked, once the last question is answered', async () => {
    await window.quickPick('notes.md').getByRole('checkbox').click();
    // It cannot be checked.
    await window.quickPick('latest.md').click();
    await window.page.locator('.quick-input-count', { hasText: '4' }).waitFor();
    await accept();
    assert.match(await window.dialog().innerText(), /Rewind 4 files to before/);
    assert.match(
      await window.dialog().innerText(),
      /2 files were changed by hand since[^]+Not covered: Commands that ran since \(3\), Files outside/,
    );
    await window.screenshot(join(process.env['RETHREAD_SCREENSHOTS'] ?? 'out/screenshots', 'rewind-question.png'));
    await press('Rewind');
    await window.notification('Rewound 4 files to before').waitFor();
    await demo.articles().first().waitFor();
    await demo.shoot('rewound');
    const [notes, format, gauge, rain, chart] = await readAll();
    assert.equal(notes, original[0]);
    assert.match(format ?? '', /toFixed\(1\)} mm`/);
    assert.match(gauge ?? '', /funnelCm2/);
    assert.match(rain ?? '', /rainByHour[^]+TIP_MM/);
    assert.equal(chart, null);
    assert.equal(await readFile(session.outside, 'utf8'), 'name = roof\nunits = long\n');
  });

  it('restore every file with Undo Rewind, also in a reloaded window', async () => {
    await window.reload();
    await window.treeItem(session.title).waitFor();
    // A page that has just loaded takes the focus, which closes a menu.
    await demo.articles().first().waitFor();
    await window.quiet();
    await window.treeItem(session.title).click({ button: 'right' });
    await window.page.getByRole('menuitem', { name: 'Undo Rewind' }).waitFor();
    await window.quiet();
    await window.screenshot(join(process.env['RETHREAD_SCREENSHOTS'] ?? 'out/screenshots', 'rewind-menu.png'));
    await window.page.getByRole('menuitem', { name: 'Undo Rewind' }).click();
    assert.match(await window.dialog().innerText(), /Undo the rewind/);
    await press('Undo Rewind');
    await window.statusItem('The rewind was undone: 4 files').waitFor();
    assert.deepEqual(await readAll(), original);
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
    await window.conversation().getByRole('menuitem', { name: 'Fork from here' }).click();
    await window.quickPick('Before this prompt').waitFor();
    await demo.shoot('fork-before');
    await window.quickPick('Before this prompt').click();
    const message = window.notification('Forked “Draw the rain of a day”: Claude will load 4 of 4 messages.');
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
    assert.match(await window.dialog().innerText(), /Enable checkpoints in “weather-station”/);
    await window.screenshot(join(process.env['RETHREAD_SCREENSHOTS'] ?? 'out/screenshots', 'enable-checkpoints.png'));
    await assert.rejects(access(settings));
    await press('Enable');
    await window.notification('Checkpoints are on in “weather-station”').waitFor();
    assert.match(await readFile(settings, 'utf8'), /checkpoint\.sh'? checkpoint --hook/);
    await window.runCommand('Rethread: Disable Checkpoints…');
    await press('Disable');
    await window.notification('Checkpoints are off in “weather-station”').waitFor();
    await assert.rejects(access(settings));
  });
});

async function eventually<T>(look: () => Promise<T>): Promise<T> {
  const end = Date.now() + 20_000;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
