import { stat } from 'node:fs/promises';
import { SingleBar } from 'cli-progress';
import type { Engine } from '../core/engine';
import type { FoundTranscript } from '../core/providers/provider';
import type { CliEnvironment, OutputStream } from './environment';
import { formatBytes } from './report/text';

export interface ListedTranscript extends FoundTranscript {
  /** Bytes; 0 if unknown. */
  readonly size: number;
}

/** The distinct transcripts in the paths, in the engine's order. Returns what was found so far if the signal aborts. */
export async function listTranscripts(
  engine: Engine,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly ListedTranscript[]> {
  const listed = new Map<string, ListedTranscript>();
  try {
    for await (const found of engine.find(paths, signal)) {
      if (signal.aborted) break;
      if (listed.has(found.path)) continue;
      listed.set(found.path, { ...found, size: await sizeOf(found.path) });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return [...listed.values()];
}

async function sizeOf(filePath: string): Promise<number> {
  try {
    return (await stat(filePath)).size;
  } catch {
    // Its scan reports what is wrong with it.
    return 0;
  }
}

/** The size of a batch. */
export interface WorkTotal {
  readonly files: number;
  readonly bytes: number;
}

export function totalOf(transcripts: readonly ListedTranscript[]): WorkTotal {
  return { files: transcripts.length, bytes: transcripts.reduce((sum, { size }) => sum + size, 0) };
}

/**
 * Runs `work` on the items, at most `limit` at a time, and yields the results in the order of the items. If the signal
 * aborts, it finishes the work already started and stops without an error; any other rejection is thrown when its turn
 * comes.
 */
export async function* mapInOrder<T, R>(
  items: Iterable<T>,
  options: { readonly limit: number; readonly signal: AbortSignal },
  work: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const pending: Promise<R>[] = [];
  try {
    for (const item of items) {
      if (options.signal.aborted) break;
      const task = work(item);
      // The rejection is delivered when its turn comes; this prevents an unhandled one before that.
      task.catch(() => undefined);
      pending.push(task);
      if (pending.length < options.limit) continue;
      const next = pending.shift();
      if (next !== undefined) yield await next;
    }
    for (const next of pending) yield await next;
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
}

/** Work that ends sooner shows no progress bar. */
const PROGRESS_DELAY_MS = 1000;

/** Counts the bytes and files of a long batch and draws a progress bar on a terminal. */
export class Progress {
  readonly #bar: SingleBar | null;
  readonly #timer: NodeJS.Timeout | null;
  #isDrawn = false;
  #bytes = 0;
  #files = 0;

  /** @param label the activity, such as "Scanning" */
  constructor(stream: OutputStream | null, label: string, total: WorkTotal, delayMs = PROGRESS_DELAY_MS) {
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
      // main.ts handles Ctrl-C.
      gracefulExit: false,
    });
    this.#timer = setTimeout(() => {
      this.#isDrawn = true;
      this.#bar?.start(Math.max(total.bytes, 1), this.#bytes, this.#payload());
    }, delayMs);
    this.#timer.unref();
  }

  /** @param bytes number of bytes read since the last call */
  advance(bytes: number): void {
    this.#bytes += bytes;
    if (this.#isDrawn) this.#bar?.update(this.#bytes, this.#payload());
  }

  fileDone(): void {
    this.#files += 1;
    if (this.#isDrawn) this.#bar?.update(this.#bytes, this.#payload());
  }

  /** Removes the bar from the terminal. Idempotent. */
  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#isDrawn) this.#bar?.stop();
    this.#isDrawn = false;
  }

  #payload(): { files: number; size: string } {
    return { files: this.#files, size: formatBytes(this.#bytes) };
  }
}

/** The stream for a progress bar; null if a document streams to the same terminal. */
export function progressStream({ stdout, stderr }: CliEnvironment, isJson: boolean): OutputStream | null {
  return isJson && stdout.isTTY === true ? null : stderr;
}
