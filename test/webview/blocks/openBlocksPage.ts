import { build } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import type { Theme } from '../usePage';

const ORIGIN = 'http://blocks.test';
const NONCE = 'bm9uY2Ugb2YgYSB0ZXN0';
const POLICY = [
  "default-src 'none'",
  `script-src 'nonce-${NONCE}'`,
  `style-src ${ORIGIN}`,
  'img-src data:',
  `font-src ${ORIGIN}`,
].join('; ');
const STYLE = `
  body { margin: 0; padding: 12px; color: var(--vscode-foreground); background: var(--vscode-editor-background);
    font: var(--vscode-font-size)/1.4 var(--vscode-font-family); }
  .row { margin-bottom: 12px; }`;
const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Blocks</title>
<link rel="stylesheet" href="/theme.css"><link rel="stylesheet" href="/own.css"><link rel="stylesheet" href="/page.css"></head>
<body><div id="root"></div><script nonce="${NONCE}" src="/page.js"></script></body></html>`;

export interface OpenedPage {
  readonly page: Page;
  /** What left the page, or tried to: requests, navigations, dialogs, windows. */
  readonly escapes: string[];
}

/** All blocks in one script, under the policy of a panel. */
export async function bundleBlocksPage(): Promise<{ script: string; style: string }> {
  const { outputFiles } = await build({
    entryPoints: [join(__dirname, 'blocksPage.ts')],
    bundle: true,
    write: false,
    outdir: 'out',
    platform: 'browser',
    target: 'es2022',
    format: 'iife',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const textOf = (extension: string): string => outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}

export async function openBlocksPage(
  browser: Browser,
  bundle: { script: string; style: string },
  width: number,
  theme: Theme = 'dark',
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, reducedMotion: 'reduce' });
  const escapes: string[] = [];
  const files: Readonly<Record<string, { contentType: string; body: string }>> = {
    '/': { contentType: 'text/html', body: HTML },
    '/page.js': { contentType: 'text/javascript', body: bundle.script },
    '/page.css': { contentType: 'text/css', body: bundle.style },
    '/theme.css': {
      contentType: 'text/css',
      body: (
        await Promise.all(
          ['defaults', theme].map((name) => readFile(join(__dirname, '../themes', `${name}.css`), 'utf8')),
        )
      ).join('\n'),
    },
    '/own.css': { contentType: 'text/css', body: STYLE },
  };
  let isOpen = false;
  await context.route('**/*', async (route) => {
    const url = new URL(route.request().url());
    const file = isOpen || url.origin !== ORIGIN ? undefined : files[url.pathname];
    if (file === undefined) {
      escapes.push(`request ${url.href.slice(0, 200)}`);
      await route.abort();
    } else {
      await route.fulfill({ ...file, headers: { 'content-security-policy': POLICY } });
    }
  });
  const page = await context.newPage();
  page.on('dialog', (dialog) => {
    escapes.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', (popup) => escapes.push(`window ${popup.url()}`));
  await page.goto(ORIGIN);
  page.on('framenavigated', (frame) => escapes.push(`navigation ${frame.url()}`));
  page.on('frameattached', (frame) => escapes.push(`frame ${frame.url()}`));
  isOpen = true;
  return { page, escapes };
}
