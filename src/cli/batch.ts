import { stat } from 'node:fs/promises';
import { SingleBar } from 'cli-progress';
import type { Engine } from '../core/engine';
import type { FoundTranscript } from '../core/providers/provider';
import type { CliEnvironment, OutputStream } from './environment';
import { formatBytes } from './report/text';

export interface ListedTranscript extends FoundTranscript {
  /** Bytes; 0 when it is unknown. */
  readonly size: number;
}

/**
 * The transcripts that the paths name, each once, in the engine's order. Ends with what was found when the signal
 * aborts.
 */
export async function listTranscripts(
  engine: Engine,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly ListedTranscript[]> {
  const listed = new Map<string, ListedTranscript>();
  try {
    for await (const found of engine.find(paths, signal)) {
      if (signal.aborted) break;
      if (listed.has(found.filePath)) continue;
      listed.set(found.filePath, { ...found, size: await sizeOf(found.filePath) });
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
    // Its scan says what is wrong with it.
    return 0;
  }
}

/** The size of a whole piece of work. */
export interface WorkTotal {
  readonly files: number;
  readonly bytes: number;
}

export function totalOf(transcripts: readonly ListedTranscript[]): WorkTotal {
  return { files: transcripts.length, bytes: transcripts.reduce((sum, { size }) => sum + size, 0) };
}

/**
 * Runs `work` over the items, at most `limit` at a time, and yields the results in the items' order. When the signal
 * aborts, it stops without an error after the work that has begun; any other rejection is thrown in its turn.
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
      // Its rejection is delivered in its turn; until then it is not unhandled.
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

/** Work that ends sooner shows no bar. */
const PROGRESS_DELAY_MS = 1000;

/** Counts bytes and files of a long piece of work and draws them on a terminal. */
export class Progress {
  readonly #bar: SingleBar | null;
  readonly #timer: NodeJS.Timeout | null;
  #isDrawn = false;
  #bytes = 0;
  #files = 0;

  /** @param label what is being done: "Scanning" */
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

/** Where a bar may be drawn; null when a document streams onto the same terminal. */
export function progressStream({ stdout, stderr }: CliEnvironment, isJson: boolean): OutputStream | null {
  return isJson && stdout.isTTY === true ? null : stderr;
}
