import { open, type FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ScannerFactory } from './scanner';
import type { TranscriptFacts } from './transcriptFacts';

const CHUNK_BYTES = 256 * 1024;
/** Between two looks at the event loop: about 10 ms of work. */
const BYTES_PER_TURN = 4 * 1024 * 1024;

/** Changes the bytes on their way to the scanner. */
export interface ByteTransform {
  push(chunk: Uint8Array): Iterable<Uint8Array>;
  end(): Iterable<Uint8Array>;
}

export interface ScanFileOptions {
  readonly through?: ByteTransform | undefined;
  readonly onProgress?: ((bytesRead: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Who the file was when its reading began: taken before the first byte. */
export interface ScannedIdentity {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
}

export interface FileScan {
  readonly facts: TranscriptFacts;
  readonly identity: ScannedIdentity;
}

/**
 * Reads a transcript from the first byte to the size it had when it was opened, in chunks. Rejects with the file
 * system's error, with EISDIR for anything that is no regular file, or with the signal's reason.
 */
export async function scanFile(
  filePath: string,
  createScanner: ScannerFactory,
  options: ScanFileOptions = {},
): Promise<FileScan> {
  const file = await open(filePath, 'r');
  try {
    const { size, mtimeNs, ino, dev } = await regularStat(file);
    const scanner = createScanner();
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const end = Number(size);
    let at = 0;
    let nextTurnAt = BYTES_PER_TURN;
    while (at < end) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(CHUNK_BYTES, end - at), at);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      for (const bytes of options.through?.push(chunk) ?? [chunk]) scanner.push(bytes);
      at += bytesRead;
      if (at < nextTurnAt) continue;
      nextTurnAt = at + BYTES_PER_TURN;
      options.onProgress?.(at);
      await nextTurn();
      options.signal?.throwIfAborted();
    }
    for (const bytes of options.through?.end() ?? []) scanner.push(bytes);
    return { facts: scanner.end(), identity: { size, mtimeNs, ino, dev } };
  } finally {
    await file.close();
  }
}

async function regularStat(file: FileHandle): Promise<ScannedIdentity> {
  const stat = await file.stat({ bigint: true });
  if (!stat.isFile()) throw Object.assign(new Error('Not a regular file'), { code: 'EISDIR' });
  return stat;
}
