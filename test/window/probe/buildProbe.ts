import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(__dirname, '../../..');
const OUT = join(ROOT, 'out/window/probe');
const VSIX = join(ROOT, 'out/window/probe.vsix');

const MANIFEST = {
  name: 'window-probe',
  publisher: 'rethread-test',
  version: '0.0.0',
  engines: { vscode: '^1.100.0' },
  main: './extension.js',
  extensionKind: ['workspace'],
  activationEvents: ['onStartupFinished'],
  extensionDependencies: ['rethread.rethread'],
  files: ['extension.js'],
};

/** Packages the extension that is installed beside ours; returns the path of the package. */
export async function buildProbe(): Promise<string> {
  await mkdir(OUT, { recursive: true });
  await writeFile(join(OUT, 'package.json'), JSON.stringify(MANIFEST));
  await build({
    entryPoints: [join(__dirname, 'extension.ts')],
    outdir: OUT,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'warning',
  });
  const vsce = [join(ROOT, 'node_modules/@vscode/vsce/vsce'), 'package', '--out', VSIX];
  execFileSync(process.execPath, [...vsce, '--no-dependencies', '--allow-missing-repository', '--skip-license'], {
    cwd: OUT,
    stdio: 'pipe',
  });
  return VSIX;
}
