import { createHash } from 'node:crypto';
import { CHUNK_BYTES, readFully } from '../fileBytes';
import { closeQuietly } from '../leftovers';
import type { ReadableFile, WriteFs } from '../writeFs';

/** Hex SHA-256 of a file, in bounded memory. Rejects with the file system's error. */
export async function sha256Of(path: string, fs: Pick<WriteFs, 'open'>): Promise<string> {
  const file = await fs.open(path, 'read');
  try {
    return (await digestOf(file)).sha256;
  } finally {
    await closeQuietly(file);
  }
}

export interface Digest {
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
}

/** Of an open file from its first byte to its end; each piece is given on before the next is read. */
export async function digestOf(
  file: ReadableFile,
  take: (bytes: Uint8Array) => Promise<void> = () => Promise.resolve(),
): Promise<Digest> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let size = 0;
  for (;;) {
    const read = await readFully(file, buffer, size);
    if (read === 0) return { sha256: hash.digest('hex'), size };
    const bytes = buffer.subarray(0, read);
    hash.update(bytes);
    await take(bytes);
    size += read;
  }
}
