import type { Engine } from '../core/engine';

/** A stream of the process; what a test hands in is a plain Writable. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  /** Width of the terminal in characters. */
  readonly columns?: number;
  readonly destroyed?: boolean;
};

/** Everything outside that the command line touches, handed in by `main.ts` and by tests. */
export interface CliEnvironment {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Left out where no command reads it. */
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path that relative PATHs are resolved against. */
  readonly cwd: string;
  /** Absolute path of the person's home folder. */
  readonly home: string;
  /** How the person started the program, for commands they can paste. */
  readonly commandName: string;
  readonly version: string;
  /** Aborted by Ctrl-C or SIGTERM. A reason of `SIGTERM` changes the exit code, nothing else. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly createEngine: (options: { readonly configDir: string }) => Engine;
}
