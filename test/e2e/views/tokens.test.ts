import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { startCodeServer, type CodeServer } from '../../../scripts/codeServer.mjs';
import { createDemoSessions, type DemoSession } from '../../../scripts/demoSessions.mjs';
import { addDemoUsage } from '../../../scripts/demoUsage.mjs';
import { installVscode } from '../../../scripts/setupVscode.mjs';
import { NEWEST } from '../../../scripts/vscodeReleases.mjs';
import { launchChromium } from '../../support/launchChromium';
import { skipWhenUnavailable } from '../../support/skipWhenUnavailable';
import { temporaryFolder } from '../../support/temporaryFolder';
import { Workbench } from '../workbench';

const SCREENSHOTS = process.env['RETHREAD_SCREENSHOTS'] ?? 'out/screenshots';
const THEMES = [
  { name: 'light', theme: 'Default Light Modern', mark: 'vs' },
  { name: 'high-contrast', theme: 'Default High Contrast', mark: 'hc-black' },
  { name: 'dark', theme: 'Default Dark Modern', mark: 'vs-dark' },
] as const;
/** In the form of `rethread usage --json`. */
interface Totals {
  readonly messages: number;
  readonly counts: Readonly<Record<'input' | 'output' | 'cacheWrite5m' | 'cacheWrite1h' | 'cacheRead', number>>;
  readonly cost: { readonly usd: number | null };
}

describe('The Tokens view, in a window', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined;
  let server: CodeServer | undefined;
  let browser: Browser | undefined;
  let window: Workbench;
  let wind: DemoSession;
  let configDir = '';
  const complaints: string[] = [];
  const shoot = (name: string): Promise<void> => window.screenshot(join(SCREENSHOTS, `${name}.png`));
  const section = (name: 'This session' | 'All sessions') =>
    (name === 'This session' ? window.tokens() : window.tokensPage()).getByRole('region', { name });
  const figure = async (nth: number): Promise<string> =>
    (await section('All sessions').locator('.totals .figure').nth(nth).getAttribute('title')) ??
    (await section('All sessions').locator('.totals .figure').nth(nth).innerText());

  before(async function () {
    const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
    browser = await skipWhenUnavailable(this, launchChromium);
    folder = await temporaryFolder();
    const home = join(folder.path, 'home');
    const demo = await createDemoSessions(home);
    await addDemoUsage(home, demo);
    configDir = demo.configDir;
    wind = demo.sessions.find(({ title }) => title === 'Show the wind on a map')!;
    server = await startCodeServer({
      installation,
      folder: join(folder.path, 'server'),
      vsix: 'rethread.vsix',
      settings: { 'workbench.colorTheme': 'Default Dark Modern' },
      env: { HOME: home, CLAUDE_CONFIG_DIR: undefined },
    });
    window = await Workbench.open(browser, server.url(demo.workspace));
    await window.page.setViewportSize({ width: 1200, height: 1000 });
    window.page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) complaints.push(message.text());
    });
  });

  afterEach(async function () {
    if (!this.currentTest?.isFailed()) return;
    await window.screenshot(join('out/screenshots', `failed-${this.currentTest.title.replace(/\W+/g, '-')}.png`));
  });

  after(async () => {
    await browser?.close();
    await server?.stop();
    folder?.remove();
  });

  /** Collapses or expands views. */
  async function fold(...views: readonly string[]): Promise<void> {
    for (const view of views) await window.page.locator('.pane-header .title', { hasText: view }).click();
  }

  /** The state in which the window opens the next time, which follows at once. Paths are machine settings. */
  async function setSettings(change: Readonly<Record<string, unknown>>): Promise<void> {
    const of = 'rethread.claudeConfigDir' in change ? 'Machine' : 'User';
    const path = join(folder?.path ?? '', 'server/user', of, 'settings.json');
    const settings = JSON.parse(await readFile(path, 'utf8').catch(() => '{}')) as Record<string, unknown>;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, JSON.stringify({ ...settings, ...change }, null, 2));
    await window.reload();
  }

  /** The command line's figures for the same sessions. */
  async function totals(...args: readonly string[]): Promise<Totals> {
    const { stdout } = await promisify(execFile)(process.execPath, ['dist/cli.js', 'usage', '--json', ...args], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return (JSON.parse(stdout) as { totals: Totals }).totals;
  }

  const tokensOf = ({ counts }: Totals): string =>
    new Intl.NumberFormat('en').format(
      counts.input + counts.output + counts.cacheWrite5m + counts.cacheWrite1h + counts.cacheRead,
    );

  /** A line with a reply of this moment that follows those of the session about the wind. */
  async function oneMoreReply(): Promise<string> {
    const rows = (await readFile(wind.filePath, 'utf8')).trimEnd().split('\n');
    const last = rows.map((row) => JSON.parse(row) as { type?: string }).findLast(({ type }) => type === 'assistant');
    assert.ok(last !== undefined && 'message' in last && 'uuid' in last);
    const message = { ...(last.message as object), id: 'msg_demo_one_more' };
    const timestamp = new Date().toISOString();
    return `${JSON.stringify({ ...last, uuid: crypto.randomUUID(), parentUuid: last.uuid, timestamp, message })}\n`;
  }

  it('shows the usage of all sessions, equal to that of the command line', async () => {
    await window.activity('Rethread').click();
    await window.treeItem(wind.title).waitFor();
    await window.runCommand('Rethread: Focus on Tokens View');
    await window.tokens().getByRole('button', { name: 'All Sessions…' }).press('Enter');
    await section('All sessions').getByRole('radio', { name: 'All' }).click();
    const reported = await totals(configDir);
    await section('All sessions')
      .locator(`.figure[title="${tokensOf(reported)}"]`)
      .first()
      .waitFor();
    assert.equal(await figure(2), new Intl.NumberFormat('en').format(reported.messages));
    assert.ok(Math.abs(Number((await figure(0)).replace(/[$,]/g, '')) - (reported.cost.usd ?? -1)) < 0.01);
  });

  it('shows the usage of the session that the person is viewing', async () => {
    await window.treeItem(wind.title).click();
    await section('This session').getByText(wind.title).waitFor();
    const reported = await totals(wind.filePath);
    await section('This session')
      .locator(`.figure[title="${tokensOf(reported)}"]`)
      .first()
      .waitFor();
    await section('This session').getByRole('meter', { name: 'Context' }).waitFor();
    await section('This session')
      .getByRole('rowheader', { name: /^Subagents/ })
      .waitFor();
  });

  it('follows the session while it grows', async () => {
    const before = await section('This session').locator('.totals .figure').nth(2).innerText();
    await appendFile(wind.filePath, await oneMoreReply());
    await section('This session')
      .locator('.totals .figure')
      .nth(2)
      .filter({ hasText: String(Number(before) + 1) })
      .waitFor();
  });

  it('is restored as it was after the window was reloaded', async () => {
    await window.runCommand('Rethread: Open Tokens');
    await section('All sessions').getByRole('radio', { name: '30 days' }).click();
    await window.quiet();
    await window.reload();
    await section('All sessions').getByRole('radio', { name: '30 days', checked: true }).waitFor();
    await section('All sessions').getByRole('slider', { name: 'By day' }).waitFor();
    await section('All sessions').getByRole('slider', { name: 'The last 53 weeks' }).waitFor();
  });

  it('has one page, which the command brings to the front', async () => {
    await window.runCommand('Rethread: Open Tokens');
    await section('All sessions').getByRole('slider', { name: 'By day' }).waitFor();
    assert.equal(await window.page.locator('.tab', { hasText: 'Tokens' }).count(), 1);
  });

  it('writes its figures to a CSV file', async () => {
    const target = join(folder?.path ?? '', 'tokens.csv');
    await window.choose('Rethread: Export Tokens…', 'By Project');
    await window.saveAs(target, /tokens-by-project\.csv$/, 'server');
    await window.notification('Tokens exported to tokens.csv').waitFor();
    const lines = (await readFile(target, 'utf8')).split('\r\n');
    assert.match(lines[0] ?? '', /^project,models,messages,total_tokens,/);
    assert.equal(lines.filter((line) => line.includes('tide-clock')).length, 1);
    await window.dismissNotifications();
  });

  it('shows the tokens of a session in its tooltip', async () => {
    await window.treeItem(wind.title).hover();
    await window
      .hover()
      .getByText(/[\d.]+K tokens, \$/)
      .waitFor();
    await window
      .hover()
      .getByText(/context \d+% full/)
      .waitFor();
    await window.movePointerAway();
  });

  it('says what resuming a session means in its tooltip and in its conversation, before it is resumed', async () => {
    const request = /Resuming: about [\d.]+K tokens, (?:all|about [\d.]+K?) uncached(?: \(expired\))?, about \$\d/;
    await window.treeItem(wind.title).hover();
    await window.hover().getByText(request).waitFor();
    await shoot('resume-tooltip-dark');
    await window.movePointerAway();
    await window.treeItem(wind.title).click();
    await window.conversation().getByText(request).waitFor();
    await shoot('resume-conversation-dark');
  });

  for (const { name, theme, mark } of THEMES) {
    it(`looks right, as the Tasks view does, in VS Code’s ${name} theme`, async () => {
      await setSettings({ 'workbench.colorTheme': theme });
      await window.page.locator(`.monaco-workbench.${mark}`).waitFor();
      await window.treeItem(wind.title).click();
      await window.runCommand('Rethread: Focus on Tasks View');
      await window.quiet();
      await shoot(`tasks-${name}`);
      await fold('Sessions', 'Search', 'Tasks');
      await window.runCommand('Rethread: Focus on Tokens View');
      await section('This session').getByRole('meter', { name: 'Context' }).waitFor();
      await window.runCommand('Rethread: Open Tokens');
      await section('All sessions').getByRole('slider', { name: 'The last 53 weeks' }).press('ArrowLeft');
      await window.quiet();
      await shoot(`tokens-${name}`);
      await fold('Sessions', 'Search', 'Tasks');
    });
  }

  it('shows what to do if nothing was used, the first session soon, and if there is no folder', async () => {
    const empty = join(folder?.path ?? '', 'empty');
    await mkdir(empty);
    await window.runCommand('View: Close All Editors');
    await setSettings({ 'rethread.claudeConfigDir': empty });
    for (const { name, theme, mark } of THEMES) {
      await setSettings({ 'workbench.colorTheme': theme });
      await window.page.locator(`.monaco-workbench.${mark}`).waitFor();
      await window.tokens().getByText('There are no Claude Code sessions yet.').waitFor();
      await window.page.getByText('There are no Claude Code sessions to show the tasks of.').waitFor();
      await window.quiet();
      await shoot(`tokens-and-tasks-empty-${name}`);
    }
    const project = join(empty, 'projects', '-first');
    await mkdir(project, { recursive: true });
    await writeFile(join(project, `${crypto.randomUUID()}.jsonl`), await oneMoreReply());
    // Far sooner than all transcripts are listed again, which is done once a minute.
    const live = window.tokens().locator('[data-live-text]', { hasText: /^Today: [\d,]+ tokens/ });
    await live.waitFor({ state: 'attached', timeout: 15_000 });
    assert.equal(await window.tokens().getByText('There are no Claude Code sessions yet.').count(), 0);
    await setSettings({ 'rethread.claudeConfigDir': 'nowhere' });
    await window.tokens().getByRole('alert').filter({ hasText: 'has to be an absolute path' }).waitFor();
  });

  it('violates no rule of its content security policy', () => {
    assert.deepEqual(complaints, []);
  });
});
