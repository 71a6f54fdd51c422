import { sep } from 'node:path';
import { type FileStamp, isSameStamp, type SessionFiles } from '../util/diskFiles';
import type { Clock } from '../util/scheduling';
import type { SessionEntries, SessionEntry } from './sessionEntries';

/** Time between two listings of all sessions, in milliseconds. */
const FAR_MS = 30_000;
/** A transcript rests after a scan as if each second of reading so many bytes cost ten. */
const BYTES_PER_MS = 100_000;
const REST_FACTOR = 10;

export interface SessionPollDeps {
  readonly files: Pick<SessionFiles, 'stampNow'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The folder that contains the folders of the projects. */
  readonly projects: string;
  readonly entries: Pick<SessionEntries, 'values' | 'get'>;
  /** Whether the window shows the session, or belongs to its folder. */
  readonly isNear: (entry: SessionEntry) => boolean;
  /** A transcript differs from when it was last scanned. */
  readonly onChanged: (entry: SessionEntry) => void;
  /** Transcripts may have come, gone or changed: everything is to be listed again. */
  readonly onFolderChanged: () => void;
}

/**
 * Asks transcripts and their folders for their state, because not every file system tells of changes: those of open folders
 * at each look. Every thirty seconds, it has everything listed again, whatever a file system tells. Reads nothing.
 */
export class SessionPoll {
  readonly #deps: SessionPollDeps;
  /** The stamps of folders as of the last look; null for one that is not there. */
  readonly #folders = new Map<string, FileStamp | null>();
  /** Until when a transcript is left alone. */
  readonly #restsUntilMs = new Map<string, number>();
  /** Paths of the transcripts that the window shows; null until they are asked for. To ask about each takes longer than its stamp. */
  #near: readonly string[] | null = null;
  #farAtMs = 0;
  #isStarted = false;

  constructor(deps: SessionPollDeps) {
    this.#deps = deps;
  }

  /** Called after the sessions were listed. */
  start(): void {
    this.#near = null;
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#farAtMs = this.#deps.clock.now() + FAR_MS;
    this.#noteFolders((this.#near = this.#nearPaths()));
  }

  /** Paths of the transcripts that the window shows, or whose sessions run. */
  get near(): readonly string[] {
    return (this.#near ??= this.#nearPaths());
  }

  /** What the window shows has changed. */
  refocus(): void {
    this.#near = null;
  }

  /** To be called about every second. */
  look(): void {
    if (!this.#isStarted) return;
    const { clock, files, entries, onChanged, onFolderChanged } = this.#deps;
    const nowMs = clock.now();
    const isFar = nowMs >= this.#farAtMs;
    if (isFar) this.#farAtMs = nowMs + FAR_MS;
    const paths = this.near;
    for (const path of paths) {
      const entry = entries.get(path);
      if (entry === undefined || entry.stamp === null || nowMs < (this.#restsUntilMs.get(path) ?? 0)) continue;
      const stamp = files.stampNow(path);
      // One that is gone changes its folder, too.
      if (stamp === null || isSameStamp(stamp, entry.stamp)) continue;
      this.#restsUntilMs.set(path, nowMs + (REST_FACTOR * stamp.size) / BYTES_PER_MS);
      onChanged(entry);
    }
    if (this.#noteFolders(paths) || isFar) onFolderChanged();
  }

  #nearPaths(): readonly string[] {
    const { entries, isNear } = this.#deps;
    const paths: string[] = [];
    for (const entry of entries.values()) if (isNear(entry)) paths.push(entry.found.path);
    return paths;
  }

  /** Whether a folder of the transcripts changed since the last look at it. */
  #noteFolders(paths: readonly string[]): boolean {
    const { files, projects } = this.#deps;
    const folders = new Set([projects]);
    for (const path of paths) folders.add(path.slice(0, path.lastIndexOf(sep)));
    let isAnyChanged = false;
    for (const folder of folders) {
      const [known, stamp] = [this.#folders.get(folder), files.stampNow(folder)];
      this.#folders.set(folder, stamp);
      const isSame = known === null ? stamp === null : isSameStamp(known ?? null, stamp);
      if (known !== undefined && !isSame) isAnyChanged = true;
    }
    return isAnyChanged;
  }
}
