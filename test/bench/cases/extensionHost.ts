import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EventLoopDelay } from '../../host/suite/measureEventLoop';
import type { BenchCase } from '../context';
import { judge, notMeasured } from '../goal';
import { spreadOf } from '../rounds';

const ROOT = resolve(__dirname, '../../..');
const RELEASE = '1.139';
const GOAL = { goal: `Extension host of VS Code ${RELEASE} while 8,206 sessions (6.6 GB) are scanned` };
const DELAY_OF = `${GOAL.goal}: event-loop delay`;

/** The output of the host suite: one line of JSON per test. */
interface HostFigures {
  readonly loadMs: number;
  readonly activateMs: number;
  readonly idle: EventLoopDelay;
  readonly scanning: EventLoopDelay;
  readonly seconds: number;
}

/** In a real VS Code, by the host suite, whose own tests check the same limits. */
export const extensionHost: BenchCase = async ({ isFullSize, measuring, log }) => {
  if (!isFullSize) return [notMeasured(GOAL, 'only at full size')];
  log('extension host');
  const figuresFile = join(measuring.home, 'host.jsonl');
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  await runHostSuite(figuresFile);
  const figures = existsSync(figuresFile) ? readFigures(figuresFile) : {};
  const { scanning, idle, seconds, loadMs, activateMs } = figures;
  if (scanning === undefined || idle === undefined || seconds === undefined) {
    return [notMeasured(GOAL, 'the host suite came to no result: npm run test:host:full')];
  }
  const note = `idle: p99 ${idle.p99Ms.toFixed(1)} ms, max ${idle.maxMs.toFixed(1)} ms; scanned in ${seconds.toFixed(1)} s`;
  const once = (value: number): { CPU: ReturnType<typeof spreadOf> } => ({ CPU: spreadOf([value]) });
  return [
    judge({ goal: `${DELAY_OF}, p99`, unit: 'ms', atMost: 16 }, once(scanning.p99Ms), isFullSize, note),
    judge(
      { goal: `${DELAY_OF}, max`, unit: 'ms', atMost: 50 },
      once(scanning.maxMs),
      isFullSize,
      `at most ${scanning.maxWorkMs?.toFixed(1) ?? 'unknown'} ms of work at once`,
    ),
    judge(
      { goal: 'Activation: code loaded and activate() called', unit: 'ms', atMost: 50 },
      once((loadMs ?? NaN) + (activateMs ?? NaN)),
      isFullSize,
      "by VS Code's own marks, to the millisecond",
    ),
  ];
};

function readFigures(file: string): Partial<HostFigures> {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  // SAFETY: written by the host suite, in this shape.
  return Object.assign({}, ...lines.map((line): unknown => JSON.parse(line))) as Partial<HostFigures>;
}

/** The suite reports its own verdict: only its figures count here. */
async function runHostSuite(figuresFile: string): Promise<void> {
  const runner = [join(ROOT, 'node_modules/tsx/dist/cli.mjs'), 'test/host/runInCodeServer.ts'];
  const suite = spawn(process.execPath, [...runner, '--full', '--figures', figuresFile, RELEASE], {
    cwd: ROOT,
    stdio: ['ignore', process.stderr, 'inherit'],
  });
  await new Promise((done, fail) => {
    suite.once('error', fail);
    suite.once('exit', done);
  });
}
