// Bundles everything that ships: dist/extension.js, dist/worker.js, dist/cli.js. `--dev` keeps names and source maps.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

const isDev = process.argv.includes('--dev');

rmSync('dist', { recursive: true, force: true });

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
  // Runs when a bundle is built and when it starts, so both faces name the same version.
  define: { __RETHREAD_VERSION__: JSON.stringify(process.env.npm_package_version ?? (await version())) },
};

await Promise.all([
  build({ ...common, entryPoints: { extension: 'src/host/extension.ts' }, external: ['vscode'] }),
  build({ ...common, entryPoints: { worker: 'src/worker/worker.ts' } }),
  build({ ...common, entryPoints: { cli: 'src/cli/main.ts' }, banner: { js: '#!/usr/bin/env node' } }),
]);

async function version() {
  const { readFile } = await import('node:fs/promises');
  return JSON.parse(await readFile('package.json', 'utf8')).version;
}
