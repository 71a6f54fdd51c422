import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { startCodeServer, type CodeServer } from '../../scripts/codeServer.mjs';
import { createDemoSessions, type DemoSession } from '../../scripts/demoSessions.mjs';
import { installVscode } from '../../scripts/setupVscode.mjs';
import { NEWEST } from '../../scripts/vscodeReleases.mjs';
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
      await window.treeItem('recipe-box').click();
      await window.treeItem(/^Import recipes from text files, broken, loads 8 of 28/).waitFor();
      await window.treeItem(broken.title).click();
      // A page that is loading would take the pointer away from the border.
      await window.conversation().getByRole('article').first().waitFor();
      await window.widenSideBar(140);
      await shoot('sessions-corrupted');
    });

    it('shows in the tooltip of a session what Claude remembers of it', async () => {
      await window.treeItem(broken.title).hover();
      await window
        .hover()
        .getByText(/Claude remembers \d+ of \d+ messages, as Claude Code [\d.]+ reads it\./)
        .waitFor();
      await shoot('session-tooltip');
      await window.movePointerAway();
    });

    it('shows every edit before it repairs, and changes nothing when the person declines', async () => {
      await window.choose('Rethread: Repair Session…', broken.title);
      assert.match(await window.dialog().innerText(), /28 of 28 messages instead of 9/);
      await window.dialog().getByRole('button', { name: 'Cancel' }).click();
      assert.match(await window.editorText(), /-\s+parentUuid:.+\n\+\s+parentUuid:/);
      await shoot('repair-preview');
      assert.ok(original.equals(await readFile(broken.filePath)));
    });

    it('repairs the transcript when the person agrees, and updates the tree', async () => {
      await window.editorAction('Repair Session…').click();
      await window.dialog().getByRole('button', { name: 'Repair' }).click();
      await window.notification('Repaired: Claude will load 28 of 28 messages.').waitFor();
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
      await window.choose('Rethread: Undo Repair', broken.title);
      await window.treeItem(new RegExp(`^${broken.title}, broken`)).waitFor();
      await window.statusItem('1 Claude Code session of this window is broken').waitFor();
      assert.ok(original.equals(await readFile(broken.filePath)));
    });
  });
}

/** What Claude Code will load, as reported by the command line. */
async function resumeCounts({ filePath }: DemoSession): Promise<{ loads: number; of: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/cli.js', 'scan', filePath, '--json']);
  // SAFETY: the contract of `scan --json`.
  const { sessions } = JSON.parse(stdout) as { sessions: { resume: { loads: number; of: number } }[] };
  const { loads = -1, of = -1 } = sessions[0]?.resume ?? {};
  return { loads, of };
}
