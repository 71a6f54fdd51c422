import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { startCodeServer, type CodeServer } from '../../scripts/codeServer.mjs';
import { createDemoSessions, type DemoSession } from '../../scripts/demoSessions.mjs';
import { installVscode } from '../../scripts/setupVscode.mjs';
import { NEWEST } from '../../scripts/vscodeReleases.mjs';
import { withRefusedPrompt } from '../support/poisonCases';
import { launchChromium } from '../support/launchChromium';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { temporaryFolder } from '../support/temporaryFolder';
import { Workbench } from './workbench';

/** `npm run screenshots` names media/screenshots; an ordinary run leaves the checkout unchanged. */
const SCREENSHOTS = process.env['RETHREAD_SCREENSHOTS'] ?? 'out/screenshots';

for (const theme of ['dark', 'light'] as const) {
  describe(`The packaged extension, in a window with the ${theme} theme`, () => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined;
    let server: CodeServer | undefined;
    let browser: Browser | undefined;
    let window: Workbench;
    /** The two broken sessions of the open folder. */
    let broken: DemoSession;
    let other: DemoSession;
    let original: Buffer;
    let demo: Awaited<ReturnType<typeof createDemoSessions>>;
    const shoot = (name: string): Promise<void> => window.screenshot(join(SCREENSHOTS, `${name}-${theme}.png`));

    before(async function () {
      const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
      browser = await skipWhenUnavailable(this, launchChromium);
      folder = await temporaryFolder();
      demo = await createDemoSessions(join(folder.path, 'home'));
      [broken, other] = demo.sessions.filter(({ damage }) => damage) as [DemoSession, DemoSession];
      original = await readFile(broken.filePath);
      server = await startCodeServer({
        installation,
        folder: join(folder.path, 'server'),
        vsix: 'rethread.vsix',
        settings: {
          'workbench.colorTheme': theme === 'dark' ? 'Default Dark Modern' : 'Default Light Modern',
          'editor.minimap.enabled': false,
          'editor.occurrencesHighlight': 'off',
        },
        // Its sessions are in ~/.claude, the default folder.
        env: { HOME: join(folder.path, 'home'), CLAUDE_CONFIG_DIR: undefined },
      });
      window = await Workbench.open(browser, server.url(demo.workspace));
    });

    afterEach(async function () {
      if (!this.currentTest?.isFailed()) return;
      await window.screenshot(
        join('out/screenshots', `failed-${theme}-${this.currentTest.title.replace(/\W+/g, '-')}.png`),
      );
    });

    after(async () => {
      await browser?.close();
      await server?.stop();
      folder?.remove();
    });

    it('shows in the status bar how many sessions of the window are broken, before any view is opened', async () => {
      const item = window.statusItem('2 Claude Code sessions of this window are broken');
      assert.equal((await item.innerText()).trim(), '2 broken');
      assert.match((await window.activity('Rethread').getAttribute('aria-label')) ?? '', /2 .+ broken/);
    });

    it('lists the sessions of all projects, those of the open folder first', async () => {
      await window.statusItem('broken').click();
      for (const { title } of demo.sessions.slice(0, 4)) await window.treeItem(title).waitFor();
      const [first, second] = await window.treeItem(/weather-station|recipe-box/).allTextContents();
      assert.match(first ?? '', /weather-station/);
      assert.match(second ?? '', /recipe-box/);
      // A second try finds it expanded.
      const project = window.treeItem('recipe-box');
      if ((await project.getAttribute('aria-expanded')) === 'false') await project.click();
      await window.treeItem(/^Import recipes from text files, broken/).waitFor();
      await window.treeItem(broken.title).click();
      await window.conversation().getByRole('article').first().waitFor();
      await window.movePointerAway();
      await shoot('sessions-corrupted');
    });

    it('shows in the tooltip of a session what Claude remembers of it', async () => {
      await window.showTooltip(
        window.treeItem(broken.title),
        /Claude remembers \d+ of \d+ messages, as Claude Code [\d.]+ reads it\./,
      );
      await shoot('session-tooltip');
      await window.movePointerAway();
    });

    it('lists all broken sessions, those of the window first, and repairs none that is not chosen', async () => {
      await window.runCommand('Rethread: Repair All Broken Sessions…');
      for (const title of [broken.title, other.title, 'Import recipes']) await window.quickPick(title).waitFor();
      await shoot('repair-all');
      await window.page.keyboard.press('Escape');
      await window.quickPick(broken.title).waitFor({ state: 'hidden' });
      assert.ok(original.equals(await readFile(broken.filePath)));
    });

    it('leads to the break of the conversation, and shows every edit there before it repairs', async () => {
      // It applies to the conversation that has the focus.
      await window.runCommand('Rethread: Repair Session…');
      const reconnect = window.conversation().getByRole('button', { name: 'Reconnect' });
      await reconnect.and(window.conversation().locator(':focus')).waitFor();
      await window.page.keyboard.press('Tab');
      await window.page.keyboard.press('Enter');
      const change = window.conversation().getByLabel('The change');
      assert.match(await change.innerText(), /-\s+parentUuid:.+\n\+\s+parentUuid:/);
      await shoot('repair-offer');
      assert.ok(original.equals(await readFile(broken.filePath)));
    });

    it('reconnects the transcript, leaves a seam, and updates the tree', async () => {
      await window.conversation().getByRole('button', { name: 'Reconnect' }).click();
      await window.conversation().locator('.seam-line', { hasText: 'Repaired' }).waitFor();
      await window.conversation().getByText('Claude remembers all 15 messages').waitFor();
      assert.equal(await window.conversation().getByText('cut or replaced').count(), 0);
      await shoot('repair-seam');
      await window.treeItem(new RegExp(`^${broken.title}, repaired`)).waitFor();
      await window.statusItem('1 Claude Code session of this window is broken').waitFor();
      assert.ok(!original.equals(await readFile(broken.filePath)));
      assert.deepEqual(await resumeCounts(broken), { loads: 28, of: 28 });
    });

    it('removes the badges when the last broken session of the window is repaired', async () => {
      await window.repairFromTree(other.title);
      await window.treeItem(new RegExp(`^${other.title}, repaired`)).waitFor();
      await window.statusItem('broken').waitFor({ state: 'detached' });
      assert.equal(await window.activity('Rethread').getAttribute('aria-label'), 'Rethread');
      await window.dismissNotifications();
      await window.movePointerAway();
      await shoot('sessions-repaired');
    });

    it('restores every byte with Undo Repair', async () => {
      await window.treeItem(broken.title).click();
      await window.conversation().getByText('Claude remembers all 15 messages').waitFor();
      await window.treeItem(broken.title).press('Enter');
      await window.runCommand('Rethread: Undo Repair');
      await window.treeItem(new RegExp(`^${broken.title}, broken`)).waitFor();
      await window.statusItem('1 Claude Code session of this window is broken').waitFor();
      assert.ok(original.equals(await readFile(broken.filePath)));
    });

    it('finds a session whose every prompt is refused, and mends it after showing the value before and after', async () => {
      const refused = await addRefusedSession(demo.sessions);
      const row = window.treeItem(new RegExp(`^${refused.title}, broken`));
      await row.click();
      await window.conversation().getByText('Claude’s API refuses every prompt').waitFor();
      await window.runCommand('Rethread: Repair Session…');
      const change = window.conversation().getByLabel('The change');
      assert.match(await change.innerText(), /-\s+message\.content\.\d\.input: "date"\n\+\s+.+: \{"value":"date"\}/);
      await shoot('repair-refused');
      await window.conversation().getByRole('button', { name: 'About this repair' }).click();
      await window.markdownPreview().getByRole('heading', { name: 'tool-input' }).waitFor();
      await window.conversation().getByRole('button', { name: 'Repair', exact: true }).click();
      await window.conversation().locator('.seam-line', { hasText: 'Repaired' }).waitFor();
      await window.treeItem(new RegExp(`^${refused.title}, repaired`)).waitFor();
      assert.match(await readFile(refused.filePath, 'utf8'), /"input":\{"value":"date"\}/);
    });
  });
}

/** Adds a session with a tool call that the API does not accept, and with a prompt that it has refused. */
async function addRefusedSession(sessions: readonly DemoSession[]): Promise<{ title: string; filePath: string }> {
  const title = 'Draw the wind rose';
  const sessionId = '77777777-7777-4777-8777-777777777777';
  const source = sessions.find((each) => each.title === 'Plan the next release');
  assert.ok(source !== undefined);
  const text = (await readFile(source.filePath, 'utf8')).replaceAll(source.sessionId, sessionId);
  const damaged = text.replace(/("type":"tool_use",(?:"[a-z]+":"[^"]*",)*"input":)\{[^{}]*\}/, '$1"date"');
  assert.notEqual(damaged, text);
  const named = damaged.replaceAll(source.title, title);
  const filePath = join(dirname(source.filePath), `${sessionId}.jsonl`);
  const shown = 'API Error: 400 messages.1.content.0.tool_use.input: Input should be a valid dictionary';
  await writeFile(filePath, withRefusedPrompt(named, shown));
  return { title, filePath };
}

/** What Claude Code will load, as reported by the command line. */
async function resumeCounts({ filePath }: DemoSession): Promise<{ loads: number; of: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/cli.js', 'scan', filePath, '--json']);
  // SAFETY: the contract of `scan --json`.
  const { sessions } = JSON.parse(stdout) as { sessions: { resume: { loads: number; of: number } }[] };
  const { loads = -1, of = -1 } = sessions[0]?.resume ?? {};
  return { loads, of };
}
