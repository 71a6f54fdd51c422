import { fstatSync, readSync } from 'node:fs';
import { blockingWriteFs } from '../core/storage/blockingWriteFs';
import { parseObject } from '../core/util/json';
import { answerHook, inputOf } from './commands/checkpoint';

/**
 * Claude Code takes a hook's exit code 2 as "do not call this tool" and shows other failures, so this program always
 * exits with 0.
 */
function end(): never {
  process.exit(0);
}

process.on('uncaughtException', end);
process.on('unhandledRejection', end);

const STDIN = 0;
const CHUNK_BYTES = 64 * 1024;

/**
 * Reads stdin while bytes are there. Node's stream of stdin takes several milliseconds to start, for which Claude waits. Returns
 * whether the bytes are all of the input; if not, the stream has the rest.
 */
function readAtOnce(chunks: Buffer[]): boolean {
  try {
    // A terminal, above all.
    if (fstatSync(STDIN).isCharacterDevice()) return false;
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(STDIN, chunk, 0, chunk.length, null);
      if (read === 0) return true;
      chunks.push(chunk.subarray(0, read));
      // The last byte of an object closes it, so nothing more can come.
      if (read < chunk.length && parseObject(Buffer.concat(chunks).toString('utf8')) !== null) return true;
    }
  } catch {
    // For example EAGAIN: nothing has been written yet, and whoever opened the pipe lets nobody wait for it.
    return false;
  }
}

/** Like `homedir`, whose module is loaded only if it is needed. */
async function homeFolder(): Promise<string> {
  const home = process.platform === 'win32' ? '' : (process.env['HOME'] ?? '');
  return home === '' ? (await import('node:os')).homedir() : home;
}

async function answer(): Promise<void> {
  const chunks: Buffer[] = [];
  const input = readAtOnce(chunks)
    ? Buffer.concat(chunks).toString('utf8')
    : await inputOf({ stdin: process.stdin }, chunks);
  // Only what is needed: Node's stream of stderr takes as long to start.
  const stderr = { write: (text: string) => process.stderr.write(text) };
  const environment = { stderr, env: process.env, cwd: process.cwd(), home: await homeFolder(), now: Date.now };
  await answerHook(environment, process.argv.slice(2), input, blockingWriteFs);
}

void answer().then(end, end);
