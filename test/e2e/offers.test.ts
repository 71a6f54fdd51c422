import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Browser } from 'playwright-core';
import { startCodeServer, type CodeServer } from '../../scripts/codeServer.mjs';
import { createDemoSessions, type DemoSession } from '../../scripts/demoSessions.mjs';
import { installVscode } from '../../scripts/setupVscode.mjs';
import { NEWEST } from '../../scripts/vscodeReleases.mjs';
import { FIXTURES, listRecordings } from '../support/fixtures';
import { launchChromium } from '../support/launchChromium';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { temporaryFolder } from '../support/temporaryFolder';
import { lastPrompt, prompt, reply, transcript, uuidOf } from '../support/transcriptBuilder';
import { Workbench } from './workbench';

const ID = (digit: number): string => `${String(digit).repeat(8)}-4444-4444-8444-444444444444`;
const HOUR_MS = 3_600_000;
const SCREENSHOTS = 'out/screenshots';
const THEME = process.env['RETHREAD_THEME'] ?? 'Default Dark Modern';

/** Sessions beside those of the demo, by what is the matter with them. */
interface Added {
  readonly branches: string;
  readonly original: string;
  readonly stub: string;
  readonly writers: string;
  readonly refused: string;
}

describe('What findings offer in a window', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined;
  let server: CodeServer | undefined;
  let browser: Browser | undefined;
  let window: Workbench;
  let added: Added;
  const shoot = (name: string): Promise<void> => window.screenshot(join(SCREENSHOTS, `offers-${name}.png`));
  const banner = (text: string): ReturnType<ReturnType<Workbench['conversation']>['locator']> =>
    window.conversation().locator('.banner', { hasText: text });

  before(async function () {
    const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
    browser = await skipWhenUnavailable(this, launchChromium);
    folder = await temporaryFolder();
    const demo = await createDemoSessions(join(folder.path, 'home'));
    added = await addSessions(demo.sessions);
    server = await startCodeServer({
      installation,
      folder: join(folder.path, 'server'),
      vsix: 'rethread.vsix',
      settings: { 'workbench.colorTheme': THEME, 'editor.minimap.enabled': false },
      // Its sessions are in ~/.claude, the default folder.
      env: { HOME: join(folder.path, 'home'), CLAUDE_CONFIG_DIR: undefined },
    });
    // The list has room for all sessions.
    window = await Workbench.open(browser, server.url(demo.workspace), 1000);
  });

  afterEach(async function () {
    if (this.currentTest?.isFailed()) await shoot(`failed-${this.currentTest.title.replace(/\W+/g, '-')}`);
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    folder?.remove();
  });

  it('finds a session that would be refused before anybody opens it', async () => {
    await window.statusItem('3 Claude Code sessions of this window are broken').click();
    await window.treeItem(/^Draw the wind rose, broken/).waitFor();
    await window.runCommand('Rethread: Repair All Broken Sessions…');
    await window.quickPick('Draw the wind rose').waitFor();
    await shoot('refused-all');
    await window.page.keyboard.press('Escape');
    await window.quickPick('Draw the wind rose').waitFor({ state: 'hidden' });
  });

  it('says in its conversation, and once in its tooltip, that it would be refused', async () => {
    await window.treeItem(/^Draw the wind rose/).click();
    await window.conversation().getByText('Claude’s API refuses every prompt').waitFor();
    await window.conversation().getByRole('button', { name: 'Repair…' }).waitFor();
    await window.movePointerAway();
    await shoot('refused-conversation');
    await window.showTooltip(
      window.treeItem(/^Draw the wind rose/),
      'Claude’s API refuses every prompt in this session.',
    );
    assert.equal((await window.hover().innerText()).split('refuses every prompt').length, 2);
    await shoot('refused-tooltip');
    await window.movePointerAway();
  });

  it('lets the person choose with which messages Claude goes on, by keyboard, and changes nothing for the current ones', async () => {
    const before = await readFile(added.branches);
    await window.treeItem(/^Choose a radio chip/).click();
    await banner('Claude resumes an older branch').getByRole('button').press('Enter');
    await window.quickPick('reply newest words').waitFor();
    await window.quickPick('reply older words').waitFor();
    await shoot('choose');
    await window.page.keyboard.press('ArrowDown');
    await window.page.keyboard.press('Enter');
    await window.notification('Nothing was changed').waitFor();
    await window.dismissNotifications();
    assert.ok(before.equals(await readFile(added.branches)));
  });

  it('previews the change for the newest messages, makes it, and undoes it', async () => {
    const before = await readFile(added.branches);
    await window.treeItem(/^Choose a radio chip/).press('Enter');
    await window.runCommand('Rethread: Resolve Finding…');
    await window.quickPick('reply newest words').waitFor();
    await window.page.keyboard.press('Enter');
    const change = window.conversation().getByRole('button', { name: 'Go on with the newest messages' });
    await change.waitFor();
    await shoot('preview');
    assert.ok(before.equals(await readFile(added.branches)));
    await change.press('Enter');
    await window.conversation().locator('.seam-line', { hasText: 'Repaired' }).waitFor();
    await window.conversation().getByText('reply newest words').waitFor();
    await banner('Claude resumes an older branch').waitFor({ state: 'detached' });
    await shoot('switched');
    assert.ok((await readFile(added.branches, 'utf8')).includes(`"leafUuid":"${uuidOf('newest words')}"`));
    await window.conversation().locator('.seam-line').getByRole('button', { name: 'Undo' }).press('Enter');
    await banner('Claude resumes an older branch').waitFor();
    assert.ok(before.equals(await readFile(added.branches)));
  });

  it('opens the original of a blank session, and offers nothing once that is gone', async () => {
    const blank = window.treeItem(/22222222/);
    await blank.click();
    await banner('was to continue another one').waitFor();
    await shoot('blank');
    await banner('was to continue another one').getByRole('button', { name: 'Open the original' }).press('Enter');
    await window.tab('Plan the rain sensor').waitFor();
    await rm(added.original);
    await blank.click();
    await window.conversation().getByText('Nothing was said').waitFor();
    await window.conversation().getByText('1 finding').waitFor();
    assert.equal(await banner('was to continue another one').count(), 0);
  });

  it('forks what the second client wrote, and opens that', async () => {
    const folderBefore = await readdir(dirname(added.writers));
    await window.treeItem(/^Two at once/).click();
    await banner('Two clients wrote into this session').waitFor();
    await shoot('writers');
    await banner('Two clients wrote into this session').getByRole('button').press('Enter');
    await window.tab('Two at once (fork)').or(window.tab('Two at once')).first().waitFor();
    await window.conversation().getByText('Forked').or(window.conversation().getByText('Conc B')).first().waitFor();
    await shoot('fork');
    const made = (await readdir(dirname(added.writers))).filter((name) => !folderBefore.includes(name));
    assert.equal(made.filter((name) => name.endsWith('.jsonl')).length, 1);
  });
});

async function addSessions(sessions: readonly DemoSession[]): Promise<Added> {
  const plan = sessions.find(({ title }) => title === 'Plan the next release');
  assert.ok(plan !== undefined);
  const project = dirname(plan.filePath);
  await mkdir(project, { recursive: true });
  const cwd = { cwd: plan.projectFolder };
  const at = (hours: number): string => new Date(Date.now() - hours * HOUR_MS).toISOString();
  const titled = (title: string, rows: Buffer | string): string =>
    `${rows.toString()}${JSON.stringify({ type: 'custom-title', customTitle: title, sessionId: 'x' })}\n`;
  const write = async (digit: number, text: string): Promise<string> => {
    const path = join(project, `${ID(digit)}.jsonl`);
    await writeFile(path, text.replaceAll(ID(4), ID(digit)));
    const old = (Date.now() - HOUR_MS) / 1000;
    await utimes(path, old, old);
    return path;
  };
  const talk = [
    prompt('which chip', null, { ...cwd, timestamp: at(9) }),
    reply('start', 'which chip', { timestamp: at(9) }),
  ];
  const older = [prompt('more', 'start', { timestamp: at(8) }), reply('older words', 'more', { timestamp: at(8) })];
  const newest = [prompt('other', 'start', { timestamp: at(2) }), reply('newest words', 'other', { timestamp: at(2) })];
  const branches = [...talk, ...older, lastPrompt('older words'), ...newest];
  const recording = listRecordings().find((file) => file.includes('concurrent-writers')) ?? '';
  const tool = /("type":"tool_use",(?:"[a-z]+":"[^"]*",)*"input":)\{[^{}]*\}/;
  const refused = (await readFile(plan.filePath, 'utf8')).replaceAll(plan.sessionId, ID(7)).replace(tool, '$1"date"');
  return {
    branches: await write(1, titled('Choose a radio chip', transcript(branches))),
    stub: await write(2, `${JSON.stringify({ type: 'mode', mode: 'normal', sessionId: ID(2) })}\n`),
    original: await write(
      3,
      titled('Plan the rain sensor', transcript([...talk, { type: 'continued-in', continuedInSessionId: ID(2) }])),
    ),
    writers: await write(5, titled('Two at once', await readFile(join(FIXTURES, recording)))),
    refused: await write(7, refused.replaceAll(plan.title, 'Draw the wind rose')),
  };
}
