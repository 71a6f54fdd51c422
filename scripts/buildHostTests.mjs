// @ts-check
// Bundles the suite that runs inside an extension host: out/host/index.js runs out/host/tests.js;
// out/host/activationTime.js is run in windows of their own.
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import fastGlob from 'fast-glob';

const SUITE = 'test/host/suite';
const OUT = 'out/host';

/**
 * Expects the repository as cwd.
 * @param {string} [only]  how the names of the wanted files begin; all when it is left out
 * @returns {Promise<{ suite: string, activationTime: string }>} paths of the scripts whose `run()` VS Code calls
 */
export async function buildHostTests(only = '') {
  await rm(OUT, { recursive: true, force: true });
  /** @type {import('esbuild').BuildOptions} */
  const common = {
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // mocha must be one instance for both; it and VS Code are there at run time.
    external: ['vscode', 'mocha'],
    logLevel: 'warning',
  };
  const tests = (await fastGlob(`${only}*.test.ts`, { cwd: SUITE })).sort();
  // One bundle, so that the tests share what they import.
  const contents = tests.map((name) => `import './${name}';`).join('\n');
  await Promise.all([
    build({ ...common, entryPoints: ['index', 'activationTime'].map((name) => `${SUITE}/${name}.ts`), outdir: OUT }),
    build({ ...common, stdin: { contents, resolveDir: SUITE }, outfile: `${OUT}/tests.js` }),
  ]);
  return { suite: resolve(OUT, 'index.js'), activationTime: resolve(OUT, 'activationTime.js') };
}
