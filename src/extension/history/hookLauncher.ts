import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointCalls } from '../../protocol/channels/history';
import { shellCommand } from '../../protocol/tools';

export interface HookLauncherDeps {
  /** Absolute path of a folder of ours that stays when the extension is updated. */
  readonly storage: string;
  /** Absolute path of the program in the extension, which goes when it is updated. */
  readonly bundled: string;
  readonly version: string;
  /** Absolute path of what runs this extension. */
  readonly runtime: string;
  readonly isWindows: boolean;
  readonly hooks: Pick<CheckpointCalls, 'installProgram'>;
}

/**
 * The program that Claude Code's hook runs, where it stays: the extension's own folder has another name in each version. It
 * is put there with the first hook, and again by each version that follows.
 */
export class HookLauncher {
  readonly #deps: HookLauncherDeps;
  readonly #script: string;
  readonly #program: string;

  constructor(deps: HookLauncherDeps) {
    this.#deps = deps;
    this.#script = join(deps.storage, 'checkpoints', 'checkpoint.sh');
    this.#program = join(deps.storage, 'checkpoints', 'checkpoint.js');
  }

  get command(): string {
    return shellCommand(['sh', this.#script], this.#deps.isWindows);
  }

  get #text(): string {
    const { version, runtime, isWindows } = this.#deps;
    return launcherScript({ version, runtime, program: this.#program }, isWindows);
  }

  async install(): Promise<void> {
    const program = await readFile(this.#deps.bundled, 'utf8');
    // The script last: once it is there, so is all that it runs.
    await this.#deps.hooks.installProgram([
      { path: this.#program, text: program, isExecutable: false },
      { path: this.#script, text: this.#text, isExecutable: true },
    ]);
  }

  /** Brings what is there up to date; where nothing is, nothing comes. Resolves to whether it is there. */
  async refresh(): Promise<boolean> {
    const present = await readFile(this.#script, 'utf8').catch(() => null);
    if (present !== null && present !== this.#text) await this.install();
    return present !== null;
  }
}

export interface LauncherTarget {
  /** Of the extension. */
  readonly version: string;
  /** Absolute path of what VS Code runs extensions with: Node itself, or Electron, which can stand in for it. */
  readonly runtime: string;
  /** Absolute path of the program. */
  readonly program: string;
}

/**
 * A script for the hook: what VS Code itself runs is known to fit the program; where that is gone, because VS Code was
 * updated or taken away, any Node will do. Without either, Claude goes on without a checkpoint: a hook must not be in its way.
 */
function launcherScript({ version, runtime, program }: LauncherTarget, isWindows: boolean): string {
  const [node, script] = [shellCommand([runtime], isWindows), shellCommand([program], isWindows)];
  return `#!/bin/sh
# Rethread ${version}: keeps what a file holds before Claude Code edits it.
if [ -x ${node} ]; then
  ELECTRON_RUN_AS_NODE=1 exec ${node} ${script} "$@"
fi
if command -v node >/dev/null 2>&1; then
  exec node ${script} "$@"
fi
exit 0
`;
}
