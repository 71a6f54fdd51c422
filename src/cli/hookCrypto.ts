// Takes the place of node:crypto in the program of the hook, which Claude waits for before each edit: to load that module takes twice
// as long as the whole copy of a usual file.
import type * as crypto from 'node:crypto';
import sha256Module from '@chainsafe/as-sha256/build/optimized.wasm';

/** Above so many bytes, the speed of node:crypto outweighs the time to load it. */
const SMALL_BYTES = 1024 * 1024;

/** The exports of the library's module. Its addresses are in `memory`. */
interface Sha256Exports {
  readonly memory: WebAssembly.Memory;
  readonly INPUT_LENGTH: WebAssembly.Global;
  readonly input: WebAssembly.Global;
  readonly output: WebAssembly.Global;
  init(): void;
  update(at: number, bytes: number): void;
  final(at: number): void;
}

const HASH_BYTES = 32;

let sha256: Sha256Exports | null = null;

function loadSha256(): Sha256Exports {
  const abort = (): never => {
    throw new Error('The hash has failed');
  };
  const instance = new WebAssembly.Instance(new WebAssembly.Module(sha256Module), { env: { abort } });
  // SAFETY: the module of the library, of the version that package.json names.
  return instance.exports as unknown as Sha256Exports;
}

function hashOf(parts: readonly Buffer[]): Buffer {
  const exports = (sha256 ??= loadSha256());
  const { memory, INPUT_LENGTH, input, output } = exports;
  const room = new Uint8Array(memory.buffer, input.value, INPUT_LENGTH.value);
  exports.init();
  for (const part of parts) {
    for (let at = 0; at < part.length; at += room.length) {
      const some = part.subarray(at, at + room.length);
      room.set(some);
      exports.update(input.value, some.length);
    }
  }
  exports.final(output.value);
  return Buffer.from(memory.buffer.slice(output.value, output.value + HASH_BYTES));
}

/** Whether the content of a file was hashed. */
export function hasHashed(): boolean {
  return sha256 !== null;
}

/** The part of `Hash` that the hook uses: SHA-256 in hex. */
class LazyHash {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #large: crypto.Hash | null = null;

  update(data: string | Uint8Array): this {
    if (this.#large === null && this.#heldBytes + data.length <= SMALL_BYTES) {
      // A copy, because the caller reads the next bytes into the same buffer.
      this.#held.push(Buffer.from(data));
      this.#heldBytes += data.length;
      return this;
    }
    this.#large ??= this.#startLarge();
    this.#large.update(data);
    return this;
  }

  digest(form: 'hex'): string {
    return this.#large?.digest(form) ?? hashOf(this.#held).toString(form);
  }

  #startLarge(): crypto.Hash {
    // The bundle replaces only the name with a scheme.
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- loaded only if it is needed
    const { createHash } = require('crypto') as typeof crypto;
    const large = createHash('sha256');
    for (const part of this.#held) large.update(part);
    this.#held = [];
    return large;
  }
}

export function createHash(algorithm: string): LazyHash {
  if (algorithm !== 'sha256') throw new Error(`The hook has no ${algorithm}`);
  return new LazyHash();
}

/** For the names of unfinished files only, which are unique but no secret. V8 seeds its numbers from the system's entropy. */
export function randomUUID(): string {
  const digits = Array.from({ length: 4 }, () =>
    Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  );
  return digits.join('').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/u, '$1-$2-4$3-8$4-$5');
}
