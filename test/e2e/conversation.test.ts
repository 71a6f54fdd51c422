import assert from 'node:assert/strict';
import { appendFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { startCodeServer, type CodeServer } from '../../scripts/codeServer.mjs';
import { createDemoSessions, type DemoSession } from '../../scripts/demoSessions.mjs';
import { installVscode } from '../../scripts/setupVscode.mjs';
import { NEWEST } from '../../scripts/vscodeReleases.mjs';
import { launchChromium } from '../support/launchChromium';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';
import { temporaryFolder } from '../support/temporaryFolder';
import { Workbench } from './workbench';

const SCREENSHOTS = process.env['RETHREAD_SCREENSHOTS'] ?? 'out/screenshots';
/** Made up, and in the form of real ones. */
const TOKEN = `ghp_${'A1b2C3d4E5'.repeat(4).slice(0, 36)}`;

describe('A conversation, in a window', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined;
  let server: CodeServer | undefined;
  let browser: Browser | undefined;
  let window: Workbench;
  let healthy: DemoSession;
  let broken: DemoSession;
  let lastUuid: string | null = null;
  const complaints: string[] = [];
  const shoot = (name: string): Promise<void> => window.screenshot(join(SCREENSHOTS, `${name}.png`));
  const articles = () => window.conversation().getByRole('article');

  before(async function () {
    const installation = await skipWhenUnavailable(this, () => installVscode(NEWEST));
    browser = await skipWhenUnavailable(this, launchChromium);
    folder = await temporaryFolder();
    const demo = await createDemoSessions(join(folder.path, 'home'));
    const named = (title: string) => demo.sessions.find((each) => each.title === title)!;
    healthy = named('Plan the next release');
    broken = named('Add a rain sensor');
    server = await startCodeServer({
      installation,
      folder: join(folder.path, 'server'),
      vsix: 'rethread.vsix',
      env: { HOME: join(folder.path, 'home'), CLAUDE_CONFIG_DIR: undefined },
    });
    window = await Workbench.open(browser, server.url(demo.workspace));
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

  /** Appends a reply, as a client that runs would. */
  async function say(session: DemoSession, text: string): Promise<void> {
    const rows = (await readFile(session.filePath, 'utf8')).trimEnd().split('\n');
    const parsed = rows.map((row) => JSON.parse(row) as { uuid?: string; type?: string; isSidechain?: boolean });
    const parentUuid = lastUuid ?? parsed.findLast(({ uuid, isSidechain }) => uuid && isSidechain !== true)?.uuid;
    lastUuid = crypto.randomUUID();
    const row = {
      type: 'user',
      uuid: lastUuid,
      parentUuid,
      isSidechain: false,
      sessionId: session.sessionId,
      timestamp: new Date().toISOString(),
      cwd: session.projectFolder,
      version: '2.1.330',
      userType: 'external',
      message: { role: 'user', content: text },
    };
    await appendFile(session.filePath, `${JSON.stringify(row)}\n`);
  }

  it('opens with a click on its session in the tree, and shows its last rows', async () => {
    await window.activity('Rethread').click();
    await window.treeItem(healthy.title).click();
    await window.tab(healthy.title).waitFor();
    await articles().first().waitFor();
    assert.ok((await articles().count()) > 1);
    await shoot('conversation-healthy');
  });

  it('finds text in all of its rows', async () => {
    await window.runCommand('Rethread: Find in Conversation');
    const find = window.conversation().getByRole('search');
    await find.getByRole('textbox', { name: 'Find', exact: true }).fill('e');
    await find.getByRole('status').filter({ hasText: /\d/ }).waitFor();
    await shoot('conversation-find');
    await window.page.keyboard.press('Escape');
    await find.waitFor({ state: 'detached' });
  });

  it('is there again after the window was reloaded, at the row where it was read', async () => {
    const first = articles().filter({ hasText: 'Turn two' });
    // The panel tells where it is read when the reader has come to rest.
    await window.quiet();
    await window.reload();
    await window.tab(healthy.title).waitFor();
    await first.waitFor();
    await window.conversation().getByRole('button', { name: 'Go to the end' }).waitFor();
  });

  it('shows a row within a moment of its being written, and tells the reader of it who is elsewhere', async () => {
    await say(healthy, 'And what does the barometer read?');
    await window.conversation().getByRole('button', { name: '1 new: go to the end' }).click();
    await articles().filter({ hasText: 'what does the barometer read' }).waitFor();
    await say(healthy, `The token is ${TOKEN}, and the barometer reads 1013 hPa.`);
    await articles().filter({ hasText: 'the barometer reads 1013 hPa' }).waitFor();
    await shoot('conversation-live');
  });

  it('shows where the history of a corrupted session breaks, and offers to repair it', async () => {
    await window.activity('Rethread').waitFor();
    if (!(await window.treeItem(broken.title).isVisible())) await window.activity('Rethread').click();
    await window.treeItem(broken.title).click();
    await window.tab(broken.title).waitFor();
    await window.conversation().getByText('9 of 28').first().waitFor();
    await window.conversation().getByRole('button', { name: 'Findings: 1 error' }).click();
    await window.conversation().getByRole('menuitem').first().click();
    await window.conversation().getByText('The history is broken here').waitFor();
    await shoot('conversation-broken');
    await window
      .conversation()
      .getByRole('button', { name: /^Repair/ })
      .first()
      .click();
    assert.match(await window.dialog().innerText(), /28 of 28 messages instead of 9/);
    await window.dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  it('is found by what was said in it, and opens there', async () => {
    await window.runCommand('Rethread: Search Conversations…');
    await window.quickInput().fill('barometer reads');
    const hit = window.quickPick(healthy.title).filter({ hasText: 'barometer reads 1013' });
    await hit.waitFor();
    await shoot('search-conversations');
    await hit.click();
    await articles().filter({ hasText: 'the barometer reads 1013 hPa' }).waitFor();
  });

  it('is exported without the secrets in it, which are told first', async () => {
    const target = join(folder?.path ?? '', 'release.md');
    await window.runCommand('Rethread: Export…');
    await window.quickPick('Markdown').click();
    await window.quickPick('Replace Secrets').waitFor();
    await shoot('export-secrets');
    await window.quickPick('Replace Secrets').click();
    // The dialog fills in a name of its own once it has looked at the folder.
    await expectValue(window.quickInput(), /Plan the next release\.md$/);
    await window.quickInput().fill(target);
    await window.page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).click();
    await window.notification('Exported').waitFor();
    const text = await readFile(target, 'utf8');
    assert.match(text, /barometer reads 1013 hPa/);
    assert.ok(!text.includes(TOKEN));
    await window.dismissNotifications();
  });

  it('says so when its transcript is deleted', async () => {
    await rm(healthy.filePath);
    const alert = window.conversation().getByRole('alert');
    await alert.filter({ hasText: `${healthy.filePath} does not exist.` }).waitFor();
    await shoot('conversation-deleted');
  });

  it('breaks no rule of its content security policy', () => {
    assert.deepEqual(complaints, []);
  });
});

async function expectValue(input: Locator, pattern: RegExp): Promise<void> {
  const end = Date.now() + 20_000;
  while (!pattern.test(await input.inputValue())) {
    if (Date.now() > end) throw new Error(`It stays “${await input.inputValue()}”`);
    await input.page().waitForTimeout(50);
  }
}
