import { SingleBar } from 'cli-progress';
import type { CliEnvironment, OutputStream } from './cliEnvironment';
import { formatBytes } from './report/format';

/** Work that ends sooner shows no bar. */
const PROGRESS_DELAY_MS = 1000;

export interface ProgressTotal {
  readonly files: number;
  readonly bytes: number;
}

/** Counts bytes and files of a long piece of work and draws them on a terminal. */
export class Progress {
  readonly #bar: SingleBar | null;
  readonly #timer: NodeJS.Timeout | null;
  #isDrawn = false;
  #bytes = 0;
  #files = 0;

  /** @param label what is being done: "Scanning" */
  constructor(stream: OutputStream | null, label: string, total: ProgressTotal, delayMs = PROGRESS_DELAY_MS) {
    if (stream?.isTTY !== true) {
      this.#bar = null;
      this.#timer = null;
      return;
    }
    this.#bar = new SingleBar({
      stream,
      format: `${label} [{bar}] {percentage}%  {files} of ${total.files}  {size} of ${formatBytes(total.bytes)}`,
      barsize: 24,
      barCompleteChar: '=',
      barIncompleteChar: ' ',
      hideCursor: true,
      clearOnComplete: true,
      // Ctrl-C is answered by main.ts.
      gracefulExit: false,
    });
    this.#timer = setTimeout(() => {
      this.#isDrawn = true;
      this.#bar?.start(Math.max(total.bytes, 1), this.#bytes, this.#payload());
    }, delayMs);
    this.#timer.unref();
  }

  /** @param bytes read since the last call */
  advance(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isDrawn) this.#bar?.update(this.#bytes, this.#payload());
  }

  fileDone(): void {
    this.#files += 1;
    if (this.#isDrawn) this.#bar?.update(this.#bytes, this.#payload());
  }

  /** Takes the bar off the terminal. Idempotent. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#isDrawn) this.#bar?.stop();
    this.#isDrawn = false;
  }

  #payload(): { files: number; size: string } {
    return { files: this.#files, size: formatBytes(this.#bytes) };
  }
}

/** Where a bar may be drawn: not into a document that streams onto the same terminal. */
export function progressStream({ stdout, stderr }: CliEnvironment, isJson: boolean): OutputStream | null {
  return isJson && stdout.isTTY === true ? null : stderr;
}
