import assert from 'node:assert/strict';
import { access, chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDemoHistory, HISTORY_PROMPTS } from '../../scripts/demoHistory.mjs';
import { ConversationWindow } from './conversationWindow';
import type { Workbench } from './workbench';

/** In the place of Claude Code: says how it was called. */
const CLAUDE = '#!/bin/sh\necho "$PWD|$*|${CLAUDE_CONFIG_DIR-none}" >> "$HOME/called"\n';
const [, DRAW] = HISTORY_PROMPTS;

describe('Rewinding files, in a window', () => {
  let opened: ConversationWindow | undefined;
  let demo: ConversationWindow;
  let window: Workbench;
  let home = '';
  let workspace = '';
  let session: Awaited<ReturnType<typeof addDemoHistory>>;
  const read = (path: string): Promise<string> => readFile(join(workspace, path), 'utf8');
  const picker = () => window.page.locator('.quick-input-widget');

  before(async function () {
    demo = opened = await ConversationWindow.open(
      this,
      async (folder, sessions) => {
        home = folder;
        workspace = sessions.workspace;
        session = await addDemoHistory(folder, sessions);
        const bin = join(folder, 'bin');
        await mkdir(bin);
        await writeFile(join(bin, 'claude'), CLAUDE);
        await chmod(join(bin, 'claude'), 0o755);
        return { PATH: `${bin}:${process.env['PATH'] ?? ''}`, SHELL: '/bin/sh' };
      },
      { 'workbench.colorTheme': 'Default Dark Modern' },
    );
    window = demo.window;
    await window.page.setViewportSize({ width: 1400, height: 860 });
  });

  afterEach(function () {
    return opened?.shootFailure(this.currentTest);
  });

  after(() => opened?.close());

  it('lists the prompts that there are checkpoints of, with what would change', async () => {
    await demo.openFromTree(session.title);
    await window.runCommand('Rethread: Rewind Files…');
    await window.quickPick(DRAW).filter({ hasText: 'in 5 files' }).waitFor();
    await demo.shoot('rewind-checkpoints');
    await window.quickPick(DRAW).click();
    await window.quickPick('rainChart.ts').filter({ hasText: 'is deleted' }).waitFor();
    await window.quiet();
    await demo.shoot('rewind-preview-dark');
  });
});
