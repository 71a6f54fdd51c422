import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { RepairDocument, ScanDocument } from './documents';

const BUILT = join(__dirname, '..', '..', 'dist');
const PROGRAM = 'cli.js';
/** Files that the program loads on demand. */
const CHUNKS = 'cli';
const SCANNER = 'scanner.wasm';

/** "nobody" on Linux and macOS. Root can read everything, so tests of unreadable files run as another user. */
const NOBODY = 65534;

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface SpawnOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** Runs as a user to whom file permissions apply. */
  readonly isUnprivileged?: boolean;
}

/** The built command line, copied into a folder that everybody can read. */
export class BuiltCli {
  readonly #script: string;

  private constructor(
    script: string,
    private readonly folder: string,
  ) {
    this.#script = script;
  }

  /** @param folder a temporary one; it becomes the home folder as well */
  static async install(folder: string): Promise<BuiltCli> {
    if (!existsSync(join(BUILT, PROGRAM))) throw new Error('Failed to find dist/cli.js: run `npm run build` first');
    await chmod(folder, 0o755);
    await mkdir(join(folder, CHUNKS));
    await chmod(join(folder, CHUNKS), 0o755);
    const chunks = await readdir(join(BUILT, CHUNKS));
    for (const name of [PROGRAM, 'cli.mjs', SCANNER, ...chunks.map((chunk) => join(CHUNKS, chunk))]) {
      await copyFile(join(BUILT, name), join(folder, name));
      await chmod(join(folder, name), 0o644);
    }
    const script = join(folder, PROGRAM);
    return new BuiltCli(script, folder);
  }

  /** Removes the fast scanner, as where WebAssembly is unavailable. */
  async removeScanner(): Promise<void> {
    await rm(join(this.folder, SCANNER));
  }

  spawn(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
    const isRoot = process.getuid?.() === 0;
    return spawn(process.execPath, [this.#script, ...args], {
      cwd: options.cwd ?? this.folder,
      // An environment of its own, so that the person's sessions and their client are out of reach.
      env: { PATH: join(this.folder, 'bin'), HOME: this.folder, USERPROFILE: this.folder, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.isUnprivileged === true && isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
  }

  async run(args: readonly string[], options: SpawnOptions = {}): Promise<CliResult> {
    return resultOf(this.spawn(args, options));
  }

  /** Runs `scan … --json`; fails unless stdout is one JSON document. */
  async scan(paths: readonly string[], options: SpawnOptions = {}): Promise<CliResult & { document: ScanDocument }> {
    const result = await this.run(['scan', ...paths, '--json'], options);
    // SAFETY: the shape is the contract of this command; the callers check its values.
    return { ...result, document: JSON.parse(result.stdout) as ScanDocument };
  }

  /** Runs `repair … --json`; fails unless stdout is one JSON document. */
  async repair(args: readonly string[], options: SpawnOptions = {}): Promise<CliResult & { document: RepairDocument }> {
    const result = await this.run(['repair', ...args, '--json'], options);
    // SAFETY: the shape is the contract of this command; the callers check its values.
    return { ...result, document: JSON.parse(result.stdout) as RepairDocument };
  }
}

export async function resultOf(child: ChildProcess): Promise<CliResult> {
  if (child.stdout === null || child.stderr === null) throw new Error('Failed to read a child without pipes');
  const exited = new Promise<number | null>((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
}
