import assert from 'node:assert/strict';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCodeServer } from '../../../scripts/codeServer.mjs';
import { createDemoSessions } from '../../../scripts/demoSessions.mjs';
import { installVscode } from '../../../scripts/setupVscode.mjs';
import { NEWEST } from '../../../scripts/vscodeReleases.mjs';
import { launchChromium } from '../../support/launchChromium';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { StandIn } from './standIn';
import { createStubClient, stubRecords, type StubRecord } from './stubClient';
import { Workbench } from '../workbench';

/** Where pictures are put; none if it is not set. */
const PICTURES = process.env['RETHREAD_PICTURES'];
const TIMEOUT_MS = 60_000;
const AT_WORK = '55555555-5555-4555-8555-555555555555';

describe('Sessions of another account, in a window', () => {
  it('stand beside the others, run, are filtered, and resume with their own folder', async function () {
    this.timeout(4 * TIMEOUT_MS);
    const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
    const browser = await skipWhenUnavailable(this, launchChromium);
    await withTemporaryFolder(async (folder) => {
      const { workspace, configDir, sessions } = await createDemoSessions(folder);
      const copied = sessions.find(({ projectFolder, damage }) => projectFolder === workspace && damage === null);
      if (copied === undefined) throw new Error('Failed to find a healthy demo session');
      const work = join(folder, '.claude-work');
      const project = join(work, 'projects', basename(dirname(copied.filePath)));
      await mkdir(project, { recursive: true });
      const text = (await readFile(copied.filePath, 'utf8')).replaceAll(copied.sessionId, AT_WORK);
      await writeFile(join(project, `${AT_WORK}.jsonl`), text.replaceAll(copied.title, 'Invoice the station'));
      const client = new StandIn(work, { sessionId: AT_WORK, cwd: workspace });
      await client.write('busy');
      const bin = join(folder, 'bin');
      await createStubClient(bin);
      // The server takes the PATH of a login shell, which sets its own first.
      for (const name of ['.profile', '.bash_profile', '.bashrc'])
        await writeFile(join(folder, name), `export PATH='${bin}':"$PATH"\n`);
      // A browser's own settings cannot set those of a machine.
      const machine = join(folder, 'server/user/Machine');
      await mkdir(machine, { recursive: true });
      const extra = ['~/.claude-work', '~/.claude-gone', '~/.claude'];
      await writeFile(join(machine, 'settings.json'), JSON.stringify({ 'rethread.extraConfigDirs': extra }));
      const server = await startCodeServer({
        installation,
        folder: join(folder, 'server'),
        vsix: 'rethread.vsix',
        env: { HOME: folder, CLAUDE_CONFIG_DIR: configDir },
      });
      try {
        const window = await Workbench.open(browser, server.url(workspace), 800);
        const picture = async (name: string): Promise<void> => {
          if (PICTURES === undefined) return;
          await window.movePointerAway();
          await window.page.screenshot({ path: join(PICTURES, `${name}.png`) });
        };
        await window.activity('Rethread').click();
        const row = (level: number, text: string | RegExp) =>
          window.page.locator(`.part.sidebar [role=treeitem][aria-level="${level}"]`, { hasText: text });
        await row(1, 'Running').waitFor();
        await row(1, /weather-station.*~\/\.claude-work/).waitFor();
        await window.page.getByText('The folder ~/.claude-gone of the setting').first().waitFor();
        await window
          .treeItem(/^Invoice the station, working/)
          .first()
          .waitFor();
        assert.equal(await row(1, /^weather-station/).count(), 2);
        await picture('two-accounts');

        await window.choose('Rethread: Filter: Config Folder…', '~/.claude-work');
        await window.page
          .getByText(/Filtered: ~\/\.claude-work · 1 of \d+/)
          .first()
          .waitFor();
        await row(1, 'recipe-box').waitFor({ state: 'detached' });
        await picture('one-account');
        await window.runCommand('Rethread: Clear Filter');
        await row(1, 'recipe-box').waitFor();

        client.stop();
        // A client that ends removes its record.
        await rm(join(work, 'sessions'), { recursive: true });
        await row(1, 'Running').waitFor({ state: 'detached' });
        await window.treeItem('Invoice the station').first().click();
        await window.conversation().getByRole('button', { name: 'Resume', exact: true }).click();
        const resumed = await started(work, ({ sessionId }) => sessionId === AT_WORK);
        assert.ok(resumed.inherited.includes('CLAUDE_CONFIG_DIR'));
        await picture('resumed-at-work');

        await window.runCommand('Rethread: New Session…');
        await window.quickPick('~/.claude-work').waitFor();
        assert.equal(await window.quickPick('~/.claude-gone').count(), 0);
        // A click would hit another row while the list is moving into its place.
        await window.quickInput().fill('work');
        await window.quickPick('~/.claude').nth(1).waitFor({ state: 'detached' });
        await window.page.keyboard.press('Enter');
        await started(work, ({ sessionId }) => sessionId !== AT_WORK);
        assert.deepEqual(await stubRecords(configDir), []);
      } catch (error) {
        const page = browser.contexts().at(-1)?.pages().at(-1);
        if (PICTURES !== undefined) await page?.screenshot({ path: join(PICTURES, 'failed.png') });
        throw error;
      } finally {
        client.stop();
        for (const { pid } of await stubRecords(work)) endStub(pid);
        await server.stop();
      }
    }).finally(() => browser.close());
  });
});

/** Waits for a client of the stub in the registry. */
async function started(configDir: string, isWanted: (record: StubRecord) => boolean): Promise<StubRecord> {
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end;) {
    await sleep(100);
    // Stand-ins inherit nothing.
    const records = await stubRecords(configDir);
    const record = records.find((each) => 'inherited' in each && isWanted(each));
    if (record !== undefined) return record;
  }
  throw new Error(`No client was started in ${configDir}`);
}

function endStub(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
