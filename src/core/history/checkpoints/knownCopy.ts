import { CHUNK_BYTES, readFully } from '../../storage/fileBytes';
import { type ContentFolders, type KeptContent, ownContentPath } from '../../storage/store/keepContent';
import { closeQuietly, type FileStat, type WriteFs } from '../../storage/writeFs';
import { isJsonObject, type JsonObject, parseObject, stringField } from '../../util/json';
import { numberField, readCheckpoint } from './storedRow';

/**
 * By what a file is known again, and the copy that was made of it. Numbers as text, because JSON has none that are exact
 * enough.
 */
export interface SeenFile extends JsonObject {
  readonly dev: string;
  readonly ino: string;
  readonly mtimeNs: string;
  readonly ctimeNs: string;
  readonly copyMtimeNs: string;
}

/** The copy that the last checkpoint of a file refers to. */
export interface KnownCopy {
  readonly content: KeptContent;
  readonly seen: SeenFile;
  /** Before the file was looked at, in milliseconds since the epoch. */
  readonly timeMs: number;
}

/**
 * A file that was written so short a time before it was looked at may have been written again within one tick of the file
 * system's clock, so that its times are the same.
 */
const MIN_AGE_MS = 2000;
/** Only this much of the end of a session's checkpoints is searched. */
const SEARCHED_BYTES = Math.min(CHUNK_BYTES, 128 * 1024);

/** The copy that the last checkpoint of the file refers to; null if there is none, or it is not found quickly. Never rejects. */
export async function findKnownCopy(checkpoints: string, path: string, fs: WriteFs): Promise<KnownCopy | null> {
  const lines = await lastLines(checkpoints, fs).catch(() => []);
  const quoted = JSON.stringify(path);
  const line = lines.findLast((each) => each.includes(quoted));
  const row = line === undefined ? null : parseObject(line);
  const checkpoint = row === null ? null : readCheckpoint(row);
  if (row === null || checkpoint === null) return null;
  const at = checkpoint.files.findLastIndex((file) => file.path === path);
  const state = checkpoint.files[at]?.state;
  const seen = Array.isArray(row['seen']) ? readSeen((row['seen'] as readonly unknown[])[at]) : null;
  const timeMs = numberField(row, 'timeMs');
  if (state?.kind !== 'file' || seen === null || timeMs === null) return null;
  return { content: { sha256: state.sha256, size: state.size }, seen, timeMs };
}

/** Whether the file is certainly the one of which the copy was made, and the session still has that copy. Never rejects. */
export async function isStillCopied(
  { content, seen, timeMs }: KnownCopy,
  stat: FileStat,
  folders: ContentFolders,
  fs: WriteFs,
): Promise<boolean> {
  const isSame =
    stat.size === BigInt(content.size) &&
    String(stat.dev) === seen.dev &&
    String(stat.ino) === seen.ino &&
    String(stat.mtimeNs) === seen.mtimeNs &&
    String(stat.ctimeNs) === seen.ctimeNs;
  const latest = Math.max(Number(stat.mtimeMs), Number(stat.ctimeMs));
  if (!isSame || latest > timeMs - MIN_AGE_MS) return false;
  const copy = await fs.lstat(ownContentPath(folders.own, content.sha256)).catch(() => null);
  return copy?.isFile() === true && copy.size === stat.size && String(copy.mtimeNs) === seen.copyMtimeNs;
}

/** What `stat` and the copy of the content look like; null if the copy cannot be looked at. Never rejects. */
export async function describeSeen(
  stat: FileStat,
  { sha256 }: KeptContent,
  folders: ContentFolders,
  fs: WriteFs,
): Promise<SeenFile | null> {
  const copy = await fs.lstat(ownContentPath(folders.own, sha256)).catch(() => null);
  if (copy === null) return null;
  const { dev, ino, mtimeNs, ctimeNs } = stat;
  return {
    dev: String(dev),
    ino: String(ino),
    mtimeNs: String(mtimeNs),
    ctimeNs: String(ctimeNs),
    copyMtimeNs: String(copy.mtimeNs),
  };
}

function readSeen(value: unknown): SeenFile | null {
  if (!isJsonObject(value)) return null;
  const [dev = null, ino = null, mtimeNs = null, ctimeNs = null, copyMtimeNs = null] = [
    'dev',
    'ino',
    'mtimeNs',
    'ctimeNs',
    'copyMtimeNs',
  ].map((key) => stringField(value, key));
  if (dev === null || ino === null || mtimeNs === null || ctimeNs === null || copyMtimeNs === null) return null;
  return { dev, ino, mtimeNs, ctimeNs, copyMtimeNs };
}

/** Rejects with Node's error. */
async function lastLines(path: string, fs: WriteFs): Promise<readonly string[]> {
  const file = await fs.open(path, 'read');
  try {
    const size = Number((await file.stat()).size);
    const buffer = Buffer.allocUnsafe(Math.min(size, SEARCHED_BYTES));
    const read = await readFully(file, buffer, size - buffer.length);
    return buffer.toString('utf8', 0, read).split('\n');
  } finally {
    await closeQuietly(file);
  }
}
