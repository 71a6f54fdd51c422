import { CHUNK_BYTES, readFully } from '../../storage/fileBytes';
import { errorCode } from '../../storage/refusal';
import { closeQuietly, type ReadableFile, type WriteFs } from '../../storage/writeFs';
import { isJsonObject, type JsonObject, parseObject } from '../../util/json';

export interface StoredRows {
  readonly rows: readonly JsonObject[];
  /** Number of lines that are not rows, because the process that wrote them died. */
  readonly torn: number;
}

type ReadingFs = Pick<WriteFs, 'open'>;

/** Number of bytes that are parsed together. */
const BATCH_BYTES = 4 * CHUNK_BYTES;
/** Number of bytes that are first read from the end of a file. */
const TAIL_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/**
 * All rows of a file of the store, in the order in which they were written. Lines that are not rows are counted and
 * skipped. No rows if there is no file. Rejects with Node's error if the file cannot be read.
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

/** The last row of a file of the store, read from its end. Null if it has no row, or there is no file. */
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
  // A power failure leaves NULs in place of bytes that were not on disk yet. A row contains no NUL.
  const lines = text
    .split(text.includes('\0') ? /[\n\0]/u : '\n')
    .filter((line) => line.length > 2 || line.trim() !== '');
  const rows = parseTogether(lines) ?? lines.map(parseObject);
  const whole = rows.filter(isJsonObject);
  return { rows: whole.filter((row) => typeof row['rethread'] !== 'string'), torn: lines.length - whole.length };
}

/** Parses all lines in one call, which takes about half the time. Null if this fails, because a line is torn. */
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
