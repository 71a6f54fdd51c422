import { closeSync, readSync } from 'node:fs';
import { openRegularFile, type ScannedIdentity } from '../util/openForeignFile';
import type { Pacer } from '../util/scheduling';
import { LARGE_FILE_BYTES } from './byteRows';
import { needsMessageHashes } from './repeatedRows';
import type { ScannerFactory, ScannerOptions, TranscriptScanner } from './scanner';
import type { TranscriptIndex } from './transcriptIndex';
import { MAX_WEIGHED_BYTES, UncountedBytes, uncountedInFile, type UncountedRows } from './uncountedRows';

const CHUNK_BYTES = 256 * 1024;
/** Usually scanned within a millisecond. The clock is read only so often, because each reading costs as much as some kilobytes. */
const PACE_BYTES = 4 * CHUNK_BYTES;

/** Changes the bytes before they reach the scanner. */
export interface ByteTransform {
  push(chunk: Uint8Array): Iterable<Uint8Array>;
  end(): Iterable<Uint8Array>;
}

export interface FileScanOptions extends ScannerOptions {
  /** False if nobody asks what the client loads. By default, the facts of a large file include them where they matter. */
  readonly withByteRows?: boolean;
  /** Whether the use of these facts has to weigh rows. Their bytes are then read again. By default, nobody weighs a row. */
  readonly needsWeights?: ((index: TranscriptIndex) => boolean) | undefined;
  /** Returns what changes the bytes before they reach the scanner, each time that they are read. */
  readonly through?: (() => ByteTransform) | undefined;
  /** How many bytes reach the scanner; by default about as many as the file has. The client reads large files in another way. */
  readonly sizeAfter?: number | undefined;
  /** Called from time to time with the number of bytes read so far. */
  readonly onProgress?: ((bytesRead: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ScanFileOptions extends FileScanOptions {
  /** Without a pacer, the scan never yields the thread. */
  readonly pacer?: Pacer | undefined;
}

export interface FileScan {
  readonly index: TranscriptIndex;
  readonly identity: ScannedIdentity;
}

/** `scanFile` with a fixed scanner factory and pacer. */
export type FileScanner = (filePath: string, options?: FileScanOptions) => Promise<FileScan>;

export function createFileScanner(createScanner: ScannerFactory, pacer: Pacer): FileScanner {
  return (filePath, options) => scanFile(filePath, createScanner, { ...options, pacer });
}

/** `scanFileOnce` with a fixed scanner factory and pacer. */
export type OnePassScanner = <T>(
  filePath: string,
  use: (index: TranscriptIndex) => T,
  options?: FileScanOptions,
) => Promise<T>;

export function createOnePassScanner(createScanner: ScannerFactory, pacer: Pacer): OnePassScanner {
  return (filePath, use, options) => scanFileOnce(filePath, createScanner, use, { ...options, pacer });
}

/**
 * Reads a transcript in chunks, from the first byte to the size it had when it was opened. Reads synchronously, which is several
 * times faster than awaiting each chunk: for worker threads and command lines. Rejects with the errors of `openRegularFile`,
 * or with the signal's reason.
 */
export async function scanFile(
  filePath: string,
  createScanner: ScannerFactory,
  options: ScanFileOptions = {},
): Promise<FileScan> {
  const { file, identity } = openRegularFile(filePath);
  try {
    const isLargeAfter = isLarge({ size: options.sizeAfter ?? identity.size });
    // A repair changes the size, though not by much.
    const isSizeOpen = options.through !== undefined && options.sizeAfter === undefined;
    const { withByteRows = isSizeOpen || isLargeAfter } = options;
    const all = { ...options, isLarge: isLargeAfter, withByteRows };
    const first = { ...all, withHashes: false, withByteRows: false, withProvenByteRows: withByteRows };
    // No reference to the facts remains if they are not enough. That is rare: hashes matter only if two rows have the same uuid.
    for (let next: ScanFileOptions = first; ;) {
      const seen = await readAll(file, identity, createScanner, next).then((scanner) => {
        const index = scanner.end();
        const missing = missingHashes(index, options, next);
        const isEnough = missing === null && (!withByteRows || next !== first || index.byteRows !== null);
        return isEnough ? { index } : { hashes: missing ?? NO_HASHES };
      });
      if ('index' in seen) return { index: seen.index, identity };
      next = { ...all, ...seen.hashes };
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Like `scanFile`, for callers that need the facts only once: see `TranscriptScanner.read`. A large file is read again for its byte
 * rows if it is not straight and the scanner has not proved them.
 */
export async function scanFileOnce<T>(
  filePath: string,
  createScanner: ScannerFactory,
  use: (index: TranscriptIndex) => T,
  options: ScanFileOptions = {},
): Promise<T> {
  const { file, identity } = openRegularFile(filePath);
  try {
    const { withByteRows = isLarge(identity) } = options;
    // No reference to the first scanner remains: its memory can be as large as the longest row.
    const all = { ...options, isLarge: isLarge(identity) };
    const first = {
      ...all,
      withHashes: false,
      withByteRows: false,
      withProvenByteRows: withByteRows,
      withWeights: false,
    };
    for (let next: ScanFileOptions = first; ;) {
      const seen = await readAll(file, identity, createScanner, next).then((scanner) =>
        scanner.read((index) => {
          const missing = missingHashes(index, options, next);
          const hasByteRows = !withByteRows || next !== first || index.straight !== null || index.byteRows !== null;
          if (missing !== null || !hasByteRows) return { hashes: missing ?? NO_HASHES };
          const mustWeigh = next.withWeights === false && options.needsWeights?.(index) === true;
          if (mustWeigh) index.uncounted = uncountedRows(file, index);
          return { result: use(index) };
        }),
      );
      if ('result' in seen) return seen.result;
      next = { ...all, ...seen.hashes, withByteRows };
    }
  } finally {
    closeSync(file);
  }
}

type Hashes = Required<Pick<ScannerOptions, 'withHashes' | 'withMessageHashes'>>;

const NO_HASHES: Hashes = { withHashes: false, withMessageHashes: false };

/** The hashes that are needed and that a scan did not compute; null if there are none. */
function missingHashes(
  index: TranscriptIndex,
  { withHashes = true }: ScanFileOptions,
  scan: Partial<Hashes>,
): Hashes | null {
  if (!withHashes) return null;
  if (scan.withMessageHashes !== true && needsMessageHashes(index)) return { withHashes, withMessageHashes: true };
  return index.lacksHashes && scan.withHashes === false ? { withHashes, withMessageHashes: false } : null;
}

/** The rows that no count of tokens covers, while the file is open. */
function uncountedRows(file: number, { rows, fileSize: end }: TranscriptIndex): UncountedRows {
  const { counted } = rows;
  const offset = counted < 0 ? 0 : rows.offset(counted);
  const read = (from: number, to: number): Buffer => readBytes(file, from, to);
  if (end - offset <= MAX_WEIGHED_BYTES) return uncountedInFile(rows, end, read);
  // Room for the counted row, which is not weighed, and for the line at the limit.
  const bytes = read(offset, Math.min(end, offset + 2 * MAX_WEIGHED_BYTES));
  const uncounted = new UncountedBytes();
  uncounted.add(bytes, offset, counted < 0 ? null : { row: counted, offset });
  return uncounted.rows(rows);
}

/** Fewer bytes if the file ends before `to`. */
function readBytes(file: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(to - from);
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
}

function isLarge({ size }: { readonly size: number | bigint }): boolean {
  return Number(size) > LARGE_FILE_BYTES;
}

/** Returns a scanner that has received the whole file. */
async function readAll(
  file: number,
  { size }: ScannedIdentity,
  createScanner: ScannerFactory,
  options: ScanFileOptions,
): Promise<TranscriptScanner> {
  const { pacer, onProgress, signal } = options;
  const through = options.through?.();
  const end = Number(size);
  const scanner = createScanner(options);
  const read = through === undefined ? directReader(file, scanner) : changingReader(file, scanner, through);
  let pacedAt = 0;
  for (let at = 0; at < end;) {
    const bytesRead = read(at, end);
    if (bytesRead === 0) break;
    at += bytesRead;
    if (at - pacedAt < PACE_BYTES && at < end) continue;
    pacedAt = at;
    const turn = pacer?.yieldIfDue() ?? null;
    if (turn === null) continue;
    onProgress?.(at);
    await turn;
    signal?.throwIfAborted();
  }
  for (const bytes of through?.end() ?? []) scanner.push(bytes);
  return scanner;
}

/** Reads bytes of the file at `at`, not past `end`, and pushes them. Returns their number; 0 at the end of the file. */
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
