import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startCodeServer } from '../../scripts/codeServer.mjs';
import { createDemoSessions } from '../../scripts/demoSessions.mjs';
import { installVscode } from '../../scripts/setupVscode.mjs';
import { NEWEST } from '../../scripts/vscodeReleases.mjs';
import { createCheckpointHooks } from '../rooms/history';
import { nodeWriteFs } from '../rooms/storage';
import { launchChromium } from '../support/launchChromium';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../support/temporaryFolder';
import { Workbench } from './workbench';

/** VS Code removes uninstalled extensions ten seconds after its start. */
const REMOVAL_MS = 60_000;

describe('The packaged extension', () => {
  it('shows why there are no sessions, with its log, if its worker cannot start', async function () {
    const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
    const browser = await skipWhenUnavailable(this, launchChromium);
    await withTemporaryFolder(async (folder) => {
      const { workspace } = await createDemoSessions(folder);
      const server = await startCodeServer({
        installation,
        folder: join(folder, 'server'),
        vsix: 'rethread.vsix',
        env: { HOME: folder, CLAUDE_CONFIG_DIR: join(folder, '.claude') },
      });
      try {
        const extensions = join(folder, 'server', 'extensions');
        const [own = ''] = (await readdir(extensions)).filter((name) => name.startsWith('rethread.'));
        await writeFile(join(extensions, own, 'dist', 'worker.mjs'), `throw new Error('The worker is damaged');\n`);
        const window = await Workbench.open(browser, server.url(workspace));
        await window.activity('Rethread').click();
        const view = window.page.locator('.part.sidebar');
        await view.getByText('The sessions could not be read: Rethread’s worker thread ends').waitFor();
        await view.getByRole('button', { name: 'Try Again' }).waitFor();
        await view.getByRole('button', { name: 'Show Log' }).first().click();
        await window.page.locator('.part.panel').getByText('The worker is damaged').first().waitFor();
      } finally {
        await server.stop();
      }
    }).finally(() => browser.close());
  });

  it('takes its checkpoint hook out of the project when it is uninstalled', async function () {
    const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
    await withTemporaryFolder(async (folder) => {
      const [project, configDir] = [join(folder, 'project'), join(folder, '.claude')];
      await mkdir(project);
      await mkdir(configDir);
      const place = join(folder, 'server');
      const env = { HOME: folder, CLAUDE_CONFIG_DIR: undefined };
      const installed = await startCodeServer({ installation, folder: place, vsix: 'rethread.vsix', env });
      await installed.stop();
      const extensions = join(place, 'extensions');
      const script = join(place, 'user/User/globalStorage/rethread.rethread/checkpoints/checkpoint.sh');
      const hooks = createCheckpointHooks({
        ...{ fs: nodeWriteFs, now: Date.now, random: () => crypto.randomUUID() },
        ...{ configDir: () => configDir, home: folder },
      });
      const change = await hooks.planHook(project, true, `sh '${script}'`, 100);
      assert.equal(await hooks.applyHook(change, extensions), null);
      assert.ok(existsSync(change.settingsPath));

      const folders = ['--user-data-dir', join(place, 'user'), '--extensions-dir', extensions];
      const config = ['--config', join(place, 'config.yaml')];
      execFileSync(
        installation.node,
        [resolve(installation.entry), ...folders, ...config, '--uninstall-extension', 'rethread.rethread'],
        { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
      );
      const server = await startCodeServer({ installation, folder: place, env });
      try {
        // The server does its work for uninstalled extensions after the first request.
        await fetch(server.url(project));
        // The file goes first, and then the folder that it leaves empty.
        const made = join(project, '.claude');
        for (const end = Date.now() + REMOVAL_MS; existsSync(made) && Date.now() < end;) await sleep(100);
        assert.equal(existsSync(made), false);
      } finally {
        await server.stop();
      }
    });
  });
});
