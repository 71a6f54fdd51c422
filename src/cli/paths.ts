import { stat } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import type { CliEnvironment } from './cliEnvironment';

/** Claude Code's config folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. Absolute. */
export function configDirOf(environment: Pick<CliEnvironment, 'env' | 'cwd' | 'home'>): string {
  const named = environment.env['CLAUDE_CONFIG_DIR'] ?? '';
  return named === '' ? join(environment.home, '.claude') : resolve(environment.cwd, named);
}

/** Why the config folder cannot be scanned, in one sentence; null when it can. */
export async function configDirProblem(configDir: string): Promise<string | null> {
  try {
    return (await stat(configDir)).isDirectory() ? null : `${configDir} is not a folder.`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return `There is no Claude Code config folder ${configDir}.`;
    return `The Claude Code config folder ${configDir} cannot be read (${String(code)}).`;
  }
}

/** People take `claude --resume <id>` for a model and name a session by its id. */
export function looksLikeSessionId(path: string): boolean {
  return !isAbsolute(path) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu.test(path);
}
