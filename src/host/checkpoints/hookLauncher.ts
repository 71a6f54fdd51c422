import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { shellCommand } from '../../shared/shellCommand';
import { launcherScript } from './launcherScript';

export interface HookLauncherParts {
  /** Absolute path of a folder of ours that stays when the extension is updated. */
  readonly storage: string;
  /** Absolute path of the program in the extension, which goes when it is updated. */
  readonly bundled: string;
  readonly version: string;
  /** Absolute path of what runs this extension. */
  readonly runtime: string;
  readonly isWindows: boolean;
}

/**
 * The program that Claude Code's hook runs, where it stays: the extension's own folder has another name in each version. It
 * is put there with the first hook, and again by each version that follows.
 */
export class HookLauncher {
  readonly #parts: HookLauncherParts;
  readonly #script: string;
  readonly #program: string;

  constructor(parts: HookLauncherParts) {
    this.#parts = parts;
    this.#script = join(parts.storage, 'checkpoints', 'checkpoint.sh');
    this.#program = join(parts.storage, 'checkpoints', 'checkpoint.js');
  }

  get command(): string {
    return shellCommand(['sh', this.#script], this.#parts.isWindows);
  }

  get #text(): string {
    const { version, runtime, isWindows } = this.#parts;
    return launcherScript({ version, runtime, program: this.#program }, isWindows);
  }

  async install(): Promise<void> {
    const program = await readFile(this.#parts.bundled);
    await mkdir(dirname(this.#script), { recursive: true, mode: 0o700 });
    // The script last: once it is there, so is all that it runs.
    await replace(this.#program, program, 0o600);
    await replace(this.#script, this.#text, 0o700);
  }

  /** Brings what is there up to date; where nothing is, nothing comes. */
  async refresh(): Promise<void> {
    const present = await readFile(this.#script, 'utf8').catch(() => null);
    if (present === null || present === this.#text) return;
    await this.install();
  }
}

/** A hook may be running it at that time. */
async function replace(path: string, content: string | Uint8Array, mode: number): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, content, { mode });
  await chmod(temporary, mode);
  await rename(temporary, path);
}
