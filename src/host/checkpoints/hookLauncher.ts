import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { launcherScript, quoted } from './launcherScript';

export interface HookLauncherParts {
  /** Absolute path of a folder of ours that stays when the extension is updated. */
  readonly storage: string;
  /** Absolute path of the program in the extension, which goes when it is updated. */
  readonly bundled: string;
  readonly version: string;
  /** Absolute path of what runs this extension. */
  readonly runtime: string;
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
    return `sh ${quoted(this.#script)}`;
  }

  async install(): Promise<void> {
    const { bundled, version, runtime } = this.#parts;
    const program = await readFile(bundled);
    await mkdir(dirname(this.#script), { recursive: true, mode: 0o700 });
    // The script last: once it is there, so is all that it runs.
    await replace(this.#program, program, 0o600);
    await replace(this.#script, launcherScript({ version, runtime, program: this.#program }), 0o700);
  }

  /** Brings what is there up to date; where nothing is, nothing comes. */
  async refresh(): Promise<void> {
    const { version, runtime } = this.#parts;
    const present = await readFile(this.#script, 'utf8').catch(() => null);
    if (present === null || present === launcherScript({ version, runtime, program: this.#program })) return;
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
