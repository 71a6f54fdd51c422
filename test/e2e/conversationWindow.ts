import { join } from 'node:path';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
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
const HEIGHT = 760;
const SETTINGS = { 'editor.minimap.enabled': false, 'editor.occurrencesHighlight': 'off' };

type Demo = Awaited<ReturnType<typeof createDemoSessions>>;

/** A window with the packaged extension and the demo sessions. The caller closes it. */
export class ConversationWindow {
  /** Violations of the content security policy by the pages. */
  readonly complaints: string[] = [];

  private constructor(
    readonly folder: string,
    readonly window: Workbench,
    readonly sessions: readonly DemoSession[],
    private readonly parts: { browser: Browser; server: CodeServer; remove: () => void },
  ) {
    window.page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) this.complaints.push(message.text());
    });
  }

  /**
   * Skips the suite where there is no VS Code or no browser. `prepare` adds files to the home folder, and returns
   * additional environment variables of the window. `beside` returns packages of extensions to install as well.
   */
  static async open(
    context: Mocha.Context,
    prepare: (home: string, demo: Demo) => Promise<NodeJS.ProcessEnv> = () => Promise.resolve({}),
    settings: Readonly<Record<string, unknown>> = {},
    beside: (folder: string) => Promise<readonly string[]> = () => Promise.resolve([]),
  ): Promise<ConversationWindow> {
    const installation = await skipWhenUnavailable(context, () => installVscode(NEWEST));
    const browser = await skipWhenUnavailable(context, launchChromium);
    const folder = await temporaryFolder();
    const home = join(folder.path, 'home');
    const demo = await createDemoSessions(home);
    const env = await prepare(home, demo);
    const server = await startCodeServer({
      installation,
      folder: join(folder.path, 'server'),
      vsix: ['rethread.vsix', ...(await beside(folder.path))],
      settings: { ...SETTINGS, ...settings },
      // Its sessions are in ~/.claude, the default folder.
      env: { HOME: home, CLAUDE_CONFIG_DIR: undefined, ...env },
    });
    const window = await Workbench.open(browser, server.url(demo.workspace), HEIGHT);
    const remove = (): void => {
      folder.remove();
    };
    return new ConversationWindow(folder.path, window, demo.sessions, { browser, server, remove });
  }

  async close(): Promise<void> {
    await this.parts.browser.close();
    await this.parts.server.stop();
    this.parts.remove();
  }

  session(title: string): DemoSession {
    const found = this.sessions.find((each) => each.title === title);
    if (found === undefined) throw new Error(`Failed to find a session named ${title}`);
    return found;
  }

  /** The rows of the active panel. */
  articles(): Locator {
    return this.window.conversation().getByRole('article');
  }

  /** Opens a session with a click in the tree: another one will take its place in the tab. */
  async openFromTree(title: string): Promise<void> {
    await (await this.#itemInTree(title)).click();
    await this.#isOpen(title);
  }

  /** Opens a session with a double click in the tree: its tab stays. */
  async keepFromTree(title: string): Promise<void> {
    await (await this.#itemInTree(title)).dblclick();
    await this.#isOpen(title);
  }

  async #itemInTree(title: string): Promise<Locator> {
    const item = this.window.treeItem(title);
    if (!(await item.isVisible())) await this.window.activity('Rethread').click();
    return item;
  }

  async #isOpen(title: string): Promise<void> {
    await this.window.tab(title).waitFor();
    await this.articles().first().waitFor();
  }

  /** Changes settings as the settings editor would: VS Code notices that the file changed. */
  async settings(changed: Readonly<Record<string, unknown>>): Promise<void> {
    const path = join(this.folder, 'server/user/User/settings.json');
    // SAFETY: written as an object when the server was started.
    const settings = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    await writeFile(path, JSON.stringify({ ...settings, ...changed }, null, 2));
  }

  /** `npm run screenshots` names the folder; an ordinary run leaves the checkout unchanged. */
  async shoot(name: string): Promise<void> {
    await this.window.movePointerAway();
    await this.window.screenshot(join(SCREENSHOTS, `${name}.png`));
  }

  /** To be called after each test: prints what a failed test left. */
  async shootFailure(test: Mocha.Test | undefined): Promise<void> {
    if (test?.isFailed() !== true) return;
    await this.window.screenshot(join('out/screenshots', `failed-${test.title.replace(/\W+/g, '-')}.png`));
  }
}

/** Writes as a running client would: each row is a child of the last row of the main chain. */
export class RunningClient {
  #lastUuid: string | null = null;

  constructor(private readonly session: Pick<DemoSession, 'filePath' | 'sessionId' | 'projectFolder'>) {}

  async say(text: string): Promise<void> {
    const { filePath, sessionId, projectFolder } = this.session;
    const rows = (await readFile(filePath, 'utf8')).trimEnd().split('\n');
    // SAFETY: rows of a transcript are objects; their fields are checked before they are used.
    const parsed = rows.map((row) => JSON.parse(row) as { uuid?: string; isSidechain?: boolean; agentId?: string });
    const parent = parsed.findLast(({ uuid }) => uuid !== undefined);
    const parentUuid = this.#lastUuid ?? parent?.uuid ?? null;
    this.#lastUuid = crypto.randomUUID();
    const lane = parent?.agentId === undefined ? {} : { agentId: parent.agentId };
    const row = {
      type: 'user',
      uuid: this.#lastUuid,
      parentUuid,
      isSidechain: parent?.isSidechain ?? false,
      ...lane,
      sessionId,
      timestamp: new Date().toISOString(),
      cwd: projectFolder,
      version: '2.1.330',
      userType: 'external',
      message: { role: 'user', content: text },
    };
    await appendFile(filePath, `${JSON.stringify(row)}\n`);
  }
}
