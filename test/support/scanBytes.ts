import { LARGE_FILE_BYTES } from '../../src/core/transcript/byteRows';
import { ReferenceScanner } from '../../src/core/transcript/referenceScanner';
import type { ScannerFactory } from '../../src/core/transcript/scanner';
import type { TranscriptIndex } from '../../src/core/transcript/transcriptIndex';

/** The index of a transcript in memory, as a scan of a file with these bytes gives them. */
export function scanBytes(
  bytes: Uint8Array | string,
  createScanner: ScannerFactory = (options) => new ReferenceScanner(options),
): TranscriptIndex {
  const isLarge = bytes.length > LARGE_FILE_BYTES;
  const scanner = createScanner({ isLarge, withByteRows: isLarge });
  scanner.push(Buffer.from(bytes));
  return scanner.end();
}
