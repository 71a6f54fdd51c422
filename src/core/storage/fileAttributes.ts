import { errorCode } from './refusal';
import type { FileStat, OpenFile } from './writeFs';

const PERMISSIONS = 0o7777n;
/** Not root; an owner that this container or file system does not know. */
const CANNOT_GIVE = ['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'];

/** What a file is given beside its bytes. */
export interface GivenAttributes {
  /** Permission bits. */
  readonly mode: number;
  /** Null for that of this process. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** Null for the time of writing. */
  readonly times: { readonly atimeNs: bigint; readonly mtimeNs: bigint } | null;
}

/** As `copyAttributes`, where there is no file to copy them from. */
export async function giveAttributes(file: OpenFile, { mode, owner, times }: GivenAttributes): Promise<void> {
  const has = await file.stat();
  const wanted = owner === null ? null : { uid: BigInt(owner.uid), gid: BigInt(owner.gid) };
  if (wanted !== null && (has.uid !== wanted.uid || has.gid !== wanted.gid)) await giveTo(file, wanted);
  // After the owner, as giving a file away takes some bits from it.
  if (Number(has.mode & PERMISSIONS) !== mode || wanted !== null) await file.chmod(mode);
  if (times !== null) await file.utimes(secondsFromNs(times.atimeNs), secondsFromNs(times.mtimeNs));
}

/** Gives a file the owner (where that is allowed) and the mode of `owner`, and the times of `times`. */
export async function copyAttributes(file: OpenFile, owner: FileStat, times: FileStat): Promise<void> {
  const has = await file.stat();
  // Each only where it differs: some mounts refuse the call even when it would change nothing.
  if (has.uid !== owner.uid || has.gid !== owner.gid) await giveTo(file, owner);
  if ((has.mode & PERMISSIONS) !== (owner.mode & PERMISSIONS)) await file.chmod(Number(owner.mode & PERMISSIONS));
  await file.utimes(secondsFromNs(times.atimeNs), secondsFromNs(times.mtimeNs));
}

async function giveTo(file: OpenFile, owner: Pick<FileStat, 'uid' | 'gid'>): Promise<void> {
  try {
    await file.chown(Number(owner.uid), Number(owner.gid));
  } catch (error) {
    // A repair by someone who may not give files away keeps everything but the owner.
    if (!CANNOT_GIVE.includes(errorCode(error) ?? '')) throw error;
  }
}

/**
 * Seconds for `utimes`, which takes them as a double and cuts it to microseconds (libuv up to 1.48) or nanoseconds.
 * Half a microsecond on top makes both cut within the same microsecond: without it a time of exact milliseconds often
 * falls into the millisecond before, and `claude --continue` orders sessions by it.
 */
function secondsFromNs(ns: bigint): number {
  return (Number(ns / 1000n) + 0.5) / 1e6;
}

/** What tells whether a path still holds the very bytes that were read: any append, edit or replacement changes it. */
export interface FileIdentity {
  /** Bytes. */
  readonly size: number;
  /** Nanoseconds since the epoch. */
  readonly mtimeNs: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
}

export function fileIdentity(stat: Pick<FileStat, 'size' | 'mtimeNs' | 'ino' | 'dev'>): FileIdentity {
  return { size: Number(stat.size), mtimeNs: stat.mtimeNs, ino: stat.ino, dev: stat.dev };
}

export function isSameIdentity(one: FileIdentity, other: FileIdentity): boolean {
  return one.size === other.size && one.mtimeNs === other.mtimeNs && isSameFile(one, other);
}

/** The same file, whatever it holds by now. */
export function isSameFile(one: Pick<FileIdentity, 'ino' | 'dev'>, other: Pick<FileIdentity, 'ino' | 'dev'>): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}
