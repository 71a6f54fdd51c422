import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, parseObject, stringField } from '../util/json';
import type { WriteFs } from '../storage/writeFs';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import { LaterVersionError, replaceLocked } from '../util/lockedFile';
import type { Clock } from '../util/scheduling';

export interface SharedWalkDeps {
  /** Absolute path of the file that the windows share; null if there is no folder for it, so that this window walks for itself. */
  readonly filePath: string | null;
  /** Unlike that of any other window. */
  readonly windowId: string;
  readonly files: Pick<SessionFiles, 'stampNow' | 'stampAgain'>;
  readonly fs: Pick<WriteFs, 'utimes' | 'unlink' | 'open'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Paths of transcripts that another window has found to be changed; null if any may be. */
  readonly onNews: (paths: readonly string[] | null) => void;
  readonly warn: (message: string) => void;
}

/** Who lists all sessions of a config folder, and looks at what all windows show. */
export type Walk = Pick<SharedWalk, 'note' | 'look' | 'resign' | 'close' | 'isFollowing' | 'call' | 'takeCall'>;

/** Must be increased when the content or its meaning changes. A later version is neither read nor replaced. */
const FORMAT_VERSION = 1;
/** A window that has not touched the file for so long is gone, or is busy. In milliseconds. */
const STALE_MS = 1_600;
/** Time between two reports of what was found, in milliseconds. */
const PUBLISH_MS = 2_000;
/** After a file could not be taken, this window walks for itself for so long. In milliseconds. */
const ALONE_MS = 10_000;
/** Of more paths, everything is listed again, which is quicker. */
const MAX_PATHS = 500;
/** A window reads the file within seconds of each change. */
const MAX_BATCHES = 12;

/** The file in the extension's folder through which windows share the walk of a config folder; null if there is no such folder. Both paths are absolute. */
export function walkFileIn(folder: string | null, configDir: string): string | null {
  return folder === null
    ? null
    : join(folder, `walk-${createHash('sha1').update(configDir).digest('hex').slice(0, 12)}.json`);
}

/** Added to the path of the shared file: by its times, the window that walks calls the others. */
const CALL_SUFFIX = '.call';

/** What was found at one time; null paths if any transcript may have changed. */
interface Batch {
  readonly sequence: number;
  readonly paths: readonly string[] | null;
}

interface Content {
  readonly owner: string;
  /** In ascending order. */
  readonly batches: readonly Batch[];
}

/** Another window was quicker. */
class TakenError extends Error {}

/**
 * Of all windows that show the sessions of one config folder, one looks at them all again and again, and tells the others what has
 * changed. It says by the times of a file that it is there; if it is gone, another takes its place within three seconds.
 *
 * It also looks for the others at what all of them show, which are the registry and the running sessions. If something has changed
 * there, it calls them at once, by the times of another file, and each looks for itself.
 */
export class SharedWalk {
  readonly #deps: SharedWalkDeps;
  readonly #found = new Set<string>();
  #role: 'walks' | 'alone' | 'follows' = 'follows';
  /** The file as it was last seen, and since when it is so. */
  #seen: { readonly stamp: FileStamp | null; readonly sinceMs: number } | null = null;
  /** What the others were told. */
  #content: Content | null = null;
  /** The file keeps this time of modification until it is written again. */
  #writtenAt = new Date(0);
  #publishedMs = Number.NEGATIVE_INFINITY;
  #aloneUntilMs = 0;
  #isBusy = false;
  #working: Promise<void> = Promise.resolve();
  #beating: Promise<void> = Promise.resolve();
  /** The file of the calls as it was at the last one; undefined before this window has asked for calls. */
  #called: FileStamp | null | undefined;
  #calling: Promise<void> = Promise.resolve();
  #isClosed = false;
  #hasWarned = false;

  constructor(deps: SharedWalkDeps) {
    this.#deps = deps;
  }

  /** This window has found a new state of a transcript. */
  note(path: string): void {
    if (this.#role === 'walks') this.#found.add(path);
  }

  /** Whether another window walks, and calls this one when what all windows show has changed. */
  get isFollowing(): boolean {
    if (this.#role !== 'follows' || this.#isClosed) return false;
    const seen = this.#seen;
    return seen !== null && seen.stamp !== null && Math.abs(this.#deps.clock.now() - seen.sinceMs) < STALE_MS;
  }

  /** Calls the other windows, if this is the one that walks: what all windows show has changed. */
  call(): void {
    const { filePath } = this.#deps;
    if (this.#role === 'walks' && filePath !== null) this.#calling = this.#touch(filePath + CALL_SUFFIX);
  }

  /** Whether the window that walks has called since this was last asked. To be asked several times a second while following. */
  takeCall(): boolean {
    const { filePath, files } = this.#deps;
    if (filePath === null) return false;
    const before = this.#called;
    this.#called = files.stampAgain(filePath + CALL_SUFFIX, before ?? null);
    if (before === undefined) return true;
    return this.#called !== before && !isSameStamp(this.#called, before);
  }

  /** Whether this window is the one that lists all sessions. To be called about every second while its sessions are visible. */
  look(): boolean {
    const { filePath, files, clock } = this.#deps;
    if (filePath === null) return true;
    const nowMs = clock.now();
    if (this.#role === 'alone' && Math.abs(this.#aloneUntilMs - nowMs) <= ALONE_MS && nowMs < this.#aloneUntilMs)
      return true;
    if (this.#isBusy || this.#isClosed) return this.#role !== 'follows';
    const stamp = files.stampNow(filePath);
    const before = this.#seen?.stamp ?? null;
    const isReplaced = stamp !== null && !isSameContent(stamp, before);
    const isSame = stamp === null ? before === null : isSameStamp(stamp, before);
    if (this.#seen === null || !isSame) this.#seen = { stamp, sinceMs: nowMs };
    if (isReplaced) this.#working = this.#work(() => this.#read());
    else if (this.#role === 'walks' && stamp !== null) this.#beat(filePath, nowMs);
    else if (stamp === null || Math.abs(nowMs - this.#seen.sinceMs) >= STALE_MS)
      this.#working = this.#work(() => this.#take());
    return this.#role !== 'follows';
  }

  /** Another window may take the place of this one, whose sessions are not visible any more. Never rejects. */
  async resign(): Promise<void> {
    const { filePath, fs } = this.#deps;
    const isOwner = this.#role === 'walks';
    this.#role = 'follows';
    this.#called = undefined;
    this.#found.clear();
    if (filePath !== null && isOwner) await fs.unlink(filePath).catch(() => undefined);
    this.#seen = null;
  }

  /** For good. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settled();
    await this.resign();
  }

  /** Resolves when what the latest look has begun is done. */
  async settled(): Promise<void> {
    await Promise.all([this.#working, this.#beating, this.#calling]);
  }

  #beat(filePath: string, nowMs: number): void {
    // The clock may have been set back.
    const isDue = Math.abs(nowMs - this.#publishedMs) >= PUBLISH_MS;
    if (isDue && this.#found.size > 0) this.#working = this.#work(() => this.#publish());
    // If it fails, another window takes over.
    else this.#beating = this.#deps.fs.utimes(filePath, new Date(nowMs), this.#writtenAt).catch(() => undefined);
  }

  /** Never rejects: the other windows also look without a call, though not so soon. */
  async #touch(path: string): Promise<void> {
    const { fs, clock } = this.#deps;
    const now = new Date(clock.now());
    const create = async (): Promise<void> => (await fs.open(path, 'create')).close();
    await fs.utimes(path, now, now).catch(() => create().catch(() => undefined));
  }

  async #work(work: () => Promise<void>): Promise<void> {
    this.#isBusy = true;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof TakenError)) this.#walkAlone(error);
    } finally {
      this.#isBusy = false;
    }
  }

  #walkAlone(error: unknown): void {
    const { clock, warn, filePath } = this.#deps;
    this.#role = 'alone';
    this.#aloneUntilMs = clock.now() + ALONE_MS;
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const reason = error instanceof Error ? error.message : String(error);
    warn(`This window does not share its list of sessions with others through ${filePath ?? ''}: ${reason}`);
  }

  /** Another window has written. */
  async #read(): Promise<void> {
    const { filePath, windowId, onNews } = this.#deps;
    const content = parseContent(await readFile(filePath ?? '').catch(() => Buffer.alloc(0)));
    if (content === null) {
      // Whoever should have written it may be unable to.
      if (this.#role === 'walks') await this.#publish();
      else [this.#role, this.#aloneUntilMs] = ['alone', 0];
      return;
    }
    if (content.owner === windowId) return;
    const before = this.#content;
    this.#role = 'follows';
    this.#found.clear();
    this.#content = content;
    // What the window before it had found, and not yet told, is not known to the new one.
    if (before !== null && before.owner !== content.owner) {
      onNews(null);
      return;
    }
    const last = before?.batches.at(-1)?.sequence ?? 0;
    const unread = content.batches.filter(({ sequence }) => sequence > last);
    const [first] = unread;
    if (first === undefined) return;
    // At the first reading, what has been dropped may have been found after this window had listed its sessions.
    const isComplete = before === null ? first.sequence === 1 : first.sequence === last + 1;
    const paths = unread.flatMap((batch) => batch.paths ?? []);
    onNews(isComplete && unread.every((batch) => batch.paths !== null) ? paths : null);
  }

  /** Takes the place of the window that has left the file as it was last seen. */
  async #take(): Promise<void> {
    const { windowId, onNews, files, filePath } = this.#deps;
    const seen = this.#seen?.stamp ?? null;
    await this.#write((found) => {
      const content = found ?? this.#content;
      const stamp = files.stampNow(filePath ?? '');
      if (stamp !== null && !isSameStamp(stamp, seen)) throw new TakenError();
      return { owner: windowId, batches: content?.batches.slice(-1) ?? [] };
    });
    const isNew = this.#role !== 'walks';
    this.#role = 'walks';
    if (isNew) onNews(null);
  }

  async #publish(): Promise<void> {
    const { windowId } = this.#deps;
    const paths = this.#found.size > MAX_PATHS ? null : [...this.#found];
    this.#found.clear();
    this.#publishedMs = this.#deps.clock.now();
    await this.#write((content) => {
      if (content !== null && content.owner !== windowId) throw new TakenError();
      // A damaged file is begun anew, and goes on where it was, so that no other window takes what follows for what it knows.
      const { batches } = content ?? this.#content ?? { batches: [] };
      const sequence = (batches.at(-1)?.sequence ?? 0) + 1;
      return { owner: windowId, batches: [...batches, { sequence, paths }].slice(-MAX_BATCHES) };
    });
  }

  /** Only while no other window writes. `change` receives null if there is nothing to read. */
  async #write(change: (content: Content | null) => Content): Promise<void> {
    const { filePath, files, fs, clock } = this.#deps;
    if (filePath === null || this.#isClosed) throw new TakenError();
    await replaceLocked(filePath, (bytes) => {
      if (this.#isClosed) throw new TakenError();
      const content = change(bytes === null ? null : parseContent(bytes));
      this.#content = content;
      return Promise.resolve(Buffer.from(JSON.stringify({ version: FORMAT_VERSION, ...content })));
    });
    this.#writtenAt = new Date(clock.now());
    await fs.utimes(filePath, this.#writtenAt, this.#writtenAt);
    this.#seen = { stamp: files.stampNow(filePath), sinceMs: clock.now() };
  }
}

/** Whether the window that walks has only said that it is there. */
function isSameContent(stamp: FileStamp, before: FileStamp | null): boolean {
  return stamp.inode === before?.inode && stamp.size === before.size && stamp.mtimeNs === before.mtimeNs;
}

/** Null if it is damaged. Throws `LaterVersionError`. */
function parseContent(bytes: Buffer): Content | null {
  const file = parseObject(bytes.toString('utf8'));
  const version = file?.['version'];
  if (typeof version === 'number' && version > FORMAT_VERSION) throw new LaterVersionError();
  const owner = file === null ? null : stringField(file, 'owner');
  const batches = file?.['batches'];
  if (version !== FORMAT_VERSION || owner === null || !Array.isArray(batches)) return null;
  const read = batches.filter(isJsonObject).flatMap((batch): Batch[] => {
    const [sequence, paths] = [batch['sequence'], batch['paths']];
    if (typeof sequence !== 'number') return [];
    return [{ sequence, paths: Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : null }];
  });
  return { owner, batches: read };
}
