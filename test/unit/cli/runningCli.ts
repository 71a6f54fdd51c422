import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { CliEnvironment } from '../../../src/cli/environment';
import { run } from '../../../src/cli/run';
import { createEngine } from '../../../src/core/engine';
import { CapturedStream } from './runCli';

/** A test waits for at most this long, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Whatever is to wait, waits two milliseconds. */
const fastClock = {
  now: Date.now,
  after: (delayMs: number, callback: () => void): (() => void) => {
    const timer = setTimeout(callback, Math.min(delayMs, 2));
    return () => {
      clearTimeout(timer);
    };
  },
};

/** A command line that runs in this process until it is stopped. */
export class RunningCli {
  readonly stdout = new CapturedStream();
  readonly stderr = new CapturedStream();
  readonly #stop = new AbortController();
  readonly #code: Promise<number>;

  constructor(home: string, argv: readonly string[], overrides: Partial<CliEnvironment> = {}) {
    this.#code = run(argv, {
      stdout: this.stdout,
      stderr: this.stderr,
      env: {},
      cwd: home,
      home,
      commandName: 'rethread',
      version: '1.2.3',
      signal: this.#stop.signal,
      now: Date.now,
      clock: fastClock,
      createEngine,
      ...overrides,
    });
  }

  /** The lines that were printed, each of which must be JSON. */
  get documents(): unknown[] {
    return this.stdout.text
      .split('\n')
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line));
  }

  async until(isTrue: () => boolean): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!isTrue()) {
      assert.ok(Date.now() < end, `${this.stdout.text.slice(-500)}\n${this.stderr.text}`);
      await delay(1);
    }
  }

  /** Interrupts the command, and returns its exit code. */
  async stop(signal = 'SIGINT'): Promise<number> {
    this.#stop.abort(signal);
    return this.#code;
  }
}
