import { randomUUID } from 'node:crypto';
import { takeHookCheckpoint } from '../../core/history/checkpoints/takeHookCheckpoint';
import { readMaxFileSize } from '../../core/history/checkpoints/maxFileSize';
import { nodeWriteFs, type WriteFs } from '../../core/storage/writeFs';
import { parseObject } from '../../core/util/json';
import type { Command } from '../command';
import { type CliEnvironment, configDirOf, EXIT_CODE } from '../environment';

/** A call with more input than this is ignored. */
const MAX_INPUT_BYTES = 256 * 1024 * 1024;
/** Claude Code closes the pipe right after writing; this is the limit for other callers. */
const INPUT_TIMEOUT_MS = 10_000;
/** An input that is a complete object and has been idle for this long is taken as finished. */
const QUIET_MS = 250;

export const command: Command = {
  help,
  // Other arguments are ignored: an error from the hook would stop Claude.
  async run({ environment, out }, args) {
    if (!args.includes('--help') && !args.includes('-h')) {
      const input = await inputOf(environment);
      return answerHook(environment, args, input, nodeWriteFs);
    }
    await out.write(help(environment.commandName));
    return EXIT_CODE.ok;
  },
};

function help(name: string): string {
  return `Usage: ${name} checkpoint

Claude Code runs this before it changes a file, where checkpoints are enabled for a
project: it keeps a copy of the file as it is, so that the session can be rewound. It
reads what Claude Code tells its PreToolUse hooks on stdin and prints nothing.

Copies are kept in rethread/checkpoints in the Claude Code config folder, where
problems.jsonl says what could not be kept.

Options:
      --max-file-size-mb N
                     keep no copy of larger files, but note that they were there; by
                     default, 100
  -h, --help         show this help

Exit codes:
  0  always: a checkpoint that fails never keeps Claude from working
`;
}

type HookEnvironment = Pick<CliEnvironment, 'env' | 'cwd' | 'home' | 'now'> & {
  readonly stderr: { write(text: string): unknown };
};

/**
 * The hook that Claude Code runs before it changes a file. Never rejects, prints nothing on stdout, and always returns
 * 0: a failed checkpoint must not interrupt the person's work.
 *
 * @param input what Claude Code tells the hook; null if the person has started it
 */
export async function answerHook(
  environment: HookEnvironment,
  args: readonly string[],
  input: string | null,
  fs: WriteFs,
): Promise<typeof EXIT_CODE.ok> {
  const { stderr, home, now } = environment;
  if (input === null) {
    stderr.write('Claude Code runs this before it changes a file. "--help" says more.\n');
    return EXIT_CODE.ok;
  }
  const maxFileSize = readMaxFileSize(args);
  const parts = { fs, now, random: randomUUID, configDir: configDirOf(environment), home, maxFileSize };
  await takeHookCheckpoint(input, parts).catch(() => undefined);
  return EXIT_CODE.ok;
}

/**
 * What is on stdin; null if that is a terminal. Never rejects.
 *
 * @param before what was already read of it
 */
export async function inputOf(
  { stdin }: Pick<CliEnvironment, 'stdin'>,
  before: readonly Buffer[] = [],
): Promise<string | null> {
  if (stdin?.isTTY === true) return null;
  return stdin === undefined ? '' : readInput(stdin, before).catch(() => '');
}

/** Reads the pipe until it ends, an object is complete, or the time limit is reached. */
async function readInput(stdin: NodeJS.ReadableStream, before: readonly Buffer[]): Promise<string> {
  const chunks = [...before];
  let size = 0;
  let quiet: NodeJS.Timeout | undefined;
  let limit: NodeJS.Timeout | undefined;
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  await new Promise<void>((resolve, reject) => {
    limit = setTimeout(resolve, INPUT_TIMEOUT_MS);
    stdin.on('data', (chunk: Buffer | string) => {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size <= MAX_INPUT_BYTES) chunks.push(bytes);
      else resolve();
      clearTimeout(quiet);
      quiet = setTimeout(() => {
        if (parseObject(text()) !== null) resolve();
      }, QUIET_MS);
    });
    for (const event of ['end', 'close']) stdin.on(event, resolve);
    stdin.on('error', reject);
  }).finally(() => {
    clearTimeout(quiet);
    clearTimeout(limit);
  });
  return text();
}
