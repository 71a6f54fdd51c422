import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointCalls } from '../../protocol/channels/history';
import { shellCommand } from '../../protocol/tools';

export interface HookLauncherDeps {
  /** Absolute path of the extension's storage folder, which survives updates. */
  readonly storage: string;
  /** Absolute path of the program in the extension's folder, which an update deletes. */
  readonly bundled: string;
  readonly version: string;
  /** Absolute path of the executable that runs this extension. */
  readonly runtime: string;
  readonly isWindows: boolean;
  readonly hooks: Pick<CheckpointCalls, 'installProgram'>;
}

/**
 * Installs the program that Claude Code's hook runs at a stable path, since the extension's own folder has another name in
 * each version. It is installed with the first hook and updated by each later version.
 */
export class HookLauncher {
  readonly #deps: HookLauncherDeps;
  readonly #script: string;
  readonly #program: string;

  constructor(deps: HookLauncherDeps) {
    this.#deps = deps;
    this.#script = join(deps.storage, 'checkpoints', 'checkpoint.sh');
    // Under another suffix, a `package.json` in a folder above could make it a module, which it is not.
    this.#program = join(deps.storage, 'checkpoints', 'checkpoint.cjs');
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
    // The script goes last: once it exists, so does everything that it runs.
    await this.#deps.hooks.installProgram([
      { path: this.#program, text: program, isExecutable: false },
      { path: this.#script, text: this.#text, isExecutable: true },
    ]);
  }

  /** Updates the installed files, or does nothing if none are installed. Resolves to whether they are installed. */
  async refresh(): Promise<boolean> {
    const present = await readFile(this.#script, 'utf8').catch(() => null);
    if (present !== null && present !== this.#text) await this.install();
    return present !== null;
  }
}

export interface LauncherTarget {
  /** Version of the extension. */
  readonly version: string;
  /** Absolute path of the executable that VS Code runs extensions with: Node, or Electron, which can run as Node. */
  readonly runtime: string;
  /** Absolute path of the program. */
  readonly program: string;
}

/**
 * Script for the hook. VS Code's own runtime is known to fit the program. If it is gone because VS Code was updated or
 * removed, any Node will do. Without either, Claude continues without a checkpoint, since a hook must not block it.
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
