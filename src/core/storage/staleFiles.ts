import { basename, dirname, join } from 'node:path';
import { fileIdentity, isSameFile } from './fileAttributes';
import { areNextBytesEqual, ByteCursor, readChunks, readFully, writeFully } from './fileBytes';
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
 * Removes what a dead process left beside the transcript; call it under the lock. First appends to the transcript the
 * rows that reached the replaced file too late. Returns whether there were any: if so, the transcript has changed.
 */
export async function removeStaleFiles(filePath: string, fs: WriteFs): Promise<boolean> {
  const folder = dirname(filePath);
  const prefix = hiddenPrefix(filePath);
  // A folder that cannot be listed may still be writable.
  const names = await fs.readdir(folder).catch(() => []);
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
