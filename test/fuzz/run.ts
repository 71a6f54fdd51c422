// `npm run fuzz -- [--files N] [--seed S] [--file N]`: compares the fast scanner with the reference on N random
// transcripts, on all cores. Exits with 1 if any index differs. The seed is printed, and produces the same transcripts
// again.
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { wasmScanners } from '../support/scannerModule';
import { fuzz, type FuzzCounts, type FuzzEvent, type FuzzPlan } from './fuzz';
import { printDifference } from './printDifference';

const DEFAULT_FILES = 20_000;
/** A few transcripts show a mistake as well as thousands. */
const MAX_DIFFERENCES = 10;
const CHILD_FLAGS = ['--max-semi-space-size=64', '--stack-trace-limit=0'];

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: String(DEFAULT_FILES) },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
    file: { type: 'string' },
    part: { type: 'string' },
  },
});

if (values.part !== undefined) runPart(parsePlan(values.part));
else void main();

async function main(): Promise<void> {
  const seed = wholeNumber('seed', values.seed);
  const first = values.file === undefined ? 0 : wholeNumber('file', values.file);
  const end = values.file === undefined ? wholeNumber('files', values.files) : first + 1;
  const parts = Math.min(availableParallelism(), end - first);
  console.log(`seed ${seed}, ${end - first} transcripts, ${parts} processes`);
  // The module is compiled once here, rather than by each process.
  wasmScanners();
  const startMs = Date.now();
  const total = { files: 0, lines: 0, bytes: 0, differences: 0 };
  const runs = Array.from({ length: parts }, (_, part) =>
    forkPart({ seed, from: first + part, to: end, step: parts }, (event) => {
      if (event.kind === 'files') addCounts(total, event.counts);
      else if (++total.differences <= MAX_DIFFERENCES) printDifference(event.difference);
    }),
  );
  const results = await Promise.all(runs);
  const seconds = (Date.now() - startMs) / 1000;
  const isWhole = results.every((isDone) => isDone) && total.files === end - first;
  console.log(
    `${total.files} files, ${total.lines} lines, ${(total.bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s: ` +
      `${Math.round(total.files / seconds)} files/s, ${total.differences} differences`,
  );
  if (!isWhole) console.log('Some processes ended early: not every transcript was scanned.');
  process.exitCode = isWhole && total.differences === 0 ? 0 : 1;
}

/** Resolves to whether the part ran to its end. */
function forkPart(plan: FuzzPlan, onEvent: (event: FuzzEvent) => void): Promise<boolean> {
  const child = fork(__filename, ['--part', JSON.stringify(plan)], {
    execArgv: [...process.execArgv, ...CHILD_FLAGS],
    serialization: 'advanced',
  });
  // SAFETY: the child is this file, which sends nothing else.
  child.on('message', (event) => {
    onEvent(event as FuzzEvent);
  });
  return new Promise((done) => {
    child.once('exit', (code) => {
      done(code === 0);
    });
  });
}

function runPart(plan: FuzzPlan): void {
  let differences = 0;
  for (const event of fuzz(wasmScanners(), plan)) {
    process.send?.(event);
    if (event.kind === 'difference' && ++differences >= MAX_DIFFERENCES) break;
  }
  process.disconnect();
}

function parsePlan(text: string): FuzzPlan {
  // SAFETY: written by `forkPart`.
  return JSON.parse(text) as FuzzPlan;
}

function addCounts(total: { files: number; lines: number; bytes: number }, counts: FuzzCounts): void {
  total.files += counts.files;
  total.lines += counts.lines;
  total.bytes += counts.bytes;
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) throw new RangeError(`--${name} is a whole number, not ${text}`);
  return number;
}
