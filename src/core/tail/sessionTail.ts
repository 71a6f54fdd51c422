import type { ScannerFactory, ScannerOptions, TranscriptScanner } from '../transcript/scanner';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import type { ScannedIdentity } from '../util/openForeignFile';
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
  /** Of use only where two rows have one uuid: hardly ever, and then it is worth reading the file once more. */
  #withHashes = false;
  #facts: TranscriptFacts | null = null;
  #replacements = 0;

  constructor(
    readonly filePath: string,
    private readonly createScanner: ScannerFactory,
    private readonly options: ScannerOptions = {},
  ) {
    this.#scanner = this.#createScanner();
    this.#tail = new FileTail(filePath, this.#sinkOf(this.#scanner));
  }

  /** All that the file held when it was looked at was read. */
  get isAtEnd(): boolean {
    return this.#tail.isAtEnd;
  }

  /** Bytes read so far. */
  get bytesRead(): number {
    return this.#tail.offset;
  }

  /** The file as it was before the last reading; null before the first. */
  get identity(): ScannedIdentity | null {
    return this.#tail.identity;
  }

  /** What was read stands there still: false when the file holds something else, or cannot be read. */
  isStillThere(): boolean {
    return this.#tail.isStillThere();
  }

  /** Times that the file was found to hold something else than what was read of it. */
  get replacements(): number {
    return this.#replacements;
  }

  /** Reads no more than `maxBytes` of what was appended. Throws the file system's error. */
  read(maxBytes = Infinity): TailReading {
    const isFirst = this.#tail.identity === null;
    const change = this.#tail.read(maxBytes);
    // A file that was touched, or copied over itself, is read once more, and is no other one.
    if (change === 'replaced' && !this.#tail.isStillThere()) this.#replacements++;
    if (this.#facts !== null && change === 'unchanged') return { change, facts: this.#facts };
    if (this.#facts !== null || change === 'replaced') return { change: 'scanned', facts: this.#readAnew(maxBytes) };
    const facts = this.#scanner.facts();
    if (this.#needsHashes(facts)) return { change: 'scanned', facts: this.#readWithHashes(maxBytes) };
    return { change: isFirst ? 'scanned' : change, facts };
  }

  /**
   * The facts with the last line, which counts although no newline ends it. Whatever is appended to it afterwards makes
   * the next reading begin anew.
   */
  finish(): TranscriptFacts {
    if (this.#facts !== null) return this.#facts;
    const facts = this.#scanner.end();
    const isLacking = this.#needsHashes(facts);
    if (isLacking) this.#readWithHashes(Infinity);
    this.#facts = isLacking ? this.#scanner.end() : facts;
    return this.#facts;
  }

  #readAnew(maxBytes: number): TranscriptFacts {
    this.#facts = null;
    this.#scanner = this.#createScanner();
    this.#tail = new FileTail(this.filePath, this.#sinkOf(this.#scanner));
    this.#tail.read(maxBytes);
    const facts = this.#scanner.facts();
    return this.#needsHashes(facts) ? this.#readWithHashes(maxBytes) : facts;
  }

  #needsHashes(facts: TranscriptFacts): boolean {
    return facts.lacksHashes && this.options.withHashes !== false;
  }

  #createScanner(): TranscriptScanner {
    return this.createScanner({ ...this.options, withHashes: this.#withHashes });
  }

  #readWithHashes(maxBytes: number): TranscriptFacts {
    this.#withHashes = true;
    return this.#readAnew(maxBytes);
  }

  #sinkOf(scanner: TranscriptScanner): TailSink {
    const buffer = scanner.room === undefined ? new Uint8Array(CHUNK_BYTES) : null;
    return {
      // A scanner that has ended takes nothing: what comes is read once more, by the next one.
      room: () => buffer ?? (this.#facts === null ? scanner.room?.() : undefined) ?? new Uint8Array(CHUNK_BYTES),
      push: (bytes) => {
        if (this.#facts === null) scanner.push(bytes);
      },
    };
  }
}
