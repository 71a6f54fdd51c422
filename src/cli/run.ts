import { parseArgs } from 'node:util';
import {
  EXIT_CODES_HELP,
  FILE_HELP,
  InputError,
  PATHS_HELP,
  UsageError,
  WAS_ENDED,
  withUsageErrors,
  type Command,
} from './command';
import { createContext } from './context';
import { EXIT_CODE, Output, type CliEnvironment, type ExitCode } from './environment';
import { printable } from './report/text';

interface ListedCommand {
  readonly name: string;
  /** The name and the positionals. */
  readonly usage: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** The commands in the order of the help. Each is loaded when it is called. */
const COMMANDS: readonly ListedCommand[] = [
  listed('scan [PATH…]', 'check sessions; without a PATH, all of them', () => import('./commands/scan')),
  listed('repair PATH…', 'mend what is broken and keep a backup', () => import('./commands/repair')),
  listed('slim FILE', 'shrink a giant transcript without changing what Claude loads', () => import('./commands/slim')),
  listed('list', 'what each session is doing; --running for those that run', () => import('./commands/list')),
  listed('preflight FILE', 'what resuming a session sends and costs', () => import('./commands/preflight')),
  listed('show FILE', 'read a session', () => import('./commands/show')),
  listed('tail FILE', 'follow a session: print each message as it is written', () => import('./commands/tail')),
  listed('tasks FILE', 'what a session set out to do, and how far it is', () => import('./commands/tasks')),
  listed('usage [PATH…]', 'tokens used, and what they cost by the price list', () => import('./commands/usage')),
  listed('search TEXT [PATH…]', 'find what was said, or done, in sessions', () => import('./commands/search')),
  listed('export FILE', 'write a session as Markdown, HTML or JSON', () => import('./commands/export')),
  listed('fork FILE', 'make a new session of a part of another', () => import('./commands/fork')),
  listed('checkpoints FILE', 'the prompts that files can be put back to', () => import('./commands/checkpoints')),
  listed(
    'rewind FILE PROMPT',
    'put the files back to what they were before a prompt',
    () => import('./commands/rewind'),
  ),
  listed('checkpoint', 'what Claude Code runs before it changes a file', () => import('./commands/checkpoint')),
];

function listed(usage: string, summary: string, load: ListedCommand['load']): ListedCommand {
  return { name: usage.split(' ')[0] ?? usage, usage, summary, load };
}

/**
 * Runs one command line and returns the exit code of the process. Never rejects: every failure is one sentence on
 * stderr.
 *
 * @param argv the arguments after the program's name
 */
export async function run(argv: readonly string[], environment: CliEnvironment): Promise<ExitCode> {
  const out = new Output(environment.stdout);
  const err = new Output(environment.stderr);
  const called = commandOf(argv[0]);
  try {
    const code =
      called === undefined
        ? await answerWithoutCommand(argv, environment, out)
        : await (await called.load()).command.run(createContext(environment, out, err), argv.slice(1));
    if (out.failure !== null) {
      await err.write(`The output could not be written (${out.failure}), so it is not complete.\n`);
      return EXIT_CODE.unusable;
    }
    if (out.signal.aborted) return EXIT_CODE.brokenPipe;
    if (code === WAS_ENDED) return EXIT_CODE.ok;
    if (!environment.signal.aborted) return code;
    await err.write('Stopped.\n');
    return environment.signal.reason === 'SIGTERM' ? EXIT_CODE.terminated : EXIT_CODE.interrupted;
  } catch (error) {
    if (error instanceof UsageError) {
      const start = called === undefined ? environment.commandName : `${environment.commandName} ${called.name}`;
      await err.write(`${printable(error.message)}\nTry "${start} --help".\n`);
    } else await err.write(`${error instanceof InputError ? printable(error.message) : unexpectedProblem(error)}\n`);
    return EXIT_CODE.unusable;
  }
}

/** The message for an unexpected failure. */
export function unexpectedProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `Rethread could not go on: ${printable(message)}`;
}

/** Handles `--version`, `--help`, `--help <command>`, `help`, `help <command>`, and command lines that name no command. */
async function answerWithoutCommand(
  argv: readonly string[],
  environment: CliEnvironment,
  out: Output,
): Promise<ExitCode> {
  const [first, about] = argv;
  if (first === undefined) throw new UsageError(`A command is needed: ${commandList('or')}.`);
  if (first === 'help' && (about === undefined || commandOf(about) !== undefined)) {
    return answerWithoutCommand(['--help', ...argv.slice(1)], environment, out);
  }
  if (!first.startsWith('-')) throw new UsageError(`There is no command "${first}"; there are ${commandList('and')}.`);
  const { values } = withUsageErrors(() =>
    parseArgs({
      args: [...argv],
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } },
      allowPositionals: true,
    }),
  );
  if (values.version === true) await out.write(`${environment.version}\n`);
  else if (values.help === true) {
    const about = COMMANDS.find(({ name }) => argv.includes(name));
    const { help } = about === undefined ? { help: programHelp } : (await about.load()).command;
    await out.write(help(environment.commandName));
  } else throw new UsageError(`The command comes first: ${commandList('or')}.`);
  return EXIT_CODE.ok;
}

function commandOf(word: string | undefined): ListedCommand | undefined {
  return COMMANDS.find(({ name }) => name === word);
}

/** "scan, repair and search", or with "or" before the last. */
function commandList(word: 'and' | 'or'): string {
  const names = COMMANDS.map(({ name }) => name);
  return `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1) ?? ''}`;
}

function programHelp(name: string): string {
  const width = Math.max(...COMMANDS.map(({ usage }) => usage.length));
  return `Usage: ${name} <command> [options]

Finds Claude Code sessions, says what Claude remembers when one is resumed, and
repairs the ones whose history has come apart.

Commands:
${COMMANDS.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`).join('\n')}

Options:
  -h, --help     show this help, or a command's with "${name} <command> --help"
      --version  show the version

${PATHS_HELP}

${FILE_HELP}

${EXIT_CODES_HELP}
`;
}
