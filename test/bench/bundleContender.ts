import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { scannerModulePath } from '../../scripts/scannerModule.mjs';

const ROOT = resolve(__dirname, '../..');
const OUT = join(ROOT, 'out/bench');

/** Bundles the measured program the way the product is bundled, and returns its path. */
export async function bundleContender(): Promise<string> {
  mkdirSync(OUT, { recursive: true });
  const outfile = join(OUT, 'contender.js');
  await build({
    entryPoints: [join(__dirname, 'contender.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning',
  });
  copyFileSync(scannerModulePath(), join(OUT, 'scanner.wasm'));
  return outfile;
}
