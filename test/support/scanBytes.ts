import { ReferenceScanner } from '../../src/core/transcript/referenceScanner';
import type { ScannerFactory } from '../../src/core/transcript/scanner';
import type { TranscriptIndex } from '../../src/core/transcript/transcriptIndex';

/** The index of a transcript in memory. */
export function scanBytes(
  bytes: Uint8Array | string,
  createScanner: ScannerFactory = () => new ReferenceScanner(),
): TranscriptIndex {
  const scanner = createScanner();
  scanner.push(Buffer.from(bytes));
  return scanner.end();
}
