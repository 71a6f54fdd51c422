import type { CliEnvironment } from './cliEnvironment';
import { checkpointCommand } from './checkpointCommand';
import { createContext } from './commandContext';
import { EXIT_CODE, type ExitCode } from './exitCode';
import { forkCommand } from './forkCommand';
import { helpText } from './helpText';
import { Output } from './output';
import { parseCommandLine, type CommandLine } from './parseCommandLine';
import { repairCommand } from './repairCommand';
import { printable } from './report/format';
import { checkpointsCommand, rewindCommand } from './rewindCommand';
import { scanCommand } from './scanCommand';
import { searchCommand } from './searchCommand';
import { showCommand } from './showCommand';
import { tasksCommand } from './tasksCommand';
import { usageCommand } from './usageCommand';
import { UsageError } from './usageError';

/**
 * Runs one command line to its end and says what the process should exit with. Never rejects: whatever goes wrong is
 * one sentence on stderr.
 *
 * @param argv the arguments after the program's name
 */
export async function run(argv: readonly string[], environment: CliEnvironment): Promise<ExitCode> {
  const out = new Output(environment.stdout);
  const err = new Output(environment.stderr);
  try {
    const code = await dispatch(parseCommandLine(argv), environment, out, err);
    if (out.signal.aborted) return EXIT_CODE.brokenPipe;
    if (!environment.signal.aborted) return code;
    await err.write('Stopped.\n');
    return environment.signal.reason === 'SIGTERM' ? EXIT_CODE.terminated : EXIT_CODE.interrupted;
  } catch (error) {
    const name = environment.commandName;
    if (error instanceof UsageError) {
      const command = error.command === null ? '' : ` ${error.command}`;
      await err.write(`${printable(error.message)}\nTry "${name}${command} --help".\n`);
    } else await err.write(`${unexpectedProblem(error)}\n`);
    return EXIT_CODE.unusable;
  }
}

/** What a person reads when something happened that nobody thought of. */
export function unexpectedProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `Rethread could not go on: ${printable(message)}`;
}

async function dispatch(line: CommandLine, environment: CliEnvironment, out: Output, err: Output): Promise<ExitCode> {
  switch (line.kind) {
    case 'help':
      await out.write(helpText(environment.commandName, line.command));
      return EXIT_CODE.ok;
    case 'version':
      await out.write(`${environment.version}\n`);
      return EXIT_CODE.ok;
    case 'scan':
      return scanCommand(createContext(environment, out, err), line.paths, line.isJson);
    case 'repair':
      return repairCommand(createContext(environment, out, err), line.paths, line.mode, line.isJson);
    case 'show':
      return showCommand(createContext(environment, out, err), line.file, line.range, line.isJson);
    case 'tasks':
      return tasksCommand(createContext(environment, out, err), line.file, line.isJson);
    case 'usage':
      return usageCommand(createContext(environment, out, err), line.question, line.paths, line.isJson);
    case 'fork':
      return forkCommand(createContext(environment, out, err), line.file, line.cut, line.isJson);
    case 'checkpoints':
      return checkpointsCommand(createContext(environment, out, err), line.file, line.isJson);
    case 'rewind':
      return rewindCommand(createContext(environment, out, err), line.file, line.order, line.isJson);
    case 'checkpoint':
      return checkpointCommand(environment);
    case 'search':
      return searchCommand(createContext(environment, out, err), line.query, line.paths, line.isJson);
  }
}
