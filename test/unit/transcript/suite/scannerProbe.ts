import {
  type LineFaultKind,
  needsMessageHashes,
  type ScannerFactory,
  type TranscriptIndex,
} from '../../../rooms/transcript';
import { pushPieces } from '../../../support/pushPieces';
import { scanBytes } from '../../../support/scanBytes';
import { type DumpedFacts, dumpFacts } from '../dumpFacts';

/** A scanner, with the calls that the tests need. */
export interface ScannerProbe {
  /** The bytes in one piece. */
  readonly scan: (bytes: Uint8Array | string) => TranscriptIndex;
  readonly dump: (bytes: Uint8Array | string) => DumpedFacts;
  readonly dumpWithUsage: (bytes: Uint8Array | string) => DumpedFacts;
  /** The index after each of the pieces, before the end. */
  readonly dumpAfterEach: (pieces: readonly (Uint8Array | string)[]) => DumpedFacts[];
  readonly scanInPieces: (bytes: Buffer, sizes: () => Iterable<number>) => DumpedFacts;
  readonly uuids: (bytes: Uint8Array | string) => (string | null)[];
  readonly flagsOf: (bytes: Uint8Array | string, uuid: string) => readonly string[];
  /** Kind, line, and whether it hides a row. */
  readonly faultsOf: (bytes: Uint8Array | string) => [LineFaultKind, number, boolean][];
}

export function createScannerProbe(createScanner: ScannerFactory): ScannerProbe {
  const scan = (bytes: Uint8Array | string): TranscriptIndex => scanBytes(bytes, createScanner);
  const dump = (bytes: Uint8Array | string): DumpedFacts => dumpFacts(scan(bytes));
  return {
    scan,
    dump,
    dumpWithUsage: (bytes) => dumpFacts(scanBytes(bytes, () => createScanner({ withUsage: true }))),
    dumpAfterEach: (pieces) => {
      const scanner = createScanner();
      return pieces.map((piece) => {
        scanner.push(Buffer.from(piece));
        return dumpFacts(scanner.index());
      });
    },
    scanInPieces: (bytes, sizes) => {
      const scanPieces = (withMessageHashes: boolean): TranscriptIndex => {
        const scanner = createScanner({ withMessageHashes });
        Array.from(pushPieces(scanner, bytes, sizes()));
        return scanner.end();
      };
      const index = scanPieces(false);
      return dumpFacts(needsMessageHashes(index) ? scanPieces(true) : index);
    },
    uuids: (bytes) => dump(bytes).rows.map((row) => row.uuid),
    flagsOf: (bytes, uuid) => dump(bytes).rows.find((row) => row.uuid === uuid)?.flags ?? ['no such row'],
    faultsOf: (bytes) => dump(bytes).lineFaults.map(({ kind, line, hidesRow }) => [kind, line, hidesRow]),
  };
}
