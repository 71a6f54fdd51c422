import { once } from 'node:events';
import { isAbsolute, join, resolve } from 'node:path';
import type { Engine, EngineDeps } from '../core/engine';
import type { Clock } from '../core/util/scheduling';

/** A stream of the process; tests pass a plain Writable. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  /** Width of the terminal in characters. */
  readonly columns?: number;
  readonly destroyed?: boolean;
};

export type EngineOptions = Pick<EngineDeps, 'configDir'> & Required<Pick<EngineDeps, 'diagnostics'>>;

/** All external dependencies of the command line; `main.ts` and the tests pass it in. */
export interface CliEnvironment {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Absent if no command reads it. */
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path that relative PATHs are resolved against. */
  readonly cwd: string;
  /** Absolute path of the person's home folder. */
  readonly home: string;
  /** How the person started the program, used in commands to paste. */
  readonly commandName: string;
  readonly version: string;
  /** Aborted by Ctrl-C or SIGTERM. The reason `SIGTERM` changes only the exit code. */
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** For commands that wait; by default, that of the system. */
  readonly clock?: Clock;
  /** Absolute path of the fast scanner's WebAssembly module; without it, scans take longer. */
  readonly scannerPath?: string;
  /** Version of the installed Claude Code; null if there is none. Absent if it is not looked for. */
  readonly findClient?: () => Promise<string | null>;
  /** Replaces core's engine. */
  readonly createEngine?: (options: EngineOptions) => Engine;
}

/** The exit codes are part of the contract with scripts. */
export const EXIT_CODE = {
  /** Done, and nothing is wrong. */
  ok: 0,
  /** Done; something is corrupted or was refused. */
  found: 1,
  /** The command line was invalid, or an input could not be read. */
  unusable: 2,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT_CODE)[keyof typeof EXIT_CODE];

/** Claude Code's config folder: `$CLAUDE_CONFIG_DIR`, else `~/.claude`. Absolute. */
export function configDirOf(environment: Pick<CliEnvironment, 'env' | 'cwd' | 'home'>): string {
  const named = environment.env['CLAUDE_CONFIG_DIR'] ?? '';
  return named === '' ? join(environment.home, '.claude') : resolve(environment.cwd, named);
}

/** Where answers of clients are kept, as the system has it: `$XDG_CACHE_HOME`, `~/Library/Caches` or `%LOCALAPPDATA%`. */
export function cacheDirOf({ env, home }: Pick<CliEnvironment, 'env' | 'home'>, platform: NodeJS.Platform): string {
  const named = env[platform === 'win32' ? 'LOCALAPPDATA' : 'XDG_CACHE_HOME'] ?? '';
  const usual = platform === 'darwin' ? join(home, 'Library', 'Caches') : join(home, '.cache');
  return join(isAbsolute(named) ? named : usual, 'rethread');
}

/**
 * Writes to a stream at the pace of its reader. When the reader closes the pipe (`… | head`), `signal` aborts and later
 * writes are dropped.
 */
export class Output {
  readonly #closed = new AbortController();
  #failure: string | null = null;

  constructor(private readonly stream: OutputStream) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') this.#failure ??= error.code ?? error.name;
      this.#closed.abort();
    });
  }

  /** Why not all was written, such as `ENOSPC`; null if all was, or the reader closed the pipe. */
  get failure(): string | null {
    return this.#failure;
  }

  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  async write(text: string): Promise<void> {
    if (this.signal.aborted || this.stream.destroyed === true) return;
    if (this.stream.write(text)) return;
    try {
      await once(this.stream, 'drain', { signal: this.signal });
    } catch {
      // The reader closed the pipe while we waited; callers see that in `signal`.
    }
  }

  /** Writes one indented JSON document. */
  async writeJson(document: object): Promise<void> {
    await this.write(`${toJson(document, 2)}\n`);
  }

  /**
   * Writes `{…head,"<key>":[…],…tail}`, one item per line, so that a long list streams and can be searched with
   * line-based tools.
   *
   * @param tail called after the last item
   */
  async writeJsonList(
    key: string,
    items: Iterable<object> | AsyncIterable<object>,
    tail: () => object,
    head: object = {},
  ): Promise<void> {
    const before = toJson(head).slice(1, -1);
    let separator = `{${before === '' ? '' : `${before},`}${JSON.stringify(key)}:[\n`;
    for await (const item of items) {
      await this.write(separator + toJson(item));
      separator = ',\n';
    }
    const rest = toJson(tail()).slice(1, -1);
    const opening = separator.startsWith('{') ? separator : '\n';
    await this.write(`${opening}]${rest === '' ? '' : `,${rest}`}}\n`);
  }
}

/** Control characters that JSON leaves as they are, and some terminals obey: DEL, C1, and those that turn the direction of text. */
const UNESCAPED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** JSON that can be shown on a terminal. `indent`: spaces for each level; by default on one line. */
export function toJson(value: unknown, indent?: number): string {
  const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replace(UNESCAPED, escaped);
}
