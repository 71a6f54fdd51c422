import type { TranscriptScanner } from '../../src/core/transcript/scanner';

const MEMORY_BYTES = 256 * 1024;
/** What a scanner reads if it keeps a chunk after `push`. */
const OVERWRITTEN = 0x2a;

/**
 * Pushes a transcript in pieces of the given sizes, at most 256 KB each, and yields after each, so that two scanners
 * can take turns. All pieces share one memory that is overwritten after each push. Throws if the sizes end before the
 * transcript does.
 */
export function* pushPieces(scanner: TranscriptScanner, bytes: Buffer, sizes: Iterable<number>): Generator<void> {
  const memory = Buffer.allocUnsafe(Math.min(MEMORY_BYTES, bytes.length));
  let at = 0;
  for (const size of sizes) {
    const length = Math.min(size, bytes.length - at, memory.length);
    bytes.copy(memory, 0, at, at + length);
    scanner.push(memory.subarray(0, length));
    memory.fill(OVERWRITTEN, 0, length);
    at += length;
    if (at >= bytes.length) return;
    yield;
  }
  throw new RangeError('The pieces are shorter than the transcript');
}
