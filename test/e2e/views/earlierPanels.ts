import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../../..');
const NAME = 'earlier-panels';

const MANIFEST = {
  name: NAME,
  publisher: 'rethread-test',
  version: '0.0.0',
  engines: { vscode: '^1.100.0' },
  main: './extension.js',
  contributes: { commands: [{ command: 'earlierPanels.open', title: 'Open Panel of an Earlier Version' }] },
  files: ['extension.js'],
};

/** The panel of a session as versions before the editor for conversations made it. Its page stored which session it showed. */
const PROGRAM = `
const vscode = require('vscode');
exports.activate = () => vscode.commands.registerCommand('earlierPanels.open', async () => {
  const [title, filePath] = JSON.parse(await vscode.env.clipboard.readText());
  const panel = vscode.window.createWebviewPanel('rethread.conversation', title, vscode.ViewColumn.Active, { enableScripts: true });
  const state = JSON.stringify({ filePath, view: { kind: 'chain' }, at: null });
  panel.webview.html = '<p>An earlier version</p><script>acquireVsCodeApi().setState(' + state + ')</script>';
});
`;

/** Packages an extension with the command "Open Panel of an Earlier Version", which reads title and path from the clipboard. */
export async function buildEarlierPanels(folder: string): Promise<string> {
  const place = join(folder, NAME);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), JSON.stringify(MANIFEST));
  await writeFile(join(place, 'extension.js'), PROGRAM);
  const vsix = join(folder, `${NAME}.vsix`);
  const vsce = [join(ROOT, 'node_modules/@vscode/vsce/vsce'), 'package', '--out', vsix];
  execFileSync(process.execPath, [...vsce, '--no-dependencies', '--allow-missing-repository', '--skip-license'], {
    cwd: place,
    stdio: 'pipe',
  });
  return vsix;
}
