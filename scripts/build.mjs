// Builds everything that ships: dist/extension.js, dist/worker.mjs and what it loads from dist/worker/, dist/checkpoint.js, dist/uninstall.js,
// dist/cli.js with its parts dist/cli.mjs and dist/cli/, dist/scanner.wasm, dist/webview/{conversation,highlight,rewind,search,tokens}.js and their stylesheets,
// and writes down whose code is in them: dist/THIRD-PARTY-NOTICES.txt. `--dev` keeps names and source maps.
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { markedClasses } from './markedClasses.mjs';
import { scannerModulePath } from './scannerModule.mjs';
import { BUNDLE_ALIAS, hookOptions, moduleOptions } from './moduleOptions.mjs';
import { writePrices } from './writePrices.mjs';

const isDev = process.argv.includes('--dev');

rmSync('dist', { recursive: true, force: true });
writePrices();

/** @type {import('esbuild').BuildOptions} */
const common = {
  bundle: true,
  platform: 'node',
  // The Node that VS Code 1.100 runs extensions on.
  target: 'node20',
  format: 'cjs',
  outdir: 'dist',
  minify: !isDev,
  sourcemap: isDev ? 'linked' : false,
  logLevel: 'warning',
  metafile: true,
  alias: BUNDLE_ALIAS,
  // So that all faces name the same version.
  define: { __RETHREAD_VERSION__: JSON.stringify(readManifest('.').version) },
};

/** @type {import('esbuild').BuildOptions} */
const webview = {
  ...common,
  platform: 'browser',
  // Chromium of VS Code 1.100, and the browsers of its time.
  target: 'es2022',
  format: 'iife',
  outdir: 'dist/webview',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  plugins: [markedClasses],
  define: { ...common.define, 'process.env.NODE_ENV': '"production"' },
};

const bundles = await Promise.all([
  build({ ...common, entryPoints: { extension: 'src/extension/extension.ts' }, external: ['vscode'] }),
  build({ ...common, ...moduleOptions('worker'), entryPoints: { worker: 'src/worker/worker.ts' } }),
  // What Claude Code's hook runs: the command line's `checkpoint` alone.
  build({ ...common, ...hookOptions(BUNDLE_ALIAS), entryPoints: { checkpoint: 'src/cli/hookProgram.ts' } }),
  // What VS Code runs after the extension was uninstalled.
  build({ ...common, entryPoints: { uninstall: 'src/cli/uninstall.ts' } }),
  // Each command is loaded when it is called.
  build({ ...common, ...moduleOptions('cli'), entryPoints: { cli: 'src/cli/main.ts' } }),
  build({
    ...webview,
    entryPoints: {
      conversation: 'src/webview/conversation/main.tsx',
      highlight: 'src/webview/highlight/main.ts',
      rewind: 'src/webview/rewind/main.tsx',
      search: 'src/webview/search/main.tsx',
      tokens: 'src/webview/tokens/main.tsx',
    },
  }),
]);

shareVscode('dist/extension.js');
// A program of CommonJS, because package.json names no other type of module for .js files.
writeFileSync('dist/cli.js', "#!/usr/bin/env node\nimport('./cli.mjs');\n");
copyFileSync(scannerModulePath(), 'dist/scanner.wasm');

const inputs = bundles.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}));
const packages = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? []));
writeFileSync(
  'dist/THIRD-PARTY-NOTICES.txt',
  [...packages]
    .sort()
    .map(notice)
    .join(`\n${'-'.repeat(80)}\n`),
);

/**
 * Lets all files of a bundle use VS Code's API as it is. For each file that imports it, esbuild makes a copy with all of its hundreds of
 * names, which took half of the time in which the extension is loaded.
 *
 * @param {string} path  of the bundle
 */
function shareVscode(path) {
  const bundle = readFileSync(path, 'utf8');
  const shared = bundle.replaceAll(/[\w$]+\(require\("vscode"\)\)/g, 'require("vscode")');
  if (shared === bundle) throw new Error(`${path} has no copies of VS Code's API: esbuild writes them in another way`);
  writeFileSync(path, shared);
}

/** @param {string} folder  of a bundled package */
function notice(folder) {
  const { name, version, license } = readManifest(folder);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
  if (!license) throw new Error(`${name} is bundled and names no licence`);
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}

/** @param {string} folder */
function readManifest(folder) {
  const path = join(folder, 'package.json');
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  return JSON.parse(readFileSync(path, 'utf8'));
}
