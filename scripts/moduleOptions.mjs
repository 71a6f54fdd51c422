import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build as bundle } from 'esbuild';

/**
 * What every bundle of the program replaces: the main entry of this package is wrapped in a way that hides its parts from bundlers.
 */
export const BUNDLE_ALIAS = { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' };

/**
 * How a program of several parts is bundled: as ES modules, of which each part that is imported dynamically is a file of its
 * own, loaded when it is first needed.
 *
 * @param {string} folder  where the parts lie, below the output folder
 * @returns {import('esbuild').BuildOptions}
 */
export function moduleOptions(folder) {
  return {
    format: 'esm',
    splitting: true,
    outExtension: { '.js': '.mjs' },
    chunkNames: `${folder}/[name]-[hash]`,
    // CommonJS packages in the bundle call `require` for the modules of Node, and the scanner is found beside the program.
    banner: {
      js: "import { createRequire as createRequireHere } from 'node:module';\nconst require = createRequireHere(import.meta.url), __dirname = import.meta.dirname;",
    },
  };
}

/**
 * How the program of the hook is bundled: as one file, which starts without the module node:crypto, and whose compiled code is kept
 * (`src/cli/hookStart.ts`).
 *
 * @param {Record<string, string>} alias  what the other programs replace, too
 * @returns {import('esbuild').BuildOptions}
 */
export function hookOptions(alias = {}) {
  return {
    alias: { ...alias, 'node:crypto': './src/cli/hookCrypto.ts' },
    loader: { '.wasm': 'binary' },
    // A script that is compiled by hand cannot import.
    supported: { 'dynamic-import': false },
    sourcemap: false,
    plugins: [{ name: 'hook start', setup: startHook }],
  };
}

/** @param {import('esbuild').PluginBuild} build */
function startHook(build) {
  build.initialOptions.write = false;
  build.onEnd(async ({ outputFiles: [program] = [] }) => {
    if (program === undefined) return;
    const hook = `function runHook(exports,require,module,__filename,__dirname){${program.text}}`;
    const hash = createHash('sha256').update(hook).digest('hex').slice(0, 16);
    const { minify = false, target } = build.initialOptions;
    const start = await bundle({
      entryPoints: ['src/cli/hookStart.ts'],
      bundle: true,
      platform: 'node',
      format: 'cjs',
      write: false,
      minify,
      target,
      define: { __HOOK_HASH__: JSON.stringify(hash) },
    });
    // Other bundles may not have been written yet.
    mkdirSync(dirname(program.path), { recursive: true });
    writeFileSync(program.path, `${hook}\n${start.outputFiles[0]?.text ?? ''}`);
  });
}
