import { errorCode } from './refusal';
import type { FileStat, OpenFile, ReadableFile } from './writeFs';

const PERMISSIONS = 0o7777n;
/** Not root, or an owner that is unknown to this container or file system. */
const CANNOT_SET_OWNER = ['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP'];

/** Attributes to set on a file. */
export interface NewAttributes {
  /** Permission bits. */
  readonly mode: number;
  /** Null for the owner of this process. */
  readonly owner: { readonly uid: number; readonly gid: number } | null;
  /** Null for the time of writing. */
  readonly times: { readonly atimeNs: bigint; readonly mtimeNs: bigint } | null;
}

/** Sets a file's mode, owner and times, and gives it the extended attributes and the ACL of `like`. */
export async function setAttributes(
  file: OpenFile,
  { mode, owner, times }: NewAttributes,
  like: Pick<ReadableFile, 'fd'>,
): Promise<void> {
  // First, because the program that copies them sets the others as well.
  await file.copyExtendedAttributes(like);
  const has = await file.stat();
  const wanted = owner === null ? null : { uid: BigInt(owner.uid), gid: BigInt(owner.gid) };
  if (wanted !== null && (has.uid !== wanted.uid || has.gid !== wanted.gid)) await setOwner(file, wanted);
  // After the owner, because changing the owner clears some mode bits.
  if (Number(has.mode & PERMISSIONS) !== mode || wanted !== null) await file.chmod(mode);
  if (times !== null) await file.utimes(secondsFromNs(times.atimeNs), secondsFromNs(times.mtimeNs));
}

/**
 * Sets a file's owner (if permitted) and mode to those of `owner`, its times to those of `times`, and gives it the
 * extended attributes and the ACL of `like`.
 */
export async function copyAttributes(
  file: OpenFile,
  owner: FileStat,
  times: FileStat,
  like: Pick<ReadableFile, 'fd'>,
): Promise<void> {
  await file.copyExtendedAttributes(like);
  const has = await file.stat();
  // Only what differs: some mounts refuse the call even if it would change nothing.
  if (has.uid !== owner.uid || has.gid !== owner.gid) await setOwner(file, owner);
  if ((has.mode & PERMISSIONS) !== (owner.mode & PERMISSIONS)) await file.chmod(Number(owner.mode & PERMISSIONS));
  await file.utimes(secondsFromNs(times.atimeNs), secondsFromNs(times.mtimeNs));
}

async function setOwner(file: OpenFile, owner: Pick<FileStat, 'uid' | 'gid'>): Promise<void> {
  try {
    await file.chown(Number(owner.uid), Number(owner.gid));
  } catch (error) {
    // Without permission to change the owner, a repair keeps everything but the owner.
    if (!CANNOT_SET_OWNER.includes(errorCode(error) ?? '')) throw error;
  }
}

/**
 * Seconds for `utimes`, which takes a double and truncates it to microseconds (libuv up to 1.48) or nanoseconds. Adding
 * half a microsecond makes both truncate within the same microsecond: without it, a time in exact milliseconds often
 * falls into the previous millisecond, and `claude --continue` orders sessions by it.
 */
function secondsFromNs(ns: bigint): number {
  return (Number(ns / 1000n) + 0.5) / 1e6;
}

/**
 * Shows whether a path still holds the same bytes that were read: any append, edit or replacement changes the identity.
 */
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

type KnownFile = Pick<FileIdentity, 'mtimeNs' | 'ino' | 'dev'> & { readonly size: number | bigint };

/**
 * Whether both are the same file, regardless of its content. Some network and removable disks have no inode numbers and
 * report 0 for every file: there, two states with another size or mtime count as two files, so that no file is taken for
 * one that it may not be.
 */
export function isSameFile(one: KnownFile, other: KnownFile): boolean {
  if (one.ino !== other.ino || one.dev !== other.dev) return false;
  return one.ino !== 0n || (Number(one.size) === Number(other.size) && one.mtimeNs === other.mtimeNs);
}
