import { parseArgs, type ParseArgsConfig } from 'node:util';
import { NEWEST_MEASURED } from '../core/providers/claude/loader/rules';
import { isClientVersion } from '../protocol/client';
import type { CommandContext } from './context';
import { EXIT_CODE, type ExitCode } from './environment';

/** A command that `run.ts` can start. */
export interface Command {
  /** @param name how the person started the program */
  readonly help: (name: string) => string;
  /**
   * @param args the arguments after the command's name
   * @throws UsageError
   */
  readonly run: (context: CommandContext, args: readonly string[]) => Promise<ExitCode | typeof WAS_ENDED>;
}

/** A command that runs until it is interrupted has ended because of that: with exit code 0, and without a word. */
export const WAS_ENDED = 'was-ended';

/** The command line was invalid. The message is for the person, and the exit code is 2. */
export class UsageError extends Error {
  readonly code = 'usage';

  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

/** What a valid command line names cannot be used. The message is one sentence for the person, and the exit code is 2. */
export class InputError extends Error {
  readonly code = 'input';

  constructor(message: string) {
    super(message);
    this.name = 'InputError';
  }
}

type Options = NonNullable<ParseArgsConfig['options']>;

/** What `parseArgs` found at one place of the command line. */
interface Token {
  readonly kind: string;
  /** Of an option. */
  readonly name?: string;
  readonly value?: string | undefined;
}

/** Options of every command. */
const SHARED_OPTIONS = { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } } as const;

interface Arguments<O extends Options> {
  readonly values: ReturnType<typeof parseArgs<{ options: O }>>['values'];
  readonly positionals: readonly string[];
  /** `--json` was given. */
  readonly isJson: boolean;
}

interface CommandDefinition<O extends Options> {
  /** For `parseArgs`, which also gets `--help` and `--json`. */
  readonly options: O;
  readonly help: (name: string) => string;
  /** Must check the arguments before it starts any work. */
  readonly run: (context: CommandContext, args: Arguments<O>) => ReturnType<Command['run']>;
}

/** Defines a command: parses its arguments and answers `--help` before it runs. */
export function defineCommand<const O extends Options>(definition: CommandDefinition<O>): Command {
  const options: Options = { ...SHARED_OPTIONS, ...definition.options };
  return {
    help: definition.help,
    async run(context, args) {
      const { values, positionals, tokens } = withUsageErrors(() =>
        parseArgs({ args: [...args], options, allowPositionals: true, tokens: true }),
      );
      checkRepeated(tokens, options);
      if (values['help'] === true) {
        await context.out.write(definition.help(context.environment.commandName));
        return EXIT_CODE.ok;
      }
      const isJson = values['json'] === true;
      // SAFETY: parseArgs throws unless each value has the type of its option.
      return definition.run(context, { values: values as Arguments<O>['values'], positionals, isJson });
    },
  };
}

/** Of two values, `parseArgs` would silently take the last one. */
function checkRepeated(tokens: readonly Token[], options: Options): void {
  const given = new Map<string, string | undefined>();
  for (const { name, value } of tokens) {
    if (name === undefined || options[name]?.multiple === true) continue;
    if (given.has(name) && given.get(name) !== value) throw new UsageError(`--${name} takes one value.`);
    given.set(name, value);
  }
}

/** Of an option at the end, and of one before a word that begins with "-". */
const VALUE_MISSING = /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' argument (?:missing|is ambiguous)/;

/** Turns an error of `parseArgs` into a usage error of one sentence. */
export function withUsageErrors<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const withoutValue = VALUE_MISSING.exec(error.message)?.[1];
    if (withoutValue !== undefined) {
      throw new UsageError(`${withoutValue} needs a value; one that begins with "-" is written ${withoutValue}=-1.`);
    }
    // The second sentence of the error says how to pass such a word as a positional, which does not help here.
    throw new UsageError(`${error.message.split('. ')[0]?.replace(/\.$/, '') ?? 'Unknown option'}.`);
  }
}

/** An empty PATH would mean the current folder, which is what `repair "$UNSET"` must never do. */
export function checkPaths(paths: readonly string[]): void {
  if (paths.includes('')) throw new UsageError('A PATH is empty.');
  if (paths.some((path) => path.includes('\0'))) throw new UsageError('A PATH holds a NUL byte.');
}

/** The version of `--client`; undefined if it was not given. */
export function checkClient(version: string | undefined): string | undefined {
  if (version !== undefined && !isClientVersion(version)) {
    throw new UsageError(`--client needs a version of Claude Code, such as ${NEWEST_MEASURED}.`);
  }
  return version;
}

export const CLIENT_HELP = `      --client V  predict what Claude Code V loads, such as ${NEWEST_MEASURED}; by default, the
                  installed version, or ${NEWEST_MEASURED} if none is installed`;

/** The only positional of a command that works on one session. */
export function oneFile(command: string, positionals: readonly string[]): string {
  checkPaths(positionals);
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    throw new UsageError(`${command} needs one FILE: the transcript or the id of a session.`);
  }
  return file;
}

export const PATHS_HELP = `PATH is a transcript (.jsonl), a project folder, a Claude Code config folder, or any
folder that holds transcripts.`;

const MAX_NUMBER = 1_000_000_000;

/** The value of an option that is a number of at least `min`. */
export function wholeNumber(option: string, value: string, min: number): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : -1;
  if (number < min || number > MAX_NUMBER) {
    throw new UsageError(`${option} needs a number from ${min} to ${MAX_NUMBER}.`);
  }
  return number;
}

export const FILE_HELP = `FILE is a transcript (.jsonl), a session id, or its first eight letters. A path that
exists counts first; an id is looked up in $CLAUDE_CONFIG_DIR, else in ~/.claude.`;

export const EXIT_CODES_HELP = `Exit codes:
  0  done, and nothing is wrong
  1  done; a session is broken or a repair was refused
  2  wrong usage, or something could not be read`;

/** Help text for commands that only read. */
export const READING_EXIT_CODES_HELP = `Exit codes:
  0  done
  2  wrong usage, or something could not be read`;
