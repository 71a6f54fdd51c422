import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { clientEnvironment, type ClientPlace } from '../../support/realClient';

/** The real client that answers one prompt and ends. */
export class PrintClient {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;

  constructor(client: string, place: ClientPlace, args: readonly string[]) {
    const env = { ...clientEnvironment(place), CLAUDE_CODE_MAX_RETRIES: '1' };
    this.#child = spawn(client, ['-p', ...args], { cwd: place.cwd, env, stdio: 'ignore' });
    this.#closed = once(this.#child, 'close');
  }

  /** Resolves when it has ended by itself. */
  async ended(): Promise<void> {
    await this.#closed;
  }

  /** Resolves when it has ended. Does nothing if it already has. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#closed;
  }
}
