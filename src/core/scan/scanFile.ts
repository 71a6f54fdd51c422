import { closeSync, readSync } from 'node:fs';
import type { Pacer } from '../util/pacer';
import { openRegularFile, type ScannedIdentity } from './openRegularFile';
import type { ScannerFactory, ScannerOptions, TranscriptScanner } from './scanner';
import type { TranscriptFacts } from './transcriptFacts';

const CHUNK_BYTES = 256 * 1024;

/** Changes the bytes on their way to the scanner. */
export interface ByteTransform {
  push(chunk: Uint8Array): Iterable<Uint8Array>;
  end(): Iterable<Uint8Array>;
}

export interface FileScanOptions extends ScannerOptions {
  readonly through?: ByteTransform | undefined;
  /** Called now and then with the bytes read so far. */
  readonly onProgress?: ((bytesRead: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ScanFileOptions extends FileScanOptions {
  /** The thread is not given away without one. */
  readonly pacer?: Pacer | undefined;
}

export interface FileScan {
  readonly facts: TranscriptFacts;
  readonly identity: ScannedIdentity;
}

/** `scanFile` with a scanner and the turns of the thread bound to it. */
export type FileScanner = (filePath: string, options?: FileScanOptions) => Promise<FileScan>;

export function createFileScanner(createScanner: ScannerFactory, pacer: Pacer): FileScanner {
  return (filePath, options) => scanFile(filePath, createScanner, { ...options, pacer });
}

/**
 * Reads a transcript from the first byte to the size it had when it was opened, in chunks. Reads synchronously, which is
 * several times faster than to wait for each chunk: for worker threads and command lines. Rejects with the file system's
 * error, with EISDIR for anything that is no regular file, or with the signal's reason.
 */
export async function scanFile(
  filePath: string,
  createScanner: ScannerFactory,
  options: ScanFileOptions = {},
): Promise<FileScan> {
  const { file, identity } = openRegularFile(filePath);
  try {
    const end = Number(identity.size);
    // Hashes are of use only where two rows have one uuid: hardly ever, and then it is worth reading the file twice.
    const facts = await readAll(file, end, createScanner, { ...options, withHashes: options.through !== undefined });
    if (!facts.lacksHashes) return { facts, identity };
    return { facts: await readAll(file, end, createScanner, options), identity };
  } finally {
    closeSync(file);
  }
}

async function readAll(
  file: number,
  end: number,
  createScanner: ScannerFactory,
  options: ScanFileOptions,
): Promise<TranscriptFacts> {
  const { pacer, onProgress, signal, through } = options;
  const scanner = createScanner(options);
  const read = through === undefined ? directReader(file, scanner) : changingReader(file, scanner, through);
  for (let at = 0; at < end;) {
    const bytesRead = read(at, end);
    if (bytesRead === 0) break;
    at += bytesRead;
    const turn = pacer?.pause() ?? null;
    if (turn === null) continue;
    onProgress?.(at);
    await turn;
    signal?.throwIfAborted();
  }
  for (const bytes of through?.end() ?? []) scanner.push(bytes);
  return scanner.end();
}

/** Reads a piece of the file from `at` on, not past `end`, and pushes it. Returns its bytes; 0 at the end of the file. */
type Reader = (at: number, end: number) => number;

function directReader(file: number, scanner: TranscriptScanner): Reader {
  const buffer = Buffer.allocUnsafe(scanner.room === undefined ? CHUNK_BYTES : 0);
  return (at, end) => {
    const room = scanner.room?.() ?? buffer;
    const bytesRead = readSync(file, room, 0, Math.min(CHUNK_BYTES, end - at), at);
    if (bytesRead > 0) scanner.push(room.subarray(0, bytesRead));
    return bytesRead;
  };
}

function changingReader(file: number, scanner: TranscriptScanner, through: ByteTransform): Reader {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  return (at, end) => {
    const bytesRead = readSync(file, buffer, 0, Math.min(CHUNK_BYTES, end - at), at);
    for (const bytes of through.push(buffer.subarray(0, bytesRead))) scanner.push(bytes);
    return bytesRead;
  };
}
