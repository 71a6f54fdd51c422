import { stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { isSessionId } from '../protocol/session';
import { configDirOf, type CliEnvironment, type Output } from './environment';
import { problemOf } from './report/text';

/** Shared state of a command. */
export interface CommandContext {
  readonly environment: CliEnvironment;
  readonly configDir: string;
  readonly out: Output;
  readonly err: Output;
  /** Aborted by Ctrl-C, and when the reader of the output has closed it. */
  readonly signal: AbortSignal;
}

export function createContext(environment: CliEnvironment, out: Output, err: Output): CommandContext {
  const configDir = configDirOf(environment);
  return {
    environment,
    configDir,
    out,
    err,
    signal: AbortSignal.any([environment.signal, out.signal]),
  };
}

export function absolutePaths(context: CommandContext, paths: readonly string[]): string[] {
  return paths.map((path) => resolve(context.environment.cwd, path));
}

/** One sentence why the config folder cannot be scanned; null if it can. */
export async function configDirProblem(configDir: string): Promise<string | null> {
  try {
    return (await stat(configDir)).isDirectory() ? null : `${configDir} is not a folder.`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return `There is no Claude Code config folder ${configDir}.`;
    return `The Claude Code config folder ${configDir} cannot be read (${String(code)}).`;
  }
}

/**
 * Reports on stderr what is wrong with one input.
 *
 * @param given the PATHs as the person entered them; a session id gets a hint
 */
export async function reportProblem(
  context: CommandContext,
  filePath: string,
  problem: string,
  given: readonly string[],
): Promise<void> {
  const { environment, err } = context;
  const id = given.find((path) => looksLikeSessionId(path) && resolve(environment.cwd, path) === filePath);
  const hint =
    id === undefined
      ? ''
      : ` A session is named by its transcript: "${environment.commandName} scan --json" lists them.`;
  await err.write(`${problemOf(filePath, problem, environment.home)}${hint}\n`);
}

/** People may expect the same arguments as `claude --resume <id>` and pass a session id. */
function looksLikeSessionId(path: string): boolean {
  return !isAbsolute(path) && isSessionId(path);
}
