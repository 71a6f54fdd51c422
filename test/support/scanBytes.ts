import { ReferenceScanner } from '../../src/core/transcript/referenceScanner';
import type { ScannerFactory } from '../../src/core/transcript/scanner';
import type { TranscriptFacts } from '../../src/core/transcript/transcriptIndex';

/** The facts of a transcript in memory. */
export function scanBytes(
  bytes: Uint8Array | string,
  createScanner: ScannerFactory = () => new ReferenceScanner(),
): TranscriptFacts {
  const scanner = createScanner();
  scanner.push(Buffer.from(bytes));
  return scanner.end();
}
