import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { panelHtml } from './page';

/** Folder below the extension that webview pages can load from. */
const BUNDLES = ['dist', 'webview'];

/** Loads a bundle into a webview, which can load and run only that bundle, its stylesheet and those beside it. */
export function loadPage(
  webview: vscode.Webview,
  extensionUri: vscode.Uri,
  { bundle, title }: { readonly bundle: 'conversation' | 'rewind' | 'search' | 'tokens'; readonly title: string },
): void {
  webview.options = {
    enableScripts: true,
    enableForms: false,
    localResourceRoots: [vscode.Uri.joinPath(extensionUri, ...BUNDLES)],
  };
  const bundled = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(extensionUri, ...BUNDLES, name)).toString();
  webview.html = panelHtml({
    nonce: randomBytes(24).toString('base64url'),
    source: webview.cspSource,
    script: bundled(`${bundle}.js`),
    stylesheet: bundled(`${bundle}.css`),
    language: vscode.env.language,
    title,
  });
}
