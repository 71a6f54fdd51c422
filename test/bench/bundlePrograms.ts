import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { scannerModulePath } from '../../scripts/scannerModule.mjs';
import { BUNDLE_ALIAS, hookOptions, moduleOptions } from '../../scripts/moduleOptions.mjs';

const ROOT = resolve(__dirname, '../..');
const OUT = join(ROOT, 'out/bench');

/** Paths of the bundled programs that are measured. */
export interface Programs {
  readonly contender: string;
  readonly startWorker: string;
  readonly openWindow: string;
  readonly appendRows: string;
  readonly countTokens: string;
  /** What Claude Code's hook runs. */
  readonly checkpoint: string;
  /** The command line. */
  readonly cli: string;
}

const common: BuildOptions = {
  outdir: OUT,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  alias: BUNDLE_ALIAS,
};

/** Bundles the measured programs as the product is bundled. */
export async function bundlePrograms(): Promise<Programs> {
  mkdirSync(OUT, { recursive: true });
  await build({
    ...common,
    format: 'cjs',
    entryPoints: {
      appendRows: join(__dirname, 'appendRows.ts'),
      contender: join(__dirname, 'contender.ts'),
      countTokens: join(__dirname, 'countTokens.ts'),
      openWindow: join(__dirname, 'openWindow.ts'),
      startWorker: join(__dirname, 'startWorker.ts'),
      watchOpens: join(__dirname, 'watchOpens.ts'),
    },
  });
  await build({ ...common, ...moduleOptions('worker'), entryPoints: { worker: join(ROOT, 'src/worker/worker.ts') } });
  await build({
    ...common,
    ...hookOptions(BUNDLE_ALIAS),
    format: 'cjs',
    entryPoints: { checkpoint: join(ROOT, 'src/cli/hookProgram.ts') },
  });
  await build({
    ...common,
    ...moduleOptions('cli'),
    entryPoints: { cli: join(ROOT, 'src/cli/main.ts') },
    define: { __RETHREAD_VERSION__: JSON.stringify('0.0.0') },
  });
  copyFileSync(scannerModulePath(), join(OUT, 'scanner.wasm'));
  return {
    contender: join(OUT, 'contender.js'),
    startWorker: join(OUT, 'startWorker.js'),
    openWindow: join(OUT, 'openWindow.js'),
    appendRows: join(OUT, 'appendRows.js'),
    countTokens: join(OUT, 'countTokens.js'),
    checkpoint: join(OUT, 'checkpoint.js'),
    cli: join(OUT, 'cli.mjs'),
  };
}
