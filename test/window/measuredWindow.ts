import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import fastGlob from 'fast-glob';
import type { Browser, Locator, Page } from 'playwright-core';
import { startCodeServer, type CodeServer } from '../../scripts/codeServer.mjs';
import type { VscodeInstallation } from '../../scripts/setupVscode.mjs';
import { buildProbe } from './probe/buildProbe';
import type { ProbeApi } from './probe/probeApi';
import { PORT_FILE_VARIABLE } from './probe/probeApi';

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

export interface MeasuredWindowParts {
  readonly installation: VscodeInstallation;
  readonly browser: Browser;
  /** Deleted after the run; contains `home/.claude`. */
  readonly folder: string;
}

/** A VS Code in a browser with the packaged extension, and a second extension that runs commands for the tests. */
export class MeasuredWindow {
  readonly page: Page;
  readonly #server: CodeServer;
  readonly #folder: string;
  readonly #port: string;

  private constructor(page: Page, server: CodeServer, folder: string, port: string) {
    this.page = page;
    this.#server = server;
    this.#folder = folder;
    this.#port = port;
  }

  /** Resolves when the extension has found and scanned all sessions. */
  static async open({ installation, browser, folder }: MeasuredWindowParts): Promise<MeasuredWindow> {
    const portFile = join(folder, 'port');
    const workspace = join(folder, 'workspace');
    await mkdir(workspace, { recursive: true });
    const server = await startCodeServer({
      installation,
      folder: join(folder, 'server'),
      vsix: ['rethread.vsix', await buildProbe()],
      env: { HOME: join(folder, 'home'), CLAUDE_CONFIG_DIR: undefined, [PORT_FILE_VARIABLE]: portFile },
    });
    try {
      const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
      await page.addInitScript({ content: await watchingScript() });
      await page.goto(server.url(workspace, [['logLevel', 'rethread.rethread:debug']]));
      await until(() => existsSync(portFile), 'the extension beside ours to start');
      const window = new MeasuredWindow(page, server, folder, await readFile(portFile, 'utf8'));
      await until(async () => {
        const [known, all] = await window.ask('scanned', null);
        return all > 0 && known === all;
      }, 'the scan of all sessions');
      return window;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.page.close();
    await this.#server.stop();
  }

  /** Runs something in the extension host. */
  async ask<K extends keyof ProbeApi>(
    name: K,
    argument: Parameters<ProbeApi[K]>[0],
  ): Promise<Awaited<ReturnType<ProbeApi[K]>>> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/${name}`, {
      method: 'POST',
      body: JSON.stringify(argument),
    });
    if (!response.ok) throw new Error(`Failed to have ${name} done: ${await response.text()}`);
    // SAFETY: the extension answers what its interface says.
    return (await response.json()) as Awaited<ReturnType<ProbeApi[K]>>;
  }

  /** The body of the active panel. */
  panel(): Locator {
    return this.page.frameLocator('iframe.webview.ready:visible').frameLocator('iframe#active-frame').locator('body');
  }

  async closePanels(): Promise<void> {
    await this.ask('closeAll', null);
    await this.page.locator('iframe.webview').first().waitFor({ state: 'detached' });
  }

  /** The extension's records of openings, oldest first. */
  async openingLines(): Promise<string[]> {
    const files = await fastGlob('server/user/logs/*/exthost*/rethread.rethread/*.log', { cwd: this.#folder });
    const logs = await Promise.all(files.map((file) => readFile(join(this.#folder, file), 'utf8')));
    return [...logs.join('\n').matchAll(/first screen, ms: (.*)/g)].map(([, line = '']) => line);
  }
}

/** @throws when it takes longer than people would wait */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + START_TIMEOUT_MS;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`Failed to wait for ${what}`);
    await sleep(POLL_MS);
  }
}

async function watchingScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(__dirname, 'page/page.ts')],
    bundle: true,
    write: false,
    format: 'iife',
  });
  return outputFiles[0]?.text ?? '';
}
