import type { ScannerFactory, TranscriptScanner } from '../scan/scanner';
import type { TranscriptFacts } from '../scan/transcriptFacts';
import { FileTail, type TailSink } from './fileTail';

const CHUNK_BYTES = 256 * 1024;

/** Facts of a growing transcript, with what a reading found. */
export interface TailReading {
  /** `scanned`: the whole file was read. `grown`: what was appended. `unchanged`: nothing. */
  readonly change: 'scanned' | 'grown' | 'unchanged';
  /** Of the lines that are complete: one without a newline is still being written. Good until the next reading. */
  readonly facts: TranscriptFacts;
}

/**
 * Follows one transcript: a reading costs what was appended since the last one, not what the file holds. A file that was
 * replaced, cut or rewritten is read anew from its start.
 */
export class SessionTail {
  #tail: FileTail;
  #scanner: TranscriptScanner;

  constructor(
    readonly filePath: string,
    private readonly createScanner: ScannerFactory,
  ) {
    this.#scanner = createScanner();
    this.#tail = new FileTail(filePath, sinkOf(this.#scanner));
  }

  /** Throws the file system's error. */
  read(): TailReading {
    const isFirst = this.#tail.identity === null;
    const change = this.#tail.read();
    if (change !== 'replaced') {
      return { change: isFirst ? 'scanned' : change, facts: this.#scanner.facts() };
    }
    this.#scanner = this.createScanner();
    this.#tail = new FileTail(this.filePath, sinkOf(this.#scanner));
    this.#tail.read();
    return { change: 'scanned', facts: this.#scanner.facts() };
  }
}

function sinkOf(scanner: TranscriptScanner): TailSink {
  const buffer = scanner.room === undefined ? new Uint8Array(CHUNK_BYTES) : null;
  return {
    room: () => buffer ?? scanner.room?.() ?? new Uint8Array(CHUNK_BYTES),
    push: (bytes) => {
      scanner.push(bytes);
    },
  };
}
