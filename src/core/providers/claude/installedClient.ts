import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { type FoundClient, type FoundClients, isClientVersion } from '../../../protocol/client';
import type { WriteDeps } from '../../storage/openTranscript';
import { readTextFile, replaceText } from '../../storage/replaceText';
import { isJsonObject, parseObject, stringField } from '../../util/json';
import { isAtLeast } from './loader/rules';

/** Which file a path stands for. A program that was replaced or changed has another identity. */
export interface ProgramIdentity {
  /** Without symbolic links. */
  readonly realPath: string;
  readonly device: bigint;
  readonly inode: bigint;
  /** Bytes. */
  readonly size: bigint;
  /** Nanoseconds since the epoch. */
  readonly mtimeNs: bigint;
}

/** What looking for a client needs of the file system. Nothing rejects. */
export interface ClientFiles {
  /** Null if the path names no file that this person may execute. */
  program(path: string): Promise<ProgramIdentity | null>;
  /** Null if the file cannot be read. */
  text(path: string): Promise<string | null>;
}

/** Runs a program without a shell and without input; resolves to what it prints. Rejects if it fails or takes too long. */
export type RunProgram = (path: string, args: readonly string[], timeoutMs: number) => Promise<string>;

export interface InstalledClientDeps {
  /** `$PATH`. */
  readonly searchPath: string | undefined;
  readonly platform: NodeJS.Platform;
  /** Absolute path of the folder of Claude Code's VS Code extension, which brings a client; null if it is not installed. */
  readonly extensionFolder: string | null;
  /** Absolute path of a folder of ours, where the answers of clients are kept; null if nothing is kept. */
  readonly cacheDir: string | null;
  readonly files: ClientFiles;
  readonly run: RunProgram;
  readonly write: Pick<WriteDeps, 'fs' | 'random'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** A client says its version in about 100 ms. */
const ANSWER_TIMEOUT_MS = 5000;
/** A client that did not answer is asked again after this long, since the reason may have been a busy machine. */
const ASK_AGAIN_MS = 24 * 60 * 60 * 1000;
const CACHE_FILE = 'client-versions.json';
/** The clients whose answers are kept: each update of a client is another one. */
const MAX_ANSWERS = 16;
const PRIVATE_FOLDER_MODE = 0o700;

/**
 * The version of the Claude Code client that this person has: the newer of `claude` on the PATH and the client in Claude
 * Code's own extension. Null if there is none, or if it does not say its version. Never rejects. A program is run at most once
 * for each identity, and only where no file beside it tells its version.
 */
export async function findInstalledClient(deps: InstalledClientDeps): Promise<string | null> {
  const { onPath, ofExtension } = await findInstalledClients(deps);
  const [one, other] = [onPath?.version ?? null, ofExtension?.version ?? null];
  if (one === null || other === null) return one ?? other;
  return isAtLeast(other, one) ? other : one;
}

/** Both clients that this person may have, as `findInstalledClient` finds them. Never rejects. */
export async function findInstalledClients(deps: InstalledClientDeps): Promise<FoundClients> {
  const answers = new ClientAnswers(deps);
  const [onPath, ofExtension] = await Promise.all([clientOnPath(deps, answers), clientOfExtension(deps, answers)]);
  await answers.save();
  return { onPath, ofExtension };
}

async function clientOnPath(deps: InstalledClientDeps, answers: ClientAnswers): Promise<FoundClient | null> {
  const names = deps.platform === 'win32' ? ['claude.exe', 'claude.cmd'] : ['claude'];
  // A relative entry would depend on the current folder, which may be anybody's.
  const folders = (deps.searchPath ?? '').split(delimiter).filter(isAbsolute);
  for (const folder of folders) {
    for (const name of names) {
      const path = join(folder, name);
      const program = await deps.files.program(path);
      if (program === null) continue;
      return { path, version: (await versionBeside(program, folder, deps)) ?? (await answers.of(program)) };
    }
  }
  return null;
}

async function clientOfExtension(deps: InstalledClientDeps, answers: ClientAnswers): Promise<FoundClient | null> {
  const { extensionFolder: folder, files, platform } = deps;
  if (folder === null) return null;
  const path = join(folder, 'resources', 'native-binary', platform === 'win32' ? 'claude.exe' : 'claude');
  const program = await files.program(path);
  const answer = program === null ? null : await answers.of(program);
  // The extension has the version of its client.
  const version = answer ?? (await packageVersion(folder, /^claude-code$/, files));
  return program === null && version === null ? null : { path: program === null ? null : path, version };
}

/** The version by where the program is: the native installer's folder, or an npm package. */
async function versionBeside(
  { realPath }: ProgramIdentity,
  folder: string,
  { files }: InstalledClientDeps,
): Promise<string | null> {
  const parent = dirname(realPath);
  const isNative = basename(parent) === 'versions' && basename(dirname(parent)) === 'claude';
  if (isNative && isClientVersion(basename(realPath))) return basename(realPath);
  const shimmed = join(folder, 'node_modules', '@anthropic-ai', 'claude-code');
  // npm's command is a link into the package, and on Windows a script that names it.
  const packages = realPath.endsWith('.cmd') ? [shimmed] : [parent, dirname(parent)];
  for (const each of packages) {
    const version = await packageVersion(each, /^@anthropic-ai\/claude-code(-|$)/, files);
    if (version !== null) return version;
  }
  return null;
}

async function packageVersion(folder: string, name: RegExp, files: ClientFiles): Promise<string | null> {
  const manifest = parseObject((await files.text(join(folder, 'package.json'))) ?? '');
  if (manifest === null || !name.test(stringField(manifest, 'name') ?? '')) return null;
  const version = stringField(manifest, 'version') ?? '';
  return isClientVersion(version) ? version : null;
}

/** An answer as the cache file holds it. */
interface StoredAnswer {
  readonly identity: string;
  readonly version: string | null;
  /** Milliseconds since the epoch. */
  readonly askedAtMs: number;
}

/** What programs said of their version, kept across restarts. */
class ClientAnswers {
  readonly #deps: InstalledClientDeps;
  readonly #filePath: string | null;
  readonly #added: StoredAnswer[] = [];
  #stored: Promise<readonly StoredAnswer[]> | null = null;

  constructor(deps: InstalledClientDeps) {
    this.#deps = deps;
    this.#filePath = deps.cacheDir === null ? null : join(deps.cacheDir, CACHE_FILE);
  }

  async of(program: ProgramIdentity): Promise<string | null> {
    const { now } = this.#deps;
    const identity = identityText(program);
    this.#stored ??= this.#read();
    const known = (await this.#stored).find((each) => each.identity === identity);
    const ageMs = now() - (known?.askedAtMs ?? 0);
    if (known !== undefined && (known.version !== null || (ageMs >= 0 && ageMs < ASK_AGAIN_MS))) return known.version;
    const version = await this.#ask(program);
    this.#added.push({ identity, version, askedAtMs: now() });
    return version;
  }

  /**
   * A folder that cannot be written, and another process that writes at the same time, cost another question at the next
   * start. Not by way of the caches' library: once it is loaded, it ends the process at Ctrl-C, also in the middle of a repair.
   */
  async save(): Promise<void> {
    if (this.#filePath === null || this.#added.length === 0) return;
    const { write } = this.#deps;
    const isAdded = new Set(this.#added.map(({ identity }) => identity));
    await mkdir(dirname(this.#filePath), { recursive: true, mode: PRIVATE_FOLDER_MODE }).catch(() => undefined);
    const found = await readTextFile(this.#filePath, write.fs);
    if (found.kind === 'problem') return;
    const before = found.kind === 'text' ? found.text : null;
    const others = parseAnswers(before ?? '').filter(({ identity }) => !isAdded.has(identity));
    const answers = [...this.#added, ...others].slice(0, MAX_ANSWERS);
    await replaceText(this.#filePath, before, JSON.stringify({ answers }), write);
  }

  async #read(): Promise<readonly StoredAnswer[]> {
    if (this.#filePath === null) return [];
    const found = await readTextFile(this.#filePath, this.#deps.write.fs);
    return found.kind === 'text' ? parseAnswers(found.text) : [];
  }

  async #ask({ realPath }: ProgramIdentity): Promise<string | null> {
    try {
      const output = await this.#deps.run(realPath, ['--version'], ANSWER_TIMEOUT_MS);
      return /^(\d{1,6}\.\d{1,6}\.\d{1,6})\b.*\(Claude Code\)/m.exec(output)?.[1] ?? null;
    } catch {
      return null;
    }
  }
}

function identityText({ realPath, device, inode, size, mtimeNs }: ProgramIdentity): string {
  return [device, inode, size, mtimeNs, realPath].join(' ');
}

function parseAnswers(text: string): readonly StoredAnswer[] {
  const answers = parseObject(text)?.['answers'];
  return Array.isArray(answers) ? answers.filter(isStoredAnswer) : [];
}

function isStoredAnswer(value: unknown): value is StoredAnswer {
  if (!isJsonObject(value)) return false;
  const { identity, version, askedAtMs } = value;
  const isVersion = version === null || (typeof version === 'string' && isClientVersion(version));
  return typeof identity === 'string' && isVersion && typeof askedAtMs === 'number';
}

export const diskClientFiles: ClientFiles = {
  program: async (path) => {
    try {
      const realPath = await realpath(path);
      const stats = await stat(realPath, { bigint: true });
      if (!stats.isFile()) return null;
      await access(realPath, constants.X_OK);
      return { realPath, device: stats.dev, inode: stats.ino, size: stats.size, mtimeNs: stats.mtimeNs };
    } catch {
      return null;
    }
  },
  text: (path) => readFile(path, 'utf8').catch(() => null),
};

/** What is read of a program's output, in characters. */
const MAX_OUTPUT = 4096;
/** How long after the end of a program its output is still waited for. */
const OUTPUT_DELAY_MS = 500;

export const runProgram: RunProgram = (path, args, timeoutMs) =>
  new Promise((resolve, reject) => {
    const child = spawn(path, [...args], {
      // Not the folder of a project, whose settings the program might read.
      cwd: tmpdir(),
      env: { ...process.env, DISABLE_AUTOUPDATER: '1' },
      shell: false,
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    let output = '';
    child.stdout.setEncoding('utf8');
    child.stdout.on('data', (text: string) => {
      if (output.length < MAX_OUTPUT) output += text;
    });
    child.on('error', reject);
    const end = (code: number | null): void => {
      if (code === 0) resolve(output);
      else reject(new Error(`Failed to run ${path}: exit code ${String(code)}`));
    };
    child.on('close', end);
    // A process that the program left behind may keep the output open.
    child.on('exit', (code) => setTimeout(end, OUTPUT_DELAY_MS, code).unref());
  });
