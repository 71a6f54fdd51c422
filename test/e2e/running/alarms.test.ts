import assert from 'node:assert/strict';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startCodeServer } from '../../../scripts/codeServer.mjs';
import { createDemoSessions } from '../../../scripts/demoSessions.mjs';
import { installVscode } from '../../../scripts/setupVscode.mjs';
import { NEWEST } from '../../../scripts/vscodeReleases.mjs';
import { launchChromium } from '../../support/launchChromium';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { StandIn } from './standIn';
import { Workbench } from '../workbench';

/** Where pictures are put; none if it is not set. */
const PICTURES = process.env['RETHREAD_PICTURES'];
const DAY_MS = 86_400_000;
/** Longer than it takes to tell an alarm again. */
const QUIET_MS = 10_000;

describe('Alarms, in a window', () => {
  it('are told once, filter the tree, and are dismissed for good', async function () {
    const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
    const browser = await skipWhenUnavailable(this, launchChromium);
    await withTemporaryFolder(async (folder) => {
      const { workspace, configDir, sessions } = await createDemoSessions(folder);
      const [first, second] = sessions.filter(
        ({ projectFolder, damage }) => projectFolder === workspace && damage === null,
      );
      if (first === undefined || second === undefined) throw new Error('Failed to find two demo sessions');
      // Its own, so that no alarm depends on when the demo was made.
      const agedMs = Date.now() - 27 * DAY_MS;
      await utimes(second.filePath, agedMs / 1000, agedMs / 1000);
      await mkdir(join(workspace, '.claude'), { recursive: true });
      await writeFile(join(workspace, '.claude', 'settings.json'), JSON.stringify({ cleanupPeriodDays: 29 }));
      const client = new StandIn(configDir, { sessionId: first.sessionId, cwd: workspace });
      await client.write('idle');
      const server = await startCodeServer({
        installation,
        folder: join(folder, 'server'),
        vsix: 'rethread.vsix',
        env: { HOME: folder, CLAUDE_CONFIG_DIR: configDir },
      });
      const picture = async (page: Workbench['page'], name: string): Promise<void> => {
        if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
      };
      try {
        const window = await Workbench.open(browser, server.url(workspace), 800);
        const { page } = window;
        const message = (text: string | RegExp) => page.locator('.notification-toast', { hasText: text });
        await window.activity('Rethread').click();
        await message('Claude Code will delete').waitFor();
        await message('make Claude Code delete the sessions of all projects').waitFor();
        await page.locator('[role=treeitem][aria-level="1"]', { hasText: 'Running' }).waitFor();
        await picture(page, 'alarms');
        // Both are answered at once: VS Code puts a message that nobody answers away after a few seconds.
        await message('make Claude Code delete').getByRole('button', { name: 'Dismiss for Good' }).click();

        await message('Claude Code will delete').getByRole('button', { name: 'Show Sessions' }).click();
        await page.getByText(/Filtered: expiring soon · 1 of \d+/).waitFor();
        const item = window.treeItem(second.title).first();
        await item.waitFor();
        // The tree is drawn again a moment after the message.
        await window.treeItem(first.title).first().waitFor({ state: 'detached' });
        await window.showTooltip(item, 'Claude Code would delete it on');
        await picture(page, 'expiring');
        await window.movePointerAway();

        await window.runCommand('Rethread: Clear Filter');
        await window.treeItem(first.title).first().waitFor();

        await rm(first.filePath);
        await message('was deleted, but Claude Code still has the conversation').waitFor();
        await picture(page, 'deleted');
        await window.reload();
        await page.waitForTimeout(QUIET_MS);
        assert.deepEqual(await page.locator('.notification-toast').allTextContents(), []);
      } catch (error) {
        const [page] = browser.contexts().at(-1)?.pages() ?? [];
        if (PICTURES !== undefined) await page?.screenshot({ path: join(PICTURES, 'failed.png') });
        throw error;
      } finally {
        client.stop();
        await server.stop();
      }
    }).finally(() => browser.close());
  });
});
