import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import type { EpochMs, SeedOpening, SeedTarget } from './probeApi';

type Said = { readonly kind: 'ready'; readonly atMs: EpochMs } | { readonly kind: 'has'; readonly atMs: EpochMs };

/** Reports when it runs and when it has rows, and shows nothing: the time to render rows would come on top. */
const PAGE_SCRIPT = `
const vscode = acquireVsCodeApi();
addEventListener('message', ({ data }) => {
  vscode.postMessage({ kind: 'has', atMs: Date.now(), rows: data.rows.length });
});
vscode.postMessage({ kind: 'ready', atMs: Date.now() });
`;

/** Reads the whole file, parses each line and posts all rows. */
export async function openSeedPanel({ filePath, waitsForPage }: SeedTarget): Promise<SeedOpening> {
  const startedMs = Date.now();
  const panel = vscode.window.createWebviewPanel('rethreadWindowSeed', 'Seed', vscode.ViewColumn.Active, {
    enableScripts: true,
    localResourceRoots: [],
  });
  const { webview } = panel;
  const said = (kind: Said['kind']): Promise<EpochMs> =>
    new Promise((done) => {
      webview.onDidReceiveMessage((message: Said) => {
        if (message.kind === kind) done(message.atMs);
      });
    });
  const ready = said('ready');
  const has = said('has');
  webview.html = pageHtml();
  if (waitsForPage) await ready;
  const readingMs = Date.now();
  const rows = readRows(filePath);
  const parsedMs = Date.now();
  void webview.postMessage({ rows });
  const [pageMs, receivedMs] = await Promise.all([ready, has]);
  return { startedMs, pageMs, readingMs, parsedMs, receivedMs, rows: rows.length };
}

function readRows(filePath: string): unknown[] {
  const rows: unknown[] = [];
  for (const line of readFileSync(filePath, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    try {
      rows.push(JSON.parse(line));
    } catch {
      // A viewer shows what it can read.
    }
  }
  return rows;
}

function pageHtml(): string {
  const nonce = randomBytes(16).toString('base64url');
  return `<!DOCTYPE html>
<html>
  <head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-${nonce}'"></head>
  <body><script nonce="${nonce}">${PAGE_SCRIPT}</script></body>
</html>`;
}
