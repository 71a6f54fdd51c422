import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE_ALIAS } from '../../../scripts/moduleOptions.mjs';

const ROOT = resolve(__dirname, '../../..');

/** Bundles a program of the sources or the tests into a folder, as the product is bundled. Returns its path. */
export async function bundleProgram(source: string, folder: string): Promise<string> {
  const name = 'program';
  await build({
    entryPoints: { [name]: join(ROOT, source) },
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    alias: BUNDLE_ALIAS,
    logLevel: 'warning',
  });
  return join(folder, `${name}.js`);
}
