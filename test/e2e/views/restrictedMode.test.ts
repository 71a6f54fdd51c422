import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { startCodeServer } from '../../../scripts/codeServer.mjs';
import { installVscode } from '../../../scripts/setupVscode.mjs';
import { NEWEST } from '../../../scripts/vscodeReleases.mjs';
import { launchChromium } from '../../support/launchChromium';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { withTemporaryFolder } from '../../support/temporaryFolder';
import { Workbench } from '../workbench';

describe('The packaged extension, in Restricted Mode', () => {
  it('works, and reports when there is no Claude Code folder', async function () {
    const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
    const browser = await skipWhenUnavailable(this, launchChromium);
    await withTemporaryFolder(async (folder) => {
      const workspace = join(folder, 'workspace');
      await mkdir(workspace);
      const server = await startCodeServer({
        installation,
        folder: join(folder, 'server'),
        vsix: 'rethread.vsix',
        env: { HOME: folder, CLAUDE_CONFIG_DIR: undefined },
        isTrusted: false,
      });
      try {
        const window = await Workbench.open(browser, server.url(workspace));
        await window.statusItem('Restricted Mode').waitFor();
        await window.activity('Rethread').click();
        const view = window.page.locator('.part.sidebar');
        await view.getByText('No Claude Code sessions found in ~/.claude.').waitFor();
        await view.getByText('The folder does not exist').waitFor();
        await view.getByText('install Claude Code', { exact: true }).waitFor();
        await view.getByText('This window is connected to another machine').waitFor();
        await view.getByText(`on ${hostname()}`).waitFor();
        await view.getByRole('button', { name: 'choose another folder', exact: true }).waitFor();
      } finally {
        await server.stop();
      }
    }).finally(() => browser.close());
  });
});
