import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { SessionRepairResult } from '../../src/protocol/repair';
import type { SessionScanResult } from '../../src/protocol/session';

const CLI = join(__dirname, '..', '..', 'dist', 'cli.js');

/**
 * Runs in the measured process itself, because its peak is lost with it. Uses Linux's own peak of this program, because
 * `maxRSS` would include that of the process that started it.
 */
const REPORT_PEAK = `
  import { readFileSync, writeFileSync } from 'node:fs';
  process.on('exit', () => {
    let peakKb = process.resourceUsage().maxRSS;
    try {
      peakKb = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    } catch {}
    writeFileSync(process.env.RETHREAD_PEAK_FILE, String(peakKb));
  });`;

export interface MeasuredRun {
  readonly code: number | null;
  /** What the command printed; parsed if it is JSON. */
  readonly document: unknown;
  readonly stderr: string;
  readonly peakMiB: number;
  readonly seconds: number;
}

/** Runs the built command line, with `--json` unless it is to print text, and measures its peak memory. */
export async function runMeasured(
  folder: string,
  args: readonly string[],
  form: 'json' | 'text' = 'json',
): Promise<MeasuredRun> {
  const peakFile = join(folder, 'peak');
  const startMs = performance.now();
  const preload = `data:text/javascript,${encodeURIComponent(REPORT_PEAK)}`;
  const child = spawn(process.execPath, ['--import', preload, CLI, ...args, ...(form === 'json' ? ['--json'] : [])], {
    // A separate home, so that the person's sessions are out of reach.
    env: { PATH: process.env['PATH'], HOME: folder, USERPROFILE: folder, RETHREAD_PEAK_FILE: peakFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  const seconds = (performance.now() - startMs) / 1000;
  const peakMiB = Number(await readFile(peakFile, 'utf8')) / 1024;
  return { code, document: form === 'json' ? (JSON.parse(stdout) as unknown) : stdout, stderr, peakMiB, seconds };
}

/** Prints the figures, too. */
export function assertPeakBelow(boundMiB: number, { peakMiB, seconds }: MeasuredRun, what: string): void {
  const figures = `${what}: ${seconds.toFixed(1)} s, peak ${peakMiB.toFixed(0)} MiB`;
  console.log(`      ${figures}`);
  assert.ok(peakMiB <= boundMiB, `${figures}, more than ${boundMiB} MiB`);
}

/** The only session that a scan printed. */
export function scannedIn({ document }: MeasuredRun): SessionScanResult {
  // SAFETY: the shape is the contract of the command; its values are checked by the caller.
  const [session] = (document as { sessions: SessionScanResult[] }).sessions;
  assert.ok(session !== undefined);
  return session;
}

/** The only result that a repair printed. */
export function repairedIn({ document }: MeasuredRun): SessionRepairResult {
  // SAFETY: the shape is the contract of the command; its values are checked by the caller.
  const [result] = (document as { results: SessionRepairResult[] }).results;
  assert.ok(result !== undefined);
  return result;
}
