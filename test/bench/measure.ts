import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AppendResult, AppendTask } from './appendRows';
import type { Programs } from './bundlePrograms';
import type { ContenderResult, ContenderTask } from './contender';
import type { CountResult, CountTask } from './countTokens';
import type { JobName } from './jobs/jobs';
import type { StartTask } from './startWorker';

/** The cost of a contender; without a peak if another program is measured from outside. */
export interface Measurement {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly peakMb?: number;
  readonly counts: ContenderResult['counts'];
}

export interface Measuring {
  readonly programs: Programs;
  /** Deleted after the run; programs use it as their home. */
  readonly home: string;
}

/** Processes the files in one of our own ways, in a new process. */
export async function measureJob(
  measuring: Measuring,
  job: JobName,
  files: readonly string[],
  options: Partial<Pick<ContenderTask, 'threads' | 'isFromStart' | 'before'>> = {},
): Promise<Measurement> {
  const list = join(measuring.home, 'files.json');
  writeFileSync(list, JSON.stringify(files));
  const task: ContenderTask = { job, list, threads: 1, isFromStart: false, before: [], ...options };
  const { stdout } = await run(
    [process.execPath, measuring.programs.contender, JSON.stringify(task)],
    measuring.home,
    {},
  );
  // SAFETY: what the contender prints.
  return JSON.parse(stdout) as ContenderResult;
}

/** Starts the product's worker on everything in a config folder, in a new process. */
export async function measureStart(measuring: Measuring, task: StartTask): Promise<Measurement> {
  const { stdout } = await run(
    [process.execPath, measuring.programs.startWorker, JSON.stringify(task)],
    measuring.home,
    {},
  );
  // SAFETY: what the program prints.
  return JSON.parse(stdout) as ContenderResult;
}

/** Appends rows to a copy of a followed transcript, in a new process. */
export async function measureAppends(measuring: Measuring, task: AppendTask): Promise<AppendResult> {
  const { stdout } = await run(
    [process.execPath, measuring.programs.appendRows, JSON.stringify(task)],
    measuring.home,
    {},
  );
  // SAFETY: what the program prints.
  return JSON.parse(stdout) as AppendResult;
}

/** Requests the counts of many sessions from a new worker, in a new process. */
export async function measureCounting(measuring: Measuring, task: CountTask): Promise<CountResult> {
  const { stdout } = await run(
    [process.execPath, measuring.programs.countTokens, JSON.stringify(task)],
    measuring.home,
    {},
  );
  // SAFETY: what the program prints.
  return JSON.parse(stdout) as CountResult;
}

/**
 * Runs another program and measures it from outside, as a whole. Requires bash, whose `time` reports the times of a
 * child.
 *
 * @param codes exit codes that are no failure
 */
export async function measureProgram(
  measuring: Measuring,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  codes: readonly number[] = [0],
): Promise<Measurement & { readonly stdout: string }> {
  const timed = ['bash', '-c', 'TIMEFORMAT="%3R %3U %3S"; time "$@"', 'bash', ...command];
  const { stdout, stderr } = await run(timed, measuring.home, env, codes);
  const [real = NaN, user = NaN, system = NaN] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { wallMs: real * 1000, cpuMs: (user + system) * 1000, counts: {}, stdout };
}

/** Calls `use` with the programs and a home that is removed afterwards. */
export async function withMeasuring<T>(programs: Programs, use: (measuring: Measuring) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'rethread-bench-home-'));
  try {
    return await use({ programs, home });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Reads every file once, so that none is read from the disk while it is measured. */
export function warmUp(files: readonly string[]): void {
  for (const file of files) readFileSync(file);
}

async function run(
  [program = '', ...args]: readonly string[],
  home: string,
  env: Readonly<Record<string, string>>,
  codes: readonly number[] = [0],
): Promise<{ stdout: string; stderr: string }> {
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], HOME: home, USERPROFILE: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  if (code === null || !codes.includes(code))
    throw new Error(`Failed to run ${program} ${args.join(' ').slice(0, 200)}: ${stderr}`);
  return { stdout, stderr };
}
