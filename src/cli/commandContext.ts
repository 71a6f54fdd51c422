import { resolve } from 'node:path';
import type { CliEnvironment } from './cliEnvironment';
import { Engines } from './engines';
import type { Output } from './output';
import { configDirOf, looksLikeSessionId } from './paths';
import { problemOf } from './report/format';

/** What a command works with. */
export interface CommandContext {
  readonly environment: CliEnvironment;
  readonly engines: Engines;
  readonly configDir: string;
  readonly out: Output;
  readonly err: Output;
  /** Aborted by Ctrl-C, and when nobody reads the output any more. */
  readonly signal: AbortSignal;
}

export function createContext(environment: CliEnvironment, out: Output, err: Output): CommandContext {
  const configDir = configDirOf(environment);
  return {
    environment,
    engines: new Engines(environment, configDir),
    configDir,
    out,
    err,
    signal: AbortSignal.any([environment.signal, out.signal]),
  };
}

export function absolutePaths(context: CommandContext, paths: readonly string[]): string[] {
  return paths.map((path) => resolve(context.environment.cwd, path));
}

/** Tells on stderr why one input is of no use. */
export async function reportProblem(
  context: CommandContext,
  filePath: string,
  problem: string,
  named: readonly string[],
): Promise<void> {
  const { environment, err } = context;
  const id = named.find((path) => looksLikeSessionId(path) && resolve(environment.cwd, path) === filePath);
  const hint =
    id === undefined
      ? ''
      : ` A session is named by its transcript: "${environment.commandName} scan --json" lists them.`;
  await err.write(`${problemOf(filePath, problem, environment.home)}${hint}\n`);
}
