import type { JsonObject } from '../../util/json';
import { writeFully } from '../fileBytes';
import { errorCode } from '../refusal';
import { closeQuietly, removeQuietly } from '../staleFiles';
import type { OpenFile, WriteFs } from '../writeFs';

/** Longest row that is written, in bytes; about a fifth of what a string can hold when it is read again. */
const MAX_ROW_BYTES = 100 * 1024 * 1024;

export interface AppendDeps {
  readonly fs: Pick<WriteFs, 'open' | 'link' | 'unlink'>;
  /** A string that no other process draws, fit for a file name. */
  readonly random: () => string;
}

/**
 * Appends one row to a file of ours: one JSON object on a line of its own, by one write at the end of the file, so that
 * rows of several threads and processes never mix. The line break stands before the row, not after it: whatever a writer
 * that died left behind, the next row begins on a line of its own, and nobody has to look first. A row that was cut is
 * never valid JSON, as its last byte is what closes the object.
 *
 * The file is made when it is missing; `kind` is what its first line says of it. Rejects with Node's error, and with
 * `EFBIG` for a row that is too long; the row is not in the file then, or cut.
 */
export async function appendRow(
  path: string,
  kind: string,
  row: JsonObject,
  deps: AppendDeps,
  maxBytes = MAX_ROW_BYTES,
): Promise<void> {
  const bytes = Buffer.from(`\n${JSON.stringify(row)}`);
  if (bytes.length > maxBytes) throw failure('EFBIG', 'The row is too long');
  const file = await openLog(path, kind, deps);
  try {
    if ((await file.write(bytes)) < bytes.length) throw failure('ENOSPC', 'The row was cut');
  } finally {
    await closeQuietly(file);
  }
}

/** What the first line of a file of rows is. */
export function firstRow(kind: string): JsonObject {
  return { rethread: kind, version: 1 };
}

async function openLog(path: string, kind: string, deps: AppendDeps): Promise<OpenFile> {
  try {
    return await deps.fs.open(path, 'append');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await createLog(path, kind, deps);
    return deps.fs.open(path, 'append');
  }
}

/** Under its name the file has its first line from the start, whoever else appends to it at once. */
async function createLog(path: string, kind: string, { fs, random }: AppendDeps): Promise<void> {
  const unfinished = `${path}.${random()}.tmp`;
  const file = await fs.open(unfinished, 'create');
  try {
    await writeFully(file, Buffer.from(JSON.stringify(firstRow(kind))));
    await closeQuietly(file);
    await fs.link(unfinished, path);
  } catch (error) {
    await closeQuietly(file);
    const code = errorCode(error);
    // A file system without links: then the first line may be an empty one, which nobody minds.
    if (code !== 'EEXIST') await createEmpty(path, fs);
  } finally {
    await removeQuietly(unfinished, fs);
  }
}

async function createEmpty(path: string, fs: Pick<WriteFs, 'open'>): Promise<void> {
  try {
    await closeQuietly(await fs.open(path, 'create'));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
