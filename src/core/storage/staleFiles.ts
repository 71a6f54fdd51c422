import { basename, dirname, join } from 'node:path';
import { linkInPlace, takeAside } from './files/exchangeFile';
import { statOrNull as foundAt } from './files/fileChange';
import { fileIdentity, isSameFile } from './fileAttributes';
import { areNextBytesEqual, ByteCursor, readChunks, readFully, writeFully } from './fileBytes';
import { parseObject, stringField } from '../util/json';
import { errorCode } from './refusal';
import { isBackupName, removeIfEmpty } from './backupNames';
import { closeQuietly, type FileStat, type OpenFile, type ReadableFile, removeQuietly, type WriteFs } from './writeFs';

/**
 * Hidden files that exist beside a transcript while it is rewritten. None ends in `.jsonl`, so Claude never lists one.
 * A process that dies leaves them behind; the next process that holds the lock removes them.
 */

/** A file that is being written; useless without its process. */
export function unfinishedPath(filePath: string, token: string): string {
  return hiddenPath(filePath, `${token}.tmp`);
}

/** The information in the kept name of a replaced transcript, with which another process can recover its late rows. */
export interface KeptOriginal {
  /** Size and mtime when the transcript was replaced; bytes beyond this size came later. */
  readonly size: number;
  readonly mtimeNs: bigint;
  /** Size in bytes of the file that replaced it. */
  readonly replacedBySize: number;
}

/**
 * A second name for the transcript that is about to be replaced; it holds the only copy of rows that arrive too late.
 */
export function keptOriginalPath(filePath: string, token: string, kept: KeptOriginal): string {
  return hiddenPath(filePath, `${token}-${kept.size}-${String(kept.mtimeNs)}-${kept.replacedBySize}.old`);
}

function hiddenPath(filePath: string, ending: string): string {
  return join(dirname(filePath), `${hiddenPrefix(filePath)}${ending}`);
}

function hiddenPrefix(filePath: string): string {
  return `.${basename(filePath)}.rethread-`;
}

/** Null for any other name. */
function parseKeptOriginal(name: string): KeptOriginal | null {
  const groups = /-(?<size>\d+)-(?<mtimeNs>-?\d+)-(?<replacedBySize>\d+)\.old$/.exec(name)?.groups;
  if (groups === undefined) return null;
  const { size, mtimeNs, replacedBySize } = groups;
  if (size === undefined || mtimeNs === undefined || replacedBySize === undefined) return null;
  return { size: Number(size), mtimeNs: BigInt(mtimeNs), replacedBySize: Number(replacedBySize) };
}

/**
 * Removes what a dead process left beside the transcript; call it under the lock. First puts back a transcript that was about to
 * be exchanged, and appends to the transcript the rows that reached the replaced file too late. Returns whether there were any:
 * if so, the transcript has changed.
 */
export async function removeStaleFiles(filePath: string, fs: WriteFs): Promise<boolean> {
  const folder = dirname(filePath);
  const prefix = hiddenPrefix(filePath);
  // A folder that cannot be listed may still be writable.
  const names: readonly string[] = await fs.readdir(folder).catch(() => []);
  for (const name of names) {
    const token = tokenOfKept(filePath, name);
    if (token !== null && (await isExchanging(filePath, token, fs))) {
      await returnOriginal(filePath, join(folder, name), token, fs);
    }
  }
  let hasRecovered = false;
  for (const name of names) {
    const path = join(folder, name);
    if (isBackupName(filePath, name)) await removeIfEmpty(path, fs);
    if (!name.startsWith(prefix)) continue;
    const kept = parseKeptOriginal(name);
    if (kept !== null) hasRecovered = (await recoverLateBytes(filePath, path, kept, fs)) || hasRecovered;
    else if (name.endsWith('.tmp')) await removeQuietly(path, fs);
  }
  return hasRecovered;
}

/**
 * Whether the replacing file has not come to the transcript's path: it then has its own name only. Rejects with the file system's
 * error, because to remove the replacing file would make this unknown for good.
 */
async function isExchanging(filePath: string, token: string, fs: WriteFs): Promise<boolean> {
  const [written, there] = [await foundAt(unfinishedPath(filePath, token), fs), await foundAt(filePath, fs)];
  return written !== null && (there === null || !isSameFile(there, written));
}

/**
 * The transcript beside which a repair would have left a file of this name, which the next one removes; null for any other name. A
 * fork writes its own file without a lock, so that nobody else knows whether it is still being written.
 */
export function transcriptOfLeftover(name: string): string | null {
  const isUnfinished = name.endsWith('.tmp') && !name.endsWith('-fork.tmp');
  const isLeftover = isUnfinished || parseKeptOriginal(name) !== null;
  return isLeftover ? (/^\.(?<transcript>.+)\.rethread-/.exec(name)?.groups?.['transcript'] ?? null) : null;
}

/** Given the names in a folder: the transcripts that an interrupted repair took away from their paths and did not put back. */
export function transcriptsSetAside(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const transcript = name.endsWith('.old') ? (transcriptOfLeftover(name) ?? '') : '';
    const token = tokenOfKept(transcript, name);
    const isLeft = token !== null && names.includes(basename(unfinishedPath(transcript, token)));
    return isLeft && !names.includes(transcript) ? [transcript] : [];
  });
}

/** The token with which the kept name of a replaced transcript was made; null for any other name. */
function tokenOfKept(filePath: string, name: string): string | null {
  const prefix = hiddenPrefix(filePath);
  if (!name.startsWith(prefix) || parseKeptOriginal(name) === null) return null;
  return name.slice(prefix.length).replace(/-\d+--?\d+-\d+\.old$/, '');
}

/** Most bytes at the start of a file in which its first row is sought, and at the end in which that row's parent is. */
const SOUGHT_BYTES = 1024 * 1024;

/**
 * Puts the original back to the transcript's path, from which it was taken. Rows with which a client has continued it at the free
 * path meanwhile are appended to it. Any other file that another program has put there stays, and so does the original, under a
 * name that is never removed.
 *
 * @returns the path under which the original stays; null if it is back. Rejects with the file system's error: the original is then
 * under its kept name, and the next process puts it back.
 */
export async function returnOriginal(
  filePath: string,
  keptPath: string,
  token: string,
  fs: WriteFs,
): Promise<string | null> {
  const original = await fs.lstat(keptPath).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (original === null || (await putBack(keptPath, filePath, fs))) return null;
  if (await continues(filePath, keptPath, fs)) {
    const late = { size: 0, mtimeNs: 0n, replacedBySize: Number(original.size) };
    const latePath = keptOriginalPath(filePath, `${token}-late`, late);
    await takeAside(filePath, latePath, fs);
    if (await putBack(keptPath, filePath, fs)) {
      await recoverLateBytes(filePath, latePath, late, fs);
      return null;
    }
  }
  const asidePath = hiddenPath(filePath, `${token}.original`);
  await fs.rename(keptPath, asidePath);
  return asidePath;
}

/** Whether the first row of a file continues another file. */
async function continues(filePath: string, originalPath: string, fs: WriteFs): Promise<boolean> {
  const [line = ''] = (await partOf(filePath, 'start', fs)).toString('utf8').split('\n', 1);
  const parent = stringField(parseObject(line) ?? {}, 'parentUuid');
  return parent !== null && (await partOf(originalPath, 'end', fs)).includes(`"${parent}"`);
}

async function partOf(path: string, which: 'start' | 'end', fs: WriteFs): Promise<Buffer> {
  const file = await fs.open(path, 'read');
  try {
    const size = Number((await file.stat()).size);
    const bytes = Buffer.alloc(Math.min(size, SOUGHT_BYTES));
    return bytes.subarray(0, await readFully(file, bytes, which === 'start' ? 0 : size - bytes.length));
  } finally {
    await closeQuietly(file);
  }
}

/** False if something stands at the path. */
async function putBack(keptPath: string, filePath: string, fs: WriteFs): Promise<boolean> {
  const original = await fs.lstat(keptPath);
  try {
    if ((await linkInPlace(keptPath, filePath, fs)) === null) return false;
  } catch (error) {
    const there = await statOrNull(filePath, fs);
    if (there === null || !isSameFile(there, original)) throw error;
  }
  await removeQuietly(keptPath, fs);
  return true;
}

async function recoverLateBytes(filePath: string, keptPath: string, kept: KeptOriginal, fs: WriteFs): Promise<boolean> {
  const [transcript, original] = [await statOrNull(filePath, fs), await statOrNull(keptPath, fs)];
  // Without a transcript, the kept file may be the last copy, so it is not removed.
  if (transcript?.isFile() !== true || original?.isFile() !== true) return false;
  if (isSameFile(transcript, original)) {
    await removeQuietly(keptPath, fs);
    return false;
  }
  const { size, mtimeNs } = fileIdentity(original);
  if (size > kept.size) {
    await bringBack(filePath, keptPath, kept, fs);
    await removeQuietly(keptPath, fs);
    return true;
  }
  // It was changed other than by appending. That cannot be merged, so the file stays for the person.
  if (size === kept.size && mtimeNs === kept.mtimeNs) await removeQuietly(keptPath, fs);
  return false;
}

async function bringBack(filePath: string, keptPath: string, kept: KeptOriginal, fs: WriteFs): Promise<void> {
  const original = await fs.open(keptPath, 'read');
  try {
    const transcript = await fs.open(filePath, 'append');
    try {
      const from = await firstMissingByte(original, transcript, kept);
      await appendLateBytes(original, from, transcript);
    } finally {
      await closeQuietly(transcript);
    }
  } finally {
    await closeQuietly(original);
  }
}

/** The dead process may already have transferred all or some of the late bytes. */
async function firstMissingByte(original: ReadableFile, transcript: OpenFile, kept: KeptOriginal): Promise<number> {
  const late = Number((await original.stat()).size) - kept.size;
  const size = Number((await transcript.stat()).size);
  const there = Math.min(size - kept.replacedBySize, late);
  const isThere =
    there >= 0 &&
    (await areNextBytesEqual(
      new ByteCursor({ file: original, from: kept.size, to: kept.size + there }),
      new ByteCursor({ file: transcript, from: kept.replacedBySize, to: kept.replacedBySize + there }),
      there,
    ));
  if (isThere && (there === late || size === kept.replacedBySize + there)) return kept.size + there;
  // Something else follows the repaired rows. A duplicate row is harmless, but a row on the line of a torn one is lost.
  const last = Buffer.alloc(1);
  const hasLast = size > 0 && (await readFully(transcript, last, size - 1)) === 1;
  if (hasLast && last[0] !== 0x0a) await writeFully(transcript, Buffer.from('\n'));
  return kept.size;
}

async function statOrNull(path: string, fs: WriteFs): Promise<FileStat | null> {
  return fs.lstat(path).catch(() => null);
}

/**
 * Appends what `original` holds from byte `from` on to `target`, and repeats this for bytes that arrive meanwhile until
 * there are none. The appended bytes are then on disk.
 */
export async function appendLateBytes(
  original: ReadableFile,
  from: number,
  target: OpenFile,
): Promise<{ readonly appended: number; /** Of `original`, when nothing more was there. */ readonly last: FileStat }> {
  let taken = from;
  for (;;) {
    const last = await original.stat();
    const size = Number(last.size);
    if (size <= taken) return { appended: taken - from, last };
    for await (const chunk of readChunks(original, taken, size)) await writeFully(target, chunk);
    taken = size;
    await target.sync();
  }
}
