import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { BUNDLE_ALIAS } from '../../scripts/moduleOptions.mjs';
import { cacheFolder } from '../../scripts/cacheFolder.mjs';

/** The environment of a command line. A build may use less of it. */
export interface SeamEnvironment {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly commandName: string;
  readonly version: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Runs one command line; resolves with its exit code. */
export type CommandLine = (argv: readonly string[], environment: SeamEnvironment) => Promise<number>;

/** What each build's seam exports. `scannerModule`: path of its scanner.wasm. */
export type ConnectCommandLine = (scannerModule: string) => CommandLine;

/** One of the two builds that are compared. */
export interface Side {
  /** Its name in reports. */
  readonly name: string;
  readonly commandLine: CommandLine;
}

const ROOT = resolve(__dirname, '../..');
const SEAM = 'test/same/seam.ts';
const BUNDLE = 'commandLine.cjs';
const SCANNER = 'scanner.wasm';

/** The seam for builds that have none of their own, such as 75b1f94. Relative to the root. */
const FIRST_SEAM = `
import { run } from './src/cli/run';
import { createEngine } from './src/core/engine';
import { loadScanner } from './src/core/scan/wasm/loadScanner';
export const connectCommandLine = (scannerModule) => {
  const createScanner = loadScanner(scannerModule, (warning) => { throw new Error(warning); });
  return (argv, environment) =>
    run(argv, { ...environment, createEngine: (deps) => createEngine({ createScanner, now: environment.now, ...deps }) });
};
`;

/** The build of the working tree, created each time. */
export async function buildWorkingTree(): Promise<Side> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'rethread-same-build-'));
  try {
    await buildTree(ROOT, folder);
    return { name: 'working tree', commandLine: loadCommandLine(folder) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The build of a commit, from its own sources with the packages of this checkout. It is kept in the cache folder,
 * because compiling its scanner takes longer than comparing all fixtures.
 *
 * @throws if there is no such commit, or it cannot be built
 */
export async function buildCommit(commit: string): Promise<Side> {
  const hash = git('rev-parse', '--verify', '--quiet', `${commit}^{commit}`).toString().trim();
  const key = createHash('sha256').update(hash);
  for (const file of ['package-lock.json', 'test/same/buildSide.ts']) key.update(readFileSync(join(ROOT, file)));
  const folder = join(cacheFolder(), 'same', key.digest('hex').slice(0, 16));
  if (!existsSync(folder)) await buildArchive(hash, folder);
  return { name: hash.slice(0, 7), commandLine: loadCommandLine(folder) };
}

async function buildArchive(hash: string, folder: string): Promise<void> {
  mkdirSync(join(folder, '..'), { recursive: true });
  const scratch = mkdtempSync(`${folder}-`);
  try {
    const tree = join(scratch, 'tree');
    const made = join(scratch, 'made');
    for (const each of [tree, made]) mkdirSync(each);
    execFileSync('tar', ['-x', '-C', tree], { input: git('archive', '--format=tar', hash, 'src', 'scripts', 'test') });
    symlinkSync(realpathSync(join(ROOT, 'node_modules')), join(tree, 'node_modules'), 'junction');
    await buildTree(tree, made);
    renameSync(made, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Bundles the tree's seam as the product is bundled, and compiles the tree's scanner. */
async function buildTree(tree: string, folder: string): Promise<void> {
  const seam = join(tree, SEAM);
  await build({
    ...(existsSync(seam)
      ? { entryPoints: [seam] }
      : { stdin: { contents: FIRST_SEAM, resolveDir: tree, loader: 'ts', sourcefile: 'seam.ts' } }),
    outfile: join(folder, BUNDLE),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    alias: BUNDLE_ALIAS,
    define: { __RETHREAD_VERSION__: '"0.0.0"' },
    logLevel: 'warning',
  });
  // SAFETY: each tree's script exports this function; a tree without it ends in a TypeError that names it.
  const script = (await import(pathToFileURL(join(tree, 'scripts/scannerModule.mjs')).href)) as {
    scannerModulePath(): string;
  };
  copyFileSync(script.scannerModulePath(), join(folder, SCANNER));
  // Prevents the bundle from being loaded as a module of this package.
  writeFileSync(join(folder, 'package.json'), '{"type":"commonjs"}');
}

function loadCommandLine(folder: string): CommandLine {
  // SAFETY: the bundle of a seam, which exports this.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { connectCommandLine } = require(join(folder, BUNDLE)) as { connectCommandLine: ConnectCommandLine };
  return connectCommandLine(join(folder, SCANNER));
}

function git(...args: readonly string[]): Buffer {
  return execFileSync('git', args, { cwd: ROOT, maxBuffer: 1024 * 1024 * 1024 });
}
