import { rm } from 'node:fs/promises';
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

describe('Running sessions, in a window', () => {
  it('stand on top of the tree, change without a touch, and stay struck through when their transcript goes', async function () {
    const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
    const browser = await skipWhenUnavailable(this, launchChromium);
    await withTemporaryFolder(async (folder) => {
      const { workspace, configDir, sessions } = await createDemoSessions(folder);
      const [first, second] = sessions.filter(
        ({ projectFolder, damage }) => projectFolder === workspace && damage === null,
      );
      if (first === undefined || second === undefined) throw new Error('Failed to find two demo sessions');
      const clients = [first, second].map(
        ({ sessionId, projectFolder }) => new StandIn(configDir, { sessionId, cwd: projectFolder }),
      );
      const fresh = new StandIn(configDir, { sessionId: crypto.randomUUID(), cwd: workspace });
      const [one, two] = clients;
      await one?.write('busy');
      await two?.write('idle');
      const server = await startCodeServer({
        installation,
        folder: join(folder, 'server'),
        vsix: 'rethread.vsix',
        env: { HOME: folder, CLAUDE_CONFIG_DIR: configDir },
      });
      try {
        // High enough to show the session whose transcript goes.
        const window = await Workbench.open(browser, server.url(workspace), 800);
        await window.activity('Rethread').click();
        const row = (level: number, text: string | RegExp) =>
          window.page.locator(`.part.sidebar [role=treeitem][aria-level="${level}"]`, { hasText: text });
        const inGroup = (text: string | RegExp) =>
          window.page.getByRole('treeitem', { name: text }).locator('visible=true');
        await row(1, 'Running').waitFor();
        await inGroup(new RegExp(`^${first.title}, working`))
          .first()
          .waitFor();

        await two?.write('waiting', 'permission prompt');
        await inGroup(new RegExp(`^${second.title}, waiting for your approval`)).waitFor();
        await window.statusItem('1 waits for you').waitFor();
        await fresh.write('idle');
        await inGroup(/^New session, idle/)
          .first()
          .waitFor();
        if (PICTURES !== undefined) {
          await window.movePointerAway();
          await window.page.screenshot({ path: join(PICTURES, 'running.png') });
        }

        two?.stop();
        await rm(second.filePath);
        await row(2, /transcript is gone/)
          .first()
          .waitFor();
        await window.page.getByText('is gone. Claude Code may have deleted it').first().waitFor();
        if (PICTURES !== undefined) await window.page.screenshot({ path: join(PICTURES, 'gone.png') });
      } catch (error) {
        if (PICTURES !== undefined)
          await browser
            .contexts()
            .at(-1)
            ?.pages()
            .at(-1)
            ?.screenshot({ path: join(PICTURES, 'failed.png') });
        throw error;
      } finally {
        for (const client of [...clients, fresh]) client.stop();
        await server.stop();
      }
    }).finally(() => browser.close());
  });
});
