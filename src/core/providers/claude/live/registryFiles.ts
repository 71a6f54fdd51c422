// How files of the registry are read: those that have not changed are remembered.
import { lstatSync, readdirSync } from 'node:fs';
import { diskSessionFiles, type FileStamp, isSameStamp } from '../../../util/diskFiles';
import { type JsonObject, parseObject } from '../../../util/json';
import { readSmallFile } from '../../../util/openForeignFile';

/** Several looks of one moment ask a file once. In milliseconds. */
const MOMENT_MS = 200;
/** A file of the registry that was written so shortly ago may be written again with the same stamp, in milliseconds. */
const UNSETTLED_MS = 2_000;
/** So many files are remembered; after that, all are read again. */
const MAX_REMEMBERED = 5_000;

/** What the files of one kind said, so that those that have not changed are not read again. */
export class RememberedFiles<T extends object> {
  readonly #files = new Map<string, { readonly stamp: FileStamp; readonly content: T; askedMs: number }>();

  /** `read` returns null for what cannot be read. */
  get(path: string, nowMs: number, read: (path: string) => T | 'gone' | null): T | 'gone' | null {
    const known = this.#files.get(path);
    if (known !== undefined && Math.abs(nowMs - known.askedMs) < MOMENT_MS) return known.content;
    const stamp = diskSessionFiles.stampAgain(path, known?.stamp ?? null);
    if (known !== undefined && isSameStamp(known.stamp, stamp)) {
      known.askedMs = nowMs;
      return known.content;
    }
    const content = read(path);
    const isKept = content !== null && content !== 'gone' && stamp !== null && nowMs - stamp.mtimeMs > UNSETTLED_MS;
    if (this.#files.size > MAX_REMEMBERED) this.#files.clear();
    if (isKept) this.#files.set(path, { stamp, content, askedMs: nowMs });
    else this.#files.delete(path);
    return content;
  }
}

interface Content {
  /** Null if it cannot be read. */
  readonly text: string | null;
  readonly mtimeMs: number | null;
}

export function contentOf(path: string, maxBytes: number): Content | 'gone' {
  try {
    const { bytes, mtimeMs } = readSmallFile(path, maxBytes);
    return { text: bytes.toString('utf8'), mtimeMs };
  } catch (error) {
    return isMissing(error) ? 'gone' : { text: null, mtimeMs: mtimeOf(path) };
  }
}

/** Also of what is no file, or too large to be read. Null if it cannot be looked at. */
function mtimeOf(path: string): number | null {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return null;
  }
}

/** Null if the file holds no JSON object, or cannot be read. */
export function parsed(path: string, maxBytes: number): JsonObject | 'gone' | null {
  const content = contentOf(path, maxBytes);
  if (content === 'gone') return content;
  return content.text === null ? null : parseObject(content.text);
}

/** None if there is no such folder; null if it cannot be read, or a link to it leads nowhere. */
export function namesIn(folder: string): readonly string[] | null {
  // An error costs far more than this question, and most people never have such a folder.
  const isThere = (): boolean => lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  try {
    return isThere() ? readdirSync(folder) : [];
  } catch (error) {
    return isMissing(error) && !isThere() ? [] : null;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
