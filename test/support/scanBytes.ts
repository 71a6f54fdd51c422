import { LARGE_FILE_BYTES } from '../../src/core/transcript/byteRows';
import { needsMessageHashes } from '../../src/core/transcript/repeatedRows';
import type { ScannerFactory } from '../../src/core/transcript/scanner';
import type { TranscriptIndex } from '../../src/core/transcript/transcriptIndex';
import { plainScanner } from './plainScanner';

/** The index of a transcript in memory, as a scan of a file with these bytes gives them. */
export function scanBytes(bytes: Uint8Array | string, createScanner: ScannerFactory = plainScanner): TranscriptIndex {
  const isLarge = bytes.length > LARGE_FILE_BYTES;
  const scan = (withMessageHashes: boolean): TranscriptIndex => {
    const scanner = createScanner({ isLarge, withByteRows: isLarge, withMessageHashes });
    scanner.push(Buffer.from(bytes));
    return scanner.end();
  };
  const index = scan(false);
  return needsMessageHashes(index) ? scan(true) : index;
}
