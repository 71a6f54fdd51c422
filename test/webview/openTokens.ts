import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { panelHtml } from '../../src/extension/webviews/page';
import { type Theme, THEMES } from './openPanel';
import './page/fakeTokensApi';

const BODY_CLASSES: Record<Theme, string> = {
  light: 'vscode-light',
  dark: 'vscode-dark',
  'hc-light': 'vscode-high-contrast vscode-high-contrast-light',
  'hc-dark': 'vscode-high-contrast',
};
/** The view has no background of its own: that of the side bar shows through. */
const SIDE_BAR = 'html { background: var(--vscode-sideBar-background); }';

export interface TokensOptions extends BrowserContextOptions {
  readonly theme?: Theme;
  readonly scenario?: string;
  readonly range?: string;
  readonly locale?: string;
}

/** What the policy refused to the page, and what failed in it. A test checks both when it is done. */
export interface OpenTokens {
  readonly page: Page;
  readonly violations: string[];
  readonly errors: string[];
}

/** Serves the built view with a stand-in for the extension, in the page that the product creates. */
export class TokensServer {
  readonly #server: Server;
  readonly #files: ReadonlyMap<string, string>;

  private constructor(files: ReadonlyMap<string, string>) {
    this.#files = files;
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', this.origin);
      const body = pathname === '/tokens.html' ? this.#page(searchParams) : this.#files.get(pathname);
      const type = pathname.endsWith('.js') ? 'text/javascript' : pathname.endsWith('.css') ? 'text/css' : 'text/html';
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    });
  }

  static async start(): Promise<TokensServer> {
    const { outputFiles } = await build({
      entryPoints: ['test/webview/page/fakeTokensHost.ts'],
      bundle: true,
      write: false,
      format: 'iife',
    });
    const files = new Map([['/fakeTokensHost.js', outputFiles[0]?.text ?? '']]);
    for (const name of ['tokens.js', 'tokens.css']) {
      files.set(`/${name}`, await readFile(join('dist/webview', name), 'utf8'));
    }
    for (const name of ['defaults', ...THEMES]) {
      files.set(`/${name}.css`, await readFile(join('test/webview/themes', `${name}.css`), 'utf8'));
    }
    files.set('/sideBar.css', SIDE_BAR);
    const server = new TokensServer(files);
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
    const page = panelHtml({
      nonce,
      source: this.origin,
      script: '/tokens.js',
      stylesheet: '/tokens.css',
      language: ask.get('locale') ?? 'en',
      title: 'Tokens',
    });
    const sheets = ['defaults', theme, 'sideBar'].map((name) => `<link rel="stylesheet" href="/${name}.css">`).join('');
    return page
      .replace('<link ', `${sheets}<link `)
      .replace(
        '<body>',
        `<body class="${BODY_CLASSES[theme]}"><script nonce="${nonce}" src="/fakeTokensHost.js"></script>`,
      );
  }
}

export async function openTokens(
  browser: Browser,
  server: TokensServer,
  options: TokensOptions = {},
): Promise<OpenTokens> {
  const { theme, scenario, range, locale, ...context } = options;
  const opened = await browser.newContext({
    viewport: { width: 300, height: 900 },
    reducedMotion: 'reduce',
    ...context,
  });
  const page = await opened.newPage();
  const [violations, errors]: [string[], string[]] = [[], []];
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) violations.push(message.text());
    else if (message.type() === 'error' && !message.location().url.includes('favicon')) errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  const asked = Object.entries({ theme, scenario, range, locale }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  await page.goto(`${server.origin}/tokens.html?${new URLSearchParams(asked).toString()}`);
  await page.locator('.view').waitFor();
  return { page, violations, errors };
}
