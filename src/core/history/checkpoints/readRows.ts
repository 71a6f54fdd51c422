import { CHUNK_BYTES, readFully } from '../../storage/fileBytes';
import { errorCode } from '../../storage/refusal';
import { closeQuietly } from '../../storage/staleFiles';
import type { ReadableFile, WriteFs } from '../../storage/writeFs';
import { isJsonObject, type JsonObject, parseObject } from '../../util/json';

export interface StoredRows {
  readonly rows: readonly JsonObject[];
  /** Lines that are no row: cut when their writer died. */
  readonly torn: number;
}

type ReadingFs = Pick<WriteFs, 'open'>;

/** Bytes that are parsed at once. */
const BATCH_BYTES = 4 * CHUNK_BYTES;
/** First look at the end of a file. */
const TAIL_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * All rows of a file of ours, in the order in which they were written; lines that hold none are counted and passed over.
 * None when there is no file. Rejects with Node's error when it cannot be read.
 */
export async function readRows(path: string, fs: ReadingFs): Promise<StoredRows> {
  const file = await openIfThere(path, fs);
  if (file === null) return { rows: [], torn: 0 };
  try {
    const rows: JsonObject[] = [];
    let torn = 0;
    let rest: Buffer = Buffer.alloc(0);
    for (let at = 0; ;) {
      const buffer = Buffer.allocUnsafe(rest.length + BATCH_BYTES);
      rest.copy(buffer);
      const read = await readFully(file, buffer.subarray(rest.length), at);
      const bytes = buffer.subarray(0, rest.length + read);
      at += read;
      const end = read === 0 ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
      const batch = parseBatch(bytes.toString('utf8', 0, end));
      for (const row of batch.rows) rows.push(row);
      torn += batch.torn;
      if (read === 0) return { rows, torn };
      rest = bytes.subarray(end);
    }
  } finally {
    await closeQuietly(file);
  }
}

/** The last row of a file of ours, read from its end; null when it has none, or there is no file. */
export async function readLastRow(path: string, fs: ReadingFs): Promise<JsonObject | null> {
  const file = await openIfThere(path, fs);
  if (file === null) return null;
  try {
    const size = Number((await file.stat()).size);
    for (let length = Math.min(size, TAIL_BYTES); ; length = Math.min(size, length * 16)) {
      const buffer = Buffer.allocUnsafe(length);
      const read = await readFully(file, buffer, size - length);
      const last = parseBatch(buffer.toString('utf8', 0, read)).rows.at(-1);
      if (last !== undefined || length === size) return last ?? null;
    }
  } finally {
    await closeQuietly(file);
  }
}

function parseBatch(text: string): StoredRows {
  // Zeros are what a power failure leaves of bytes that were not yet on the disk; no row holds one.
  const lines = text
    .split(text.includes('\0') ? /[\n\0]/u : '\n')
    .filter((line) => line.length > 2 || line.trim() !== '');
  const rows = parseTogether(lines) ?? lines.map(parseObject);
  const whole = rows.filter(isJsonObject);
  return { rows: whole.filter((row) => typeof row['rethread'] !== 'string'), torn: lines.length - whole.length };
}

/** In one go, which takes about half the time; null when a line is torn, and so is none by itself. */
function parseTogether(lines: readonly string[]): readonly unknown[] | null {
  try {
    const values: unknown = JSON.parse(`[${lines.join(',')}]`);
    return Array.isArray(values) && values.length === lines.length ? values : null;
  } catch {
    return null;
  }
}

async function openIfThere(path: string, fs: ReadingFs): Promise<ReadableFile | null> {
  try {
    return await fs.open(path, 'read');
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}
