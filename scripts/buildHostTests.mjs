// @ts-check
// Bundles the suite that runs inside an extension host: out/host/index.js and one file a test.
import { rm } from 'node:fs/promises';
import { build } from 'esbuild';
import fastGlob from 'fast-glob';

const OUT = 'out/host';

/**
 * Expects the repository as cwd.
 * @returns {Promise<string>} path of the script whose `run()` VS Code calls
 */
export async function buildHostTests() {
  await rm(OUT, { recursive: true, force: true });
  await build({
    entryPoints: ['test/host/suite/index.ts', ...(await fastGlob('test/host/suite/**/*.test.ts'))],
    outdir: OUT,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    sourcemap: 'linked',
    // mocha must be one instance for all files; it and VS Code are there at run time.
    external: ['vscode', 'mocha'],
    logLevel: 'warning',
  });
  return `${OUT}/index.js`;
}
