import type { ScannerFactory, TranscriptIndex } from '../rooms/transcript';
import { pushPieces } from '../support/pushPieces';
import type { Random } from '../support/random';
import { repeating } from '../support/repeating';
import { type DumpedFacts, dumpFacts } from '../unit/transcript/dumpFacts';

/** The result of a scanner for a transcript that arrived in one of the ways. */
export interface Outcome {
  readonly way: string;
  readonly result: DumpedFacts | { readonly thrown: string };
}

const FILE_CHUNK_BYTES = 256 * 1024;

/**
 * Scans a transcript in one piece, in pieces of 64 bytes, in random sizes, and as a file is read. The scanners take
 * turns, and no index is read before all are done, so that interference between them would show.
 */
export function scanInAllWays(bytes: Buffer, createScanner: ScannerFactory, random: Random): Outcome[] {
  const ways = [
    { way: 'in one piece', scan: scanWhole(bytes, createScanner) },
    { way: 'in pieces of 64 bytes', scan: scanPieces(bytes, createScanner, repeating(64)) },
    { way: 'in random pieces', scan: scanPieces(bytes, createScanner, randomSizes(bytes.length, random)) },
    { way: 'in pieces of 256 KB, as a file is read', scan: scanFromRoom(bytes, createScanner) },
  ];
  const index = takeTurns(ways.map(({ scan }) => scan));
  return ways.map(({ way }, at) => ({ way, result: dump(index[at]) }));
}

export function scanInOnePiece(bytes: Buffer, createScanner: ScannerFactory): Outcome {
  const [index] = takeTurns([scanWhole(bytes, createScanner)]);
  return { way: 'in one piece', result: dump(index) };
}

type Scan = Generator<void, TranscriptIndex>;

// eslint-disable-next-line require-yield -- One piece leaves no turn to give.
function* scanWhole(bytes: Buffer, createScanner: ScannerFactory): Scan {
  const scanner = createScanner();
  scanner.push(bytes);
  return scanner.end();
}

function* scanPieces(bytes: Buffer, createScanner: ScannerFactory, sizes: Iterable<number>): Scan {
  const scanner = createScanner();
  yield* pushPieces(scanner, bytes, sizes);
  return scanner.end();
}

/** Into the scanner's own memory, if it provides some. */
function* scanFromRoom(bytes: Buffer, createScanner: ScannerFactory): Scan {
  const scanner = createScanner();
  for (let at = 0; at < bytes.length;) {
    const room = scanner.room?.() ?? Buffer.alloc(FILE_CHUNK_BYTES);
    // The memory may grow and be another one after the push.
    const length = Math.min(FILE_CHUNK_BYTES, bytes.length - at);
    bytes.copy(room, 0, at, at + length);
    scanner.push(room.subarray(0, length));
    at += length;
    yield;
  }
  return scanner.end();
}

/** A few thousand pieces at most. */
function* randomSizes(length: number, random: Random): Generator<number> {
  const largest = random.pick([2, 40, 700, 9000]) + Math.floor(length / 1000);
  for (;;) yield random.below(largest + 1);
}

function takeTurns(scans: readonly Scan[]): (TranscriptIndex | Error)[] {
  const results: (TranscriptIndex | Error)[] = [];
  let open = scans.map((scan, at) => ({ scan, at }));
  while (open.length > 0) {
    open = open.filter(({ scan, at }) => {
      try {
        const step = scan.next();
        if (step.done === true) results[at] = step.value;
        return step.done !== true;
      } catch (error) {
        results[at] = error instanceof Error ? error : new Error(String(error));
        return false;
      }
    });
  }
  return results;
}

function dump(index: TranscriptIndex | Error | undefined): Outcome['result'] {
  if (index === undefined) return { thrown: 'nothing was scanned' };
  return index instanceof Error ? { thrown: index.message } : dumpFacts(index);
}
