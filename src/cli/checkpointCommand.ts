import { randomUUID } from 'node:crypto';
import { takeHookCheckpoint } from '../core/history/checkpoints/takeHookCheckpoint';
import { nodeWriteFs } from '../core/storage/writeFs';
import { parseObject } from '../core/util/json';
import type { CliEnvironment } from './cliEnvironment';
import { EXIT_CODE } from './exitCode';
import { configDirOf } from './paths';

export type HookEnvironment = Pick<CliEnvironment, 'stdin' | 'stderr' | 'env' | 'cwd' | 'home' | 'now'>;

/** A call that writes more than this at once is not looked at. */
const MAX_INPUT_BYTES = 256 * 1024 * 1024;
/** Claude Code closes the pipe as soon as it has written; who does not is waited for so long, should the rest be slow to come. */
const INPUT_TIMEOUT_MS = 10_000;
/** After so long without a byte more, what is whole is all of it. */
const QUIET_MS = 250;

/**
 * What Claude Code runs before it changes a file. Never rejects, prints nothing on stdout, and always ends with 0: whatever
 * goes wrong with a checkpoint, the person's work goes on.
 */
export async function checkpointCommand(environment: HookEnvironment): Promise<typeof EXIT_CODE.ok> {
  const { stdin, stderr, home, now } = environment;
  if (stdin?.isTTY === true) {
    stderr.write('Claude Code runs this before it changes a file. "--help" says more.\n');
    return EXIT_CODE.ok;
  }
  const input = stdin === undefined ? '' : await readInput(stdin).catch(() => '');
  const parts = { fs: nodeWriteFs, now, random: randomUUID, configDir: configDirOf(environment), home };
  await takeHookCheckpoint(input, parts).catch(() => undefined);
  return EXIT_CODE.ok;
}

/** All that is written to the pipe; what there is of it when nobody ends it. */
async function readInput(stdin: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
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
