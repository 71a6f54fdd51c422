import { closeSync, readSync } from 'node:fs';
import { openRegularFile, type ScannedIdentity } from '../util/openForeignFile';
import { CheckedSpan } from './checkedSpan';

const CHUNK_BYTES = 256 * 1024;

/** Takes the bytes of a file in order. */
export interface TailSink {
  /** Memory that bytes may be read into: at least 256 KiB. */
  room(): Uint8Array;
  push(bytes: Uint8Array): void;
}

/**
 * `grown`: bytes were appended, and the sink has them. `unchanged`: nothing happened. `replaced`: the file is another one,
 * is shorter, or its old bytes were rewritten: whoever reads on has to begin anew.
 */
export type TailChange = 'grown' | 'unchanged' | 'replaced';

/**
 * Reads what is appended to a file. Old bytes are not read again; that they are still the same is told by inode, size
 * and time, and by the bytes at the start of the file and right before the place it has read to.
 */
export class FileTail {
  #identity: ScannedIdentity | null = null;
  #offset = 0;
  readonly #head = new CheckedSpan();
  readonly #before = new CheckedSpan();

  constructor(
    private readonly filePath: string,
    private readonly sink: TailSink,
  ) {}

  /** The file as it was before the last read; null before the first. */
  get identity(): ScannedIdentity | null {
    return this.#identity;
  }

  /** Bytes read so far. */
  get offset(): number {
    return this.#offset;
  }

  /** All that the file held when it was looked at was read. */
  get isAtEnd(): boolean {
    return this.#identity !== null && this.#offset >= Number(this.#identity.size);
  }

  /**
   * What was read still stands at its beginning and at its end: another file may hold the same, and more. False as well
   * when the file cannot be read.
   */
  isStillThere(): boolean {
    try {
      const { file } = openRegularFile(this.filePath);
      try {
        return this.#holds(file);
      } finally {
        closeSync(file);
      }
    } catch {
      return false;
    }
  }

  /**
   * Reads no more than `maxBytes` of what was appended. Throws the file system's error, and EISDIR for what is no regular
   * file.
   */
  read(maxBytes = Infinity): TailChange {
    const { file, identity } = openRegularFile(this.filePath);
    try {
      const change = this.#compare(file, identity);
      if (change !== 'grown') return change;
      this.#identity = identity;
      this.#readTo(file, Math.min(Number(identity.size), this.#offset + maxBytes));
      return 'grown';
    } finally {
      closeSync(file);
    }
  }

  #compare(file: number, stat: ScannedIdentity): TailChange {
    const known = this.#identity;
    if (known === null) return 'grown';
    if (stat.ino !== known.ino || stat.dev !== known.dev || stat.size < BigInt(this.#offset)) return 'replaced';
    const isSame = stat.size === known.size && stat.mtimeNs === known.mtimeNs;
    if (isSame) return this.isAtEnd ? 'unchanged' : 'grown';
    // Written without growing: the old bytes are other ones, or the same once more.
    if (stat.size === BigInt(this.#offset)) return 'replaced';
    return this.#holds(file) ? 'grown' : 'replaced';
  }

  #holds(file: number): boolean {
    return this.#head.isSame(file) && this.#before.isSame(file);
  }

  #readTo(file: number, end: number): void {
    while (this.#offset < end) {
      const room = this.sink.room();
      const bytesRead = readSync(file, room, 0, Math.min(CHUNK_BYTES, end - this.#offset), this.#offset);
      if (bytesRead === 0) break;
      const bytes = room.subarray(0, bytesRead);
      this.#head.extend(bytes, this.#offset);
      this.#before.slide(bytes, this.#offset);
      this.sink.push(bytes);
      this.#offset += bytesRead;
    }
  }
}
