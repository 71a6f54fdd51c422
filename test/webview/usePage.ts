import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { panelHtml } from '../../src/extension/webviews/page';
import { launchChromium } from '../support/launchChromium';
import { skipWhenUnavailable } from '../support/skipWhenUnavailable';

export const THEMES = ['light', 'dark', 'hc-light', 'hc-dark'] as const;
export type Theme = (typeof THEMES)[number];

const BODY_CLASSES: Record<Theme, string> = {
  light: 'vscode-light',
  dark: 'vscode-dark',
  'hc-light': 'vscode-high-contrast vscode-high-contrast-light',
  'hc-dark': 'vscode-high-contrast',
};
/** A page has no background of its own: that of the side bar or of the editor shows through. */
const BACKGROUNDS = {
  sideBar: 'html { background: var(--vscode-sideBar-background); }',
  editor: 'html { background: var(--vscode-editor-background); }',
} as const;

/** A page of the product, and what stands in for the extension. */
export interface ServedPage {
  /** Name of the script and the style sheet in `dist/webview`. */
  readonly bundle: string;
  readonly title: string;
  /** Name of the script in `test/webview/page` that plays the extension. */
  readonly host: string;
  /** Further files of `dist/webview` that the page loads. */
  readonly files?: readonly string[];
  readonly viewport: { readonly width: number; readonly height: number };
  /** What the page shows when it is ready. */
  readonly ready: string;
}

export interface PageOptions extends BrowserContextOptions {
  readonly theme?: Theme;
  /** Where the page is shown: in the editor by default. */
  readonly background?: keyof typeof BACKGROUNDS;
  /** BCP 47 tag. */
  readonly locale?: string;
  /** What the stand-in for the extension is asked for, as parameters of the address. */
  readonly asked?: Readonly<Record<string, string | number | undefined>>;
  /** A file that the server does not have. */
  readonly without?: string;
}

export interface OpenPage {
  readonly page: Page;
  /** What the policy refused to the page, and what failed in it. After each test, there must be none. */
  readonly faults: string[];
}

/** Opens pages for the tests of the suite that calls it, in one browser, as the product creates them. */
export function usePage(served: ServedPage): (options?: PageOptions) => Promise<OpenPage> {
  let browser: Browser;
  let server: PageServer;
  const opened: OpenPage[] = [];
  before(async function () {
    browser = await skipWhenUnavailable(this, launchChromium);
    server = await PageServer.start(served);
  });
  afterEach(async () => {
    const pages = opened.splice(0);
    for (const { page } of pages) await page.context().close();
    assert.deepEqual(
      pages.flatMap(({ faults }) => faults),
      [],
    );
  });
  after(async () => {
    // Undefined if the browser was unavailable.
    (server as PageServer | undefined)?.stop();
    await (browser as Browser | undefined)?.close();
  });
  return async ({ theme, locale, background, asked = {}, without, ...context } = {}) => {
    const { viewport, ready } = served;
    const within = await browser.newContext({ viewport, reducedMotion: 'reduce', ...context });
    const page = await within.newPage();
    if (without !== undefined) await page.route(`**/${without}`, (route) => route.fulfill({ status: 404 }));
    const faults: string[] = [];
    opened.push({ page, faults });
    page.on('console', (message) => {
      const isFault = message.type() === 'error' && !message.location().url.includes('favicon');
      if (isFault || /Content Security Policy/i.test(message.text())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    const parameters = Object.entries({ ...asked, theme, locale, background }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    await page.goto(`${server.origin}/?${new URLSearchParams(parameters).toString()}`);
    await page.locator(ready).first().waitFor();
    return { page, faults };
  };
}

/** Serves a page as built, with a stand-in for the extension, under the policy of the product. */
class PageServer {
  readonly #served: ServedPage;
  readonly #server: Server;
  /** Keyed by path. Read once, because somebody may build again meanwhile. */
  readonly #files: ReadonlyMap<string, string>;

  private constructor(served: ServedPage, files: ReadonlyMap<string, string>) {
    this.#served = served;
    this.#files = files;
    this.#server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', this.origin);
      const body = pathname === '/' ? this.#page(searchParams) : this.#files.get(pathname);
      const type = pathname.endsWith('.js') ? 'text/javascript' : pathname.endsWith('.css') ? 'text/css' : 'text/html';
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` }).end(body);
    });
  }

  static async start(served: ServedPage): Promise<PageServer> {
    const { bundle, host, files = [] } = served;
    const { outputFiles } = await build({
      entryPoints: [`test/webview/page/${host}.ts`],
      bundle: true,
      write: false,
      format: 'iife',
    });
    const contents = new Map([
      ['/host.js', outputFiles[0]?.text ?? ''],
      ...Object.entries(BACKGROUNDS).map(([name, style]) => [`/${name}.css`, style] as const),
    ]);
    for (const name of [`${bundle}.js`, `${bundle}.css`, ...files]) {
      contents.set(`/${name}`, await readFile(join('dist/webview', name), 'utf8'));
    }
    for (const name of ['defaults', ...THEMES]) {
      contents.set(`/${name}.css`, await readFile(join('test/webview/themes', `${name}.css`), 'utf8'));
    }
    const server = new PageServer(served, contents);
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

  #page(asked: URLSearchParams): string {
    const { bundle, title } = this.#served;
    const nonce = randomBytes(16).toString('base64url');
    const theme = THEMES.find((name) => name === asked.get('theme')) ?? 'dark';
    const page = panelHtml({
      nonce,
      source: this.origin,
      script: `/${bundle}.js`,
      stylesheet: `/${bundle}.css`,
      language: asked.get('locale') ?? 'en',
      title,
    });
    const sheets = ['defaults', theme, asked.get('background') ?? 'editor'];
    const links = sheets.map((name) => `<link rel="stylesheet" href="/${name}.css">`).join('');
    return page
      .replace('<link ', `${links}<link `)
      .replace('<body>', `<body class="${BODY_CLASSES[theme]}"><script nonce="${nonce}" src="/host.js"></script>`);
  }
}

export async function screenshot(page: Page, name: string): Promise<void> {
  await mkdir('out/webview', { recursive: true });
  await page.screenshot({ path: `out/webview/${name}.png` });
}
