// @ts-check
// Packs what `npm run build` has built into rethread.vsix.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { packagedPage } from './packagedPage.mjs';

const VSCE = fileURLToPath(new URL('../node_modules/@vscode/vsce/vsce', import.meta.url));

const { repository } = JSON.parse(readFileSync('package.json', 'utf8'));
/** @param {string} name */
function writePage(name) {
  const path = `dist/${name}`;
  writeFileSync(path, packagedPage(readFileSync(name, 'utf8'), repository));
  return path;
}

const pages = ['--readme-path', writePage('README.md'), '--changelog-path', writePage('CHANGELOG.md')];
// The pages have the addresses that they need.
const options = ['--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links', ...pages];
execFileSync(process.execPath, [VSCE, 'package', ...options, '--out', 'rethread.vsix'], { stdio: 'inherit' });
