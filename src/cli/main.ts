import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { cacheDirOf, EXIT_CODE } from './environment';

/** Set by scripts/build.mjs. */
declare const __RETHREAD_VERSION__: string;

// Claude Code waits for `rethread checkpoint` before each change of a file, so that command loads only what it needs.
const [command, ...options] = process.argv.slice(2);
const isHook = command === 'checkpoint' && !options.includes('--help') && !options.includes('-h');
void (isHook ? import('./hook') : startProgram());

async function startProgram(): Promise<void> {
  // V8 would take the facts of the first sessions for objects that live long, and keep those of all later ones until its next
  // full collection: 150 MB more for a hundred thousand sessions.
  setFlagsFromString('--no-allocation-site-pretenuring');
  const signal = stopSignal();
  const { run, unexpectedProblem } = await import('./run');

  function fail(error: unknown): void {
    process.stderr.write(`${unexpectedProblem(error)}\n`);
    process.exit(EXIT_CODE.unusable);
  }
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);

  process.exitCode = await run(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    commandName: commandName(),
    version: __RETHREAD_VERSION__,
    signal,
    now: Date.now,
    scannerPath: join(__dirname, 'scanner.wasm'),
    findClient: async () => {
      const [{ diskClientFiles, findInstalledClient, runProgram }, { nodeWriteFs }] = await Promise.all([
        import('../core/providers/claude/installedClient'),
        import('../core/storage/writeFs'),
      ]);
      return findInstalledClient({
        searchPath: process.env['PATH'],
        platform: process.platform,
        // Only VS Code knows where its extensions are.
        extensionFolder: null,
        cacheDir: cacheDirOf({ env: process.env, home: homedir() }, process.platform),
        files: diskClientFiles,
        run: runProgram,
        write: { fs: nodeWriteFs, random: randomUUID },
        now: Date.now,
      });
    },
  });
}

/**
 * The first Ctrl-C or SIGTERM lets running work finish; a second one ends the process at once. The listeners stay,
 * because the library that removes locks at exit ends a process without other listeners.
 */
function stopSignal(): AbortSignal {
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
  return stop.signal;
}

function commandName(): string {
  const program = process.argv[1] ?? 'rethread';
  const isInstalled = basename(program).replace(/\.\w+$/u, '') === 'rethread';
  return isInstalled ? 'rethread' : `node ${relative(process.cwd(), program)}`;
}
