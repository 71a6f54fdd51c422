import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import './page/fakeHostApi';

export const THEMES = ['light', 'dark', 'hc-light', 'hc-dark'] as const;
export type Theme = (typeof THEMES)[number];

const BODY_CLASSES: Record<Theme, string> = {
  light: 'vscode-light',
  dark: 'vscode-dark',
  'hc-light': 'vscode-high-contrast vscode-high-contrast-light',
  'hc-dark': 'vscode-high-contrast',
};

const CONTENT_TYPES = [
  ['.js', 'text/javascript'],
  ['.css', 'text/css'],
] as const;

/** Serves the built panel with a stand-in for the extension, under the policy of the product. */
export class PanelServer {
  readonly #server: Server;
  /** Keyed by path. Read once, because somebody may build again meanwhile. */
  readonly #files: ReadonlyMap<string, string>;

  private constructor(files: ReadonlyMap<string, string>) {
    this.#files = files;
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', this.origin);
      const body = pathname === '/panel.html' ? this.#page(searchParams) : this.#files.get(pathname);
      const type = CONTENT_TYPES.find(([end]) => pathname.endsWith(end))?.[1] ?? 'text/html';
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    });
  }

  static async start(): Promise<PanelServer> {
    const { outputFiles } = await build({
      entryPoints: ['test/webview/page/fakeHost.ts'],
      bundle: true,
      write: false,
      format: 'iife',
    });
    const files = new Map([['/fakeHost.js', outputFiles[0]?.text ?? '']]);
    for (const name of ['conversation.js', 'conversation.css', 'highlight.js'])
      files.set(`/${name}`, await readFile(join('dist/webview', name), 'utf8'));
    for (const name of ['defaults', ...THEMES])
      files.set(`/${name}.css`, await readFile(join('test/webview/themes', `${name}.css`), 'utf8'));
    const server = new PanelServer(files);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  get origin(): string {
    // SAFETY: a server that listens on a port has such an address.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #page(ask: URLSearchParams): string {
    const nonce = randomBytes(16).toString('base64url');
    const theme = THEMES.find((name) => name === ask.get('theme')) ?? 'dark';
    const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${this.origin}; img-src data:; font-src ${this.origin}`;
    return `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}; base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Conversation</title>
    <link rel="stylesheet" href="/defaults.css">
    <link rel="stylesheet" href="/${theme}.css">
    <link rel="stylesheet" href="/conversation.css">
  </head>
  <body class="${BODY_CLASSES[theme]}">
    <script nonce="${nonce}" src="/fakeHost.js"></script>
    <script nonce="${nonce}" src="/conversation.js"></script>
  </body>
</html>`;
  }
}

export interface PanelOptions extends BrowserContextOptions {
  readonly theme?: Theme;
  /** For `compacted`, the number of rows before the compaction. */
  readonly count?: number;
  readonly scenario?: 'broken' | 'folded' | 'compacted';
  /** Milliseconds that the extension takes for a page of items. */
  readonly delay?: number;
  readonly reveal?: number;
  /** What led to the row that is revealed. */
  readonly sought?: string;
  readonly at?: number;
  readonly live?: '';
  /** An earlier page was here, and left the conversation at its end. */
  readonly left?: '';
  /** When the session was found again after a restart of the window, in milliseconds since the epoch. */
  readonly reconnected?: number;
  /** Branches of the chain. */
  readonly branches?: number;
  /** Line of the leaf of the branch that is shown first. */
  readonly branch?: number;
  /** A file that the server does not have. */
  readonly without?: string;
}

/** What the policy refused to the page, and what failed in it. A test checks both when it is done. */
export interface OpenPanel {
  readonly page: Page;
  readonly violations: string[];
  readonly errors: string[];
}

export async function openPanel(browser: Browser, server: PanelServer, options: PanelOptions = {}): Promise<OpenPanel> {
  const {
    theme,
    count,
    scenario,
    delay,
    reveal,
    sought,
    at,
    live,
    left,
    reconnected,
    branches,
    branch,
    without,
    ...context
  } = options;
  const opened = await browser.newContext({
    viewport: { width: 1000, height: 700 },
    reducedMotion: 'reduce',
    ...context,
  });
  const page = await opened.newPage();
  if (without !== undefined) await page.route(`**/${without}`, (route) => route.fulfill({ status: 404 }));
  const [violations, errors]: [string[], string[]] = [[], []];
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) violations.push(message.text());
    else if (message.type() === 'error' && !message.location().url.includes('favicon')) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  const asked = Object.entries({
    ...{ theme, count, scenario, delay, reveal, sought, at, live, left, reconnected, branches, branch },
  }).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  await page.goto(`${server.origin}/panel.html?${new URLSearchParams(asked).toString()}`);
  await page.locator('.item').first().waitFor();
  return { page, violations, errors };
}

export async function screenshot(page: Page, name: string): Promise<void> {
  await mkdir('out/webview', { recursive: true });
  await page.screenshot({ path: `out/webview/${name}.png` });
}
