import { type BigIntStats, constants, type Stats } from 'node:fs';
import * as fsPromises from 'node:fs/promises';
import { assertRegular, NON_BLOCKING } from '../util/openForeignFile';
import { copyExtendedAttributes } from './extendedAttributes';
import { errorCode } from './refusal';

/** Times in nanoseconds and sizes as bigint, so that two states of a file never appear equal because of rounding. */
export type FileStat = BigIntStats;

/**
 * `read`: a regular file or a folder that exists. `create`: a file that must not exist, mode 0600, readable; every write goes to
 * its end. `append`: a regular file that must exist, readable; every write goes to its end.
 */
export type OpenMode = 'read' | 'create' | 'append';

/** The operations for reading a file. Every method rejects with Node's error, which has a `code`. */
export interface ReadableFile {
  /** File descriptor. */
  readonly fd: number;
  /** May read less than the buffer holds; 0 at the end of the file. */
  read(buffer: Uint8Array, position: number): Promise<number>;
  stat(): Promise<FileStat>;
  close(): Promise<void>;
}

export interface OpenFile extends ReadableFile {
  /** May write fewer bytes than given; returns their number. */
  write(bytes: Uint8Array): Promise<number>;
  /** Resolves when bytes and attributes are on disk. */
  sync(): Promise<void>;
  /**
   * Gives the file the extended attributes and the ACL of another open file, where the system offers that, and with them
   * its mode, owner and times. Never rejects because it does not.
   */
  copyExtendedAttributes(from: Pick<ReadableFile, 'fd'>): Promise<void>;
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  /** Seconds since the epoch. */
  utimes(atimeSeconds: number, mtimeSeconds: number): Promise<void>;
}

/** All operations with which `core/storage` changes the file system. Narrow, so that a test can make each call fail. */
export interface WriteFs {
  open(path: string, mode: OpenMode): Promise<OpenFile>;
  lstat(path: string): Promise<FileStat>;
  /**
   * The mtime is rounded to milliseconds, so that it equals the value given to `utimes`; truncating it would often lose
   * one.
   */
  stat(path: string): Promise<Pick<Stats, 'mtime'>>;
  readdir(folder: string): Promise<readonly string[]>;
  rename(from: string, to: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  /**
   * Creates a file with the bytes of another one, mode 0600, that shares disk space with it where the file system can. Never a
   * second name of that file: who writes to it leaves the copy as it is.
   */
  copy(existing: string, path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** `mode` is subject to the umask; 0o777 by default. */
  mkdir(path: string, mode?: number): Promise<void>;
  rmdir(path: string): Promise<void>;
  utimes(path: string, atime: Date, mtime: Date): Promise<void>;
  /** The path without symbolic links. */
  realpath(path: string): Promise<string>;
  /** Rejects if this process cannot write the file, or change the contents of the folder. */
  accessToWrite(path: string): Promise<void>;
}

export const OPEN_FLAGS: Record<OpenMode, number> = {
  read: constants.O_RDONLY | NON_BLOCKING,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND,
  append: constants.O_RDWR | constants.O_APPEND | NON_BLOCKING,
};

/** Fails if there is a file at the path. */
export const COPY_FLAGS = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/** Transcripts are private: other users can never read a copy, not even before it gets the original's mode. */
export const PRIVATE_MODE = 0o600;

/** The real file system. */
export const nodeWriteFs: WriteFs = {
  async open(path, mode) {
    const file = await fsPromises.open(path, OPEN_FLAGS[mode], PRIVATE_MODE);
    if (mode === 'create') return openFile(file);
    try {
      const stat = await file.stat();
      if (mode !== 'read' || !stat.isDirectory()) assertRegular(stat);
    } catch (error) {
      await file.close();
      throw error;
    }
    return openFile(file);
  },
  lstat: (path) => fsPromises.lstat(path, { bigint: true }),
  stat: (path) => fsPromises.stat(path),
  readdir: (folder) => fsPromises.readdir(folder),
  rename: (from, to) => fsPromises.rename(from, to),
  link: (existing, path) => fsPromises.link(existing, path),
  async copy(existing, path) {
    await fsPromises.copyFile(existing, path, COPY_FLAGS);
    await fsPromises.chmod(path, PRIVATE_MODE);
  },
  unlink: (path) => fsPromises.unlink(path),
  mkdir: (path, mode) => fsPromises.mkdir(path, mode),
  rmdir: (path) => fsPromises.rmdir(path),
  utimes: (path, atime, mtime) => fsPromises.utimes(path, atime, mtime),
  realpath: (path) => fsPromises.realpath(path),
  accessToWrite: (path) => fsPromises.access(path, constants.W_OK),
};

function openFile(handle: fsPromises.FileHandle): OpenFile {
  return {
    fd: handle.fd,
    copyExtendedAttributes: ({ fd }) => copyExtendedAttributes(fd, handle.fd),
    read: async (buffer, position) => (await handle.read(buffer, 0, buffer.length, position)).bytesRead,
    write: async (bytes) => (await handle.write(bytes, 0, bytes.length, null)).bytesWritten,
    stat: () => handle.stat({ bigint: true }),
    sync: () => handle.sync(),
    chmod: (mode) => handle.chmod(mode),
    chown: (uid, gid) => handle.chown(uid, gid),
    utimes: (atimeSeconds, mtimeSeconds) => handle.utimes(atimeSeconds, mtimeSeconds),
    close: () => handle.close(),
  };
}

/** Whether nothing exists at the path. False if that is uncertain, for example because the disk does not respond. */
export async function isGone(path: string, fs: Pick<WriteFs, 'lstat'>): Promise<boolean> {
  return fs.lstat(path).then(
    () => false,
    // ENOTDIR means that one of the parents is a file.
    (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? ''),
  );
}

/** Errors of file systems without hard links, and of rules against linking. */
export const CANNOT_LINK: readonly string[] = [
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EINVAL',
  'EMLINK',
  'EXDEV',
];

/** Windows and some mounts cannot sync a folder; on these, a rename cannot be made more durable. */
const CANNOT_SYNC_FOLDER = ['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP', 'EBADF'];

/** Syncs the names in a folder to disk. False on failure, but true if the system cannot sync folders. Never rejects. */
export async function syncFolder(folder: string, fs: WriteFs): Promise<boolean> {
  try {
    const handle = await fs.open(folder, 'read');
    try {
      await handle.sync();
    } finally {
      await closeQuietly(handle);
    }
    return true;
  } catch (error) {
    return CANNOT_SYNC_FOLDER.includes(errorCode(error) ?? '');
  }
}

/** Removes a file of the extension, with one retry: what remains is harmless, and the next repair removes it. */
export async function removeQuietly(path: string, fs: Pick<WriteFs, 'unlink'>): Promise<void> {
  await fs.unlink(path).catch(() => fs.unlink(path).catch(() => undefined));
}

/** For files that were only read or have been synced, so that closing cannot lose anything. */
export async function closeQuietly(file: Pick<ReadableFile, 'close'>): Promise<void> {
  await file.close().catch(() => undefined);
}

/** Creates a hidden file of the extension. Removes it if its creation fails half-way. */
export async function createHidden(path: string, fs: WriteFs): Promise<OpenFile> {
  try {
    return await fs.open(path, 'create');
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') await removeQuietly(path, fs);
    throw error;
  }
}

/** Bytes that this person can write to the disk of a folder; null if unknown. Never rejects. */
export async function freeBytes(folder: string): Promise<number | null> {
  return fsPromises.statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  );
}
