import { dirname } from 'node:path';
import type { JsonObject } from '../../util/json';
import { writeFully } from '../fileBytes';
import { errorCode } from '../refusal';
import { closeQuietly, type OpenFile, removeQuietly, type WriteFs } from '../writeFs';
import { makePrivateFolder } from './privateFolder';

/**
 * Longest row that is written, in bytes; about a fifth of the longest string, because it is read back into a string.
 */
const MAX_ROW_BYTES = 100 * 1024 * 1024;

export interface AppendDeps {
  readonly fs: Pick<WriteFs, 'open' | 'link' | 'unlink'>;
  /** Returns a string that is unique among all processes and valid in a file name. */
  readonly random: () => string;
}

/**
 * Appends one row to a file of the extension: one JSON object on its own line, with one write at the end of the file,
 * so that rows of several threads and processes never mix. The line break precedes the row: whatever a writer that died
 * left behind, the next row starts on its own line, without any need to read the file first. A truncated row is never
 * valid JSON, because its last byte closes the object.
 *
 * Creates the file if it is missing; `kind` is recorded in its first line. Rejects with Node's error, and with `EFBIG`
 * for a row that is too long; the row is then missing from the file, or truncated.
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

/** The first line of a file of rows. */
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

/**
 * The file appears under its name with its first line already written, even if other processes append at the same time.
 */
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
    // A file system without links: the first line may then be empty, which readers accept.
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

/** A log that is larger than this is renamed to `.old`, and an empty one is started. */
const MAX_LOG_BYTES = 256 * 1024;

export interface LogDeps {
  readonly fs: WriteFs;
  /** Returns a string that is unique among all processes and valid in a file name. */
  readonly random: () => string;
}

/** Appends a row to a log of the extension and limits its size. Rejects with Node's error. */
export async function appendToLog(path: string, kind: string, row: JsonObject, deps: LogDeps): Promise<void> {
  const { fs } = deps;
  await makePrivateFolder(dirname(path), fs);
  const stat = await fs.lstat(path).catch(() => null);
  if (stat !== null && stat.size > BigInt(MAX_LOG_BYTES)) await fs.rename(path, `${path}.old`).catch(() => undefined);
  await appendRow(path, kind, row, deps);
}
