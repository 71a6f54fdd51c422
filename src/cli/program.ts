import { homedir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { createEngine } from '../core/engine';
import type { ScannerFactory } from '../core/transcript/scanner';
import { loadScanner } from '../core/transcript/wasm/loadScanner';
import { EXIT_CODE } from './exitCode';
import { run, unexpectedProblem } from './run';

/** Filled in by scripts/build.mjs. */
declare const __RETHREAD_VERSION__: string;

function fail(error: unknown): void {
  process.stderr.write(`${unexpectedProblem(error)}\n`);
  process.exit(EXIT_CODE.unusable);
}

process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

// The first signal lets what is under way end; a second one ends the process at once. The listeners stay, because the
// library that takes locks off at exit ends a process that nobody else keeps.
const stop = new AbortController();
for (const [signal, exitCode] of [
  ['SIGINT', EXIT_CODE.interrupted],
  ['SIGTERM', EXIT_CODE.terminated],
] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(exitCode);
    stop.abort(signal);
  });
}

let loaded: ScannerFactory | null = null;
/** Loaded with the first scan: to ask for help needs none. */
const createScanner: ScannerFactory = (options) => {
  loaded ??= loadScanner(join(__dirname, 'scanner.wasm'), (warning) => process.stderr.write(`${warning}\n`));
  return loaded(options);
};
const program = process.argv[1] ?? 'rethread';
const isInstalled = basename(program).replace(/\.\w+$/u, '') === 'rethread';

void run(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  commandName: isInstalled ? 'rethread' : `node ${relative(process.cwd(), program)}`,
  version: __RETHREAD_VERSION__,
  stdin: process.stdin,
  signal: stop.signal,
  now: Date.now,
  createEngine: (parts) => createEngine({ createScanner, ...parts }),
}).then((code) => {
  process.exitCode = code;
});
