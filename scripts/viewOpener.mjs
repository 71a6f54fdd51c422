// @ts-check
// A tiny extension that `npm start` puts beside Rethread, so that its view is open from the beginning. It is never shipped.
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VSCE = fileURLToPath(new URL('../node_modules/@vscode/vsce/vsce', import.meta.url));

const MANIFEST = {
  name: 'rethread-start',
  displayName: 'Opens the Rethread view',
  publisher: 'rethread',
  version: '0.0.1',
  license: 'MIT',
  engines: { vscode: '^1.100.0' },
  extensionKind: ['workspace'],
  main: './extension.js',
  activationEvents: ['onStartupFinished'],
  capabilities: { untrustedWorkspaces: { supported: true }, virtualWorkspaces: true },
  files: ['extension.js'],
};

/**
 * The view opens once for each start: after a reload, the window shows what the person chose.
 * @param {string} start  names the start
 */
function program(start) {
  return `const vscode = require('vscode');
exports.activate = async ({ workspaceState }) => {
  if (workspaceState.get('start') === ${JSON.stringify(start)}) return;
  await workspaceState.update('start', ${JSON.stringify(start)});
  await vscode.commands.executeCommand('workbench.view.extension.rethread');
};
`;
}

/**
 * @param {string} folder  where it is written
 * @returns {Promise<string>} the extension's own folder
 */
export async function writeViewOpener(folder) {
  const place = join(folder, MANIFEST.name);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), JSON.stringify(MANIFEST));
  await writeFile(join(place, 'extension.js'), program(new Date().toISOString()));
  return place;
}

/**
 * @param {string} folder
 * @returns {Promise<string>} its package
 */
export async function packageViewOpener(folder) {
  const place = await writeViewOpener(folder);
  const vsix = join(folder, `${MANIFEST.name}.vsix`);
  const options = ['--out', vsix, '--no-dependencies', '--allow-missing-repository', '--skip-license'];
  execFileSync(process.execPath, [VSCE, 'package', ...options], { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
  return vsix;
}
