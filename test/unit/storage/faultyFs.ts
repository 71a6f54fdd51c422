import { nodeWriteFs, type OpenFile, type OpenMode, type WriteFs } from '../../rooms/storage';

export interface FsCall {
  /** Counts all calls from 0. */
  readonly index: number;
  readonly name: string;
  readonly path: string;
}

export type Fault =
  | { readonly kind: 'fails'; readonly code: string }
  /** The call takes effect but returns an error, as over a network. */
  | { readonly kind: 'failsAfterwards'; readonly code: string }
  /** Only half of the bytes that there are get read or written. */
  | { readonly kind: 'short' }
  /** The process dies at this call: neither it nor any later call returns, and no clean-up runs. */
  | { readonly kind: 'dies'; readonly when: 'before' | 'after' };

/** The real file system with an injected fault. Does not sync, which only costs time here. */
export class FaultyFs implements WriteFs {
  readonly calls: FsCall[] = [];
  /** The calls whose fault had an effect: one that fails anyway, or moves less than two bytes, cannot be made worse. */
  readonly hit: FsCall[] = [];
  /** Resolves when the process has died. */
  readonly died: Promise<'died'>;
  /** Runs before each call: the point where another program intervenes. */
  beforeCall: (call: FsCall) => void = () => undefined;
  faultOf: (call: FsCall) => Fault | null = () => null;
  /** May change how an open file behaves. */
  afterOpen: (file: OpenFile, path: string, mode: OpenMode) => OpenFile = (file) => file;
  #die: () => void = () => undefined;
  #isDead = false;
  readonly #open = new Set<OpenFile>();

  constructor(private readonly real: WriteFs = nodeWriteFs) {
    this.died = new Promise((resolve) => {
      this.#die = () => {
        this.#isDead = true;
        resolve('died');
      };
    });
  }

  async open(path: string, mode: OpenMode): Promise<OpenFile> {
    const file = await this.#call(`open ${mode}`, path, () =>
      this.real.open(path, mode).then((real) => this.#track(real)),
    );
    const faulty: OpenFile = {
      read: (buffer, position) =>
        this.#call('read', path, async (shorten) => shorten(await file.read(buffer, position))),
      write: (bytes) => this.#call('write', path, (shorten) => file.write(bytes.subarray(0, shorten(bytes.length)))),
      fd: file.fd,
      // Only costs time here, too.
      copyExtendedAttributes: () => this.#call('fsetxattr', path, () => Promise.resolve()),
      stat: () => this.#call('fstat', path, () => file.stat()),
      sync: () => this.#call('fsync', path, () => Promise.resolve()),
      chmod: (mode) => this.#call('fchmod', path, () => file.chmod(mode)),
      chown: (uid, gid) => this.#call('fchown', path, () => file.chown(uid, gid)),
      utimes: (atime, mtime) => this.#call('futimes', path, () => file.utimes(atime, mtime)),
      close: () =>
        // Even a failed close releases the descriptor.
        this.#call('close', path, () => Promise.resolve()).finally(() => {
          this.#open.delete(file);
          return file.close();
        }),
    };
    return this.afterOpen(faulty, path, mode);
  }

  lstat = (path: string) => this.#call('lstat', path, () => this.real.lstat(path));
  stat = (path: string) => this.#call('stat', path, () => this.real.stat(path));
  readdir = (folder: string) => this.#call('readdir', folder, () => this.real.readdir(folder));
  rename = (from: string, to: string) => this.#call('rename', to, () => this.real.rename(from, to));
  link = (existing: string, path: string) => this.#call('link', path, () => this.real.link(existing, path));
  copy = (existing: string, path: string) => this.#call('copy', path, () => this.real.copy(existing, path));
  unlink = (path: string) => this.#call('unlink', path, () => this.real.unlink(path));
  mkdir = (path: string, mode?: number) => this.#call('mkdir', path, () => this.real.mkdir(path, mode));
  rmdir = (path: string) => this.#call('rmdir', path, () => this.real.rmdir(path));
  utimes = (path: string, atime: Date, mtime: Date) =>
    this.#call('utimes', path, () => this.real.utimes(path, atime, mtime));
  realpath = (path: string) => this.#call('realpath', path, () => this.real.realpath(path));
  accessToWrite = (path: string) => this.#call('access', path, () => this.real.accessToWrite(path));

  /** Descriptors that were never closed. A living process must leave none. */
  get openFiles(): number {
    return this.#open.size;
  }

  /** What the operating system does for a dead process. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#open].map((file) => file.close()));
    this.#open.clear();
  }

  /** The caller gets no descriptor when opening fails. */
  async #closeLast(): Promise<void> {
    const file = [...this.#open].at(-1);
    if (file === undefined) return;
    this.#open.delete(file);
    await file.close();
  }

  #track(file: OpenFile): OpenFile {
    // It was being opened when the process died.
    if (this.#isDead) void file.close();
    else this.#open.add(file);
    return file;
  }

  async #call<T>(name: string, path: string, real: (shorten: (bytes: number) => number) => Promise<T>): Promise<T> {
    if (this.#isDead) return new Promise(() => undefined);
    const call = { index: this.calls.length, name, path };
    this.calls.push(call);
    this.beforeCall(call);
    const fault = this.faultOf(call);
    const whole = (bytes: number): number => bytes;
    switch (fault?.kind) {
      case undefined:
        return real(whole);
      case 'short':
        return real((bytes) => {
          if (bytes > 1) this.hit.push(call);
          return Math.ceil(bytes / 2);
        });
      case 'fails':
        this.hit.push(call);
        throw injected(fault.code, name);
      case 'failsAfterwards':
        await real(whole);
        this.hit.push(call);
        if (name.startsWith('open')) await this.#closeLast();
        throw injected(fault.code, name);
      case 'dies':
        // A call that fails is over, too.
        if (fault.when === 'after') await real(whole).catch(() => undefined);
        this.hit.push(call);
        this.#die();
        return new Promise(() => undefined);
    }
  }
}

function injected(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: injected, ${syscall}`), { code, syscall });
}
