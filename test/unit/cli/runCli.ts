import { Writable } from 'node:stream';
// The command line loads its commands by `import()`, which `tsx/cjs` leaves to Node.
import 'tsx/esm';
import type { CliEnvironment } from '../../../src/cli/environment';
import { run } from '../../../src/cli/run';
import type { Engine } from '../../../src/core/engine';
import { fakeEngine, NOW_MS } from './fakeEngine';

/** A stream that records its output. */
export class CapturedStream extends Writable {
  text = '';
  isTTY = false;
  columns = 80;

  override _write(chunk: Buffer | string, _encoding: string, done: (error?: Error | null) => void): void {
    this.text += chunk.toString();
    done();
  }
}

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process. Without an engine there are no sessions; without a home, none on the disk. */
export async function runCli(
  argv: readonly string[],
  engine: Engine = fakeEngine([]),
  overrides: Partial<CliEnvironment> & { isTerminal?: boolean; columns?: number } = {},
): Promise<CliRun> {
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  stdout.isTTY = overrides.isTerminal ?? false;
  stdout.columns = overrides.columns ?? 80;
  const code = await run(argv, {
    stdout,
    stderr,
    env: {},
    cwd: '/home/person',
    home: '/home/person',
    commandName: 'rethread',
    version: '1.2.3',
    signal: new AbortController().signal,
    now: () => NOW_MS,
    createEngine: () => engine,
    ...overrides,
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}
