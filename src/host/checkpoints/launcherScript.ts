import { shellCommand } from '../../shared/shellCommand';

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
export function launcherScript({ version, runtime, program }: LauncherTarget, isWindows: boolean): string {
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
