import { lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nodeWriteFs, type OpenFile, type WriteFs } from '../../rooms/storage';

type FileStat = Awaited<ReturnType<WriteFs['lstat']>>;

/** What a file system of another operating system does differently. */
export interface ForeignTraits {
  /** Some network and removable disks of Windows report 0 for every file. */
  readonly hasInodes: boolean;
  /** Windows keeps one bit of the mode: whether the file is read-only. No owners, and no way to sync a folder. */
  readonly isWindows: boolean;
  readonly hasLinks: boolean;
  /** Names that differ in case, or in how accents are composed, are one name. */
  readonly foldsNames: boolean;
}

export const WINDOWS: ForeignTraits = { hasInodes: true, isWindows: true, hasLinks: true, foldsNames: true };
export const WINDOWS_REMOVABLE: ForeignTraits = { ...WINDOWS, hasInodes: false, hasLinks: false };
export const MACOS: ForeignTraits = { hasInodes: true, isWindows: false, hasLinks: true, foldsNames: true };

const TYPE_BITS = 0o170000n;
const WRITABLE = 0o200n;

/** This machine's file system, with the traits of another one. */
export class ForeignFs implements WriteFs {
  /** Files that another process has open in a way that keeps them from being renamed, linked or removed (EBUSY). */
  readonly held = new Set<string>();

  constructor(private readonly traits: ForeignTraits) {}

  async open(path: string, mode: 'read' | 'create' | 'append'): Promise<OpenFile> {
    const found = this.#found(path);
    const isFolder = mode === 'read' && (await nodeWriteFs.lstat(found).catch(() => null))?.isDirectory() === true;
    if (this.traits.isWindows && isFolder) throw failure('EPERM', 'open', path);
    return this.#foreign(await nodeWriteFs.open(found, mode));
  }

  lstat = async (path: string): Promise<FileStat> => this.#seen(await nodeWriteFs.lstat(this.#found(path)));
  stat = (path: string) => nodeWriteFs.stat(this.#found(path));
  readdir = (folder: string) => nodeWriteFs.readdir(this.#found(folder));

  async rename(from: string, to: string): Promise<void> {
    this.#assertFree('rename', from, to);
    await nodeWriteFs.rename(this.#found(from), this.#found(to));
  }

  async link(existing: string, path: string): Promise<void> {
    if (!this.traits.hasLinks) throw failure('ENOTSUP', 'link', path);
    await nodeWriteFs.link(this.#found(existing), this.#found(path));
  }

  /** Neither Windows nor these disks copy by reference. */
  copy = (existing: string, path: string) => nodeWriteFs.copy(this.#found(existing), this.#found(path));

  async unlink(path: string): Promise<void> {
    this.#assertFree('unlink', path);
    // Node removes read-only files on Windows, too.
    await nodeWriteFs.unlink(this.#found(path));
  }

  mkdir = (path: string, mode?: number) => nodeWriteFs.mkdir(this.#found(path), mode);
  rmdir = (path: string) => nodeWriteFs.rmdir(this.#found(path));
  utimes = (path: string, atime: Date, mtime: Date) => nodeWriteFs.utimes(this.#found(path), atime, mtime);
  /** As Windows and macOS do, with names as they are on disk. */
  realpath = (path: string) => nodeWriteFs.realpath(this.#found(path));
  accessToWrite = (path: string) => nodeWriteFs.accessToWrite(this.#found(path));

  #assertFree(syscall: string, ...paths: readonly string[]): void {
    for (const path of paths) if (this.held.has(this.#found(path))) throw failure('EBUSY', syscall, path);
  }

  /** The path as it is on this machine's disk; the last name need not exist. */
  #found(path: string): string {
    if (!this.traits.foldsNames || exists(path) || dirname(path) === path) return path;
    const folder = this.#found(dirname(path));
    const wanted = folded(basename(path));
    const name = namesIn(folder).find((each) => folded(each) === wanted) ?? basename(path);
    return join(folder, name);
  }

  #foreign(file: OpenFile): OpenFile {
    const { isWindows } = this.traits;
    return {
      fd: file.fd,
      copyExtendedAttributes: () => Promise.resolve(),
      read: (buffer, position) => file.read(buffer, position),
      write: (bytes) => file.write(bytes),
      stat: async () => this.#seen(await file.stat()),
      // Only costs time in a test.
      sync: () => Promise.resolve(),
      chmod: (mode) => file.chmod(isWindows ? ((mode & 0o200) === 0 ? 0o444 : 0o644) : mode),
      chown: (uid, gid) => (isWindows ? Promise.resolve() : file.chown(uid, gid)),
      utimes: (atimeSeconds, mtimeSeconds) => file.utimes(atimeSeconds, mtimeSeconds),
      close: () => file.close(),
    };
  }

  #seen(stat: FileStat): FileStat {
    const { isWindows, hasInodes } = this.traits;
    // The stat is this call's own.
    if (!hasInodes) Object.assign(stat, { ino: 0n, dev: 0n });
    if (!isWindows) return stat;
    const permissions = stat.isDirectory() || isWritable(stat) ? 0o666n : 0o444n;
    return Object.assign(stat, { mode: (stat.mode & TYPE_BITS) | permissions, uid: 0n, gid: 0n });
  }
}

function isWritable({ mode }: FileStat): boolean {
  return (mode & WRITABLE) !== 0n;
}

function folded(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase();
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function failure(code: string, syscall: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${syscall} ${path}`), { code, syscall });
}
